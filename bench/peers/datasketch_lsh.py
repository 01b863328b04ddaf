"""datasketch: `MinHash.bulk` sketches, then query and insert into `MinHashLSH`, in input order.

A record is kept when no candidate's estimated Jaccard reaches the threshold: the check that its documentation recommends
after a query.
"""

import sys

from datasketch import MinHash, MinHashLSH

from passages import Stopwatch, print_answer, read_texts, shingles

THRESHOLD = 0.8

stopwatch = Stopwatch()
texts = read_texts(sys.argv[1])
stopwatch.lap("read")

index = MinHashLSH(num_perm=128, params=(16, 8))
sketches = {}
selected = []
tokens = ([shingle.encode() for shingle in shingles(text)] for text in texts)
for position, sketch in enumerate(MinHash.generator(tokens, num_perm=128)):
    if any(sketches[candidate].jaccard(sketch) >= THRESHOLD for candidate in index.query(sketch)):
        continue
    index.insert(position, sketch)
    sketches[position] = sketch
    selected.append(position)
stopwatch.lap("shingle_and_deduplicate")

print_answer(len(texts), selected, stopwatch)
