"""rensa: all sketches in one batch call, then the deduplicator over the sketches.

Tokens of all documents are in memory at once: that is what the batch interface takes.
"""

import sys

from rensa import RMinHash, RMinHashDeduplicator

from passages import Stopwatch, print_answer, read_texts, shingles

stopwatch = Stopwatch()
texts = read_texts(sys.argv[1])
stopwatch.lap("read")

token_sets = [shingles(text) for text in texts]
stopwatch.lap("shingle")
sketches = RMinHash.from_token_sets(token_sets, num_perm=128, seed=42)
stopwatch.lap("sketch")
deduplicator = RMinHashDeduplicator(threshold=0.8, num_perm=128, use_lsh=True, num_bands=16, seed=42)
kept = deduplicator.add_pairs((str(position), sketch) for position, sketch in enumerate(sketches))
stopwatch.lap("deduplicate")

print_answer(len(texts), [position for position, is_kept in enumerate(kept) if is_kept], stopwatch)
