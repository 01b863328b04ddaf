"""rensa: `RMinHashDeduplicator.add_pairs` over a generator, as its documentation shows for keeping unique documents.

The generator keeps one document's tokens in memory at a time. The faster `rho` pipeline flags both members of a pair and
keeps neither, so it cannot answer "which records stay".
"""

import sys

from rensa import RMinHashDeduplicator

from passages import Stopwatch, print_answer, read_texts, shingles

stopwatch = Stopwatch()
texts = read_texts(sys.argv[1])
stopwatch.lap("read")

deduplicator = RMinHashDeduplicator(threshold=0.8, num_perm=128, use_lsh=True, num_bands=16, seed=42)
kept = deduplicator.add_pairs((str(position), shingles(text)) for position, text in enumerate(texts))
stopwatch.lap("shingle_and_deduplicate")

print_answer(len(texts), [position for position, is_kept in enumerate(kept) if is_kept], stopwatch)
