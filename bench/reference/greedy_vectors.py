"""The expected answer of the row `self-join`: walk the vectors in order, keep one unless a kept one reaches the cosine.

Usage: greedy_vectors.py FILE.vectors [COSINE]. Prints the same line of JSON as the peers, with how many pairs were so near the
threshold that f64 decided.
"""

import sys
from time import perf_counter, process_time

import numpy as np
from cosine import AllPairs
from from_peers import Stopwatch, VectorFile, print_answer

BLOCK = 2048

stopwatch = Stopwatch()
rows = VectorFile(sys.argv[1]).rows
stopwatch.lap("read")
cpu, wall = process_time(), perf_counter()
pairs = AllPairs(rows, float(sys.argv[2]) if len(sys.argv) > 2 else 0.9)
for start in range(0, len(rows), BLOCK):
    block = np.arange(start, min(start + BLOCK, len(rows)))
    block = block[~pairs.has_near_kept_before(block)]
    inside = pairs.reaching(block, block)
    for at, row in enumerate(block):
        pairs.kept[row] = not (inside[at, :at] & pairs.kept[block[:at]]).any()
inner = {"cpuSeconds": process_time() - cpu, "wallSeconds": perf_counter() - wall, "runs": 1}
stopwatch.lap("join")
kept = np.flatnonzero(pairs.kept).tolist()
print_answer(len(rows), kept, stopwatch, inner=inner, measures={"decidedInF64": pairs.decided_in_f64})
