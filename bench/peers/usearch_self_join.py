"""usearch: index all vectors, ask for the neighbours of each, keep a vector unless a kept earlier one of them reaches the cosine.

It has no search by threshold, so that a vector with more than NEIGHBOURS near ones loses the others. One thread.
Usage: usearch_self_join.py FILE.vectors NEIGHBOURS.
"""

import sys
import time

import numpy as np
from usearch.index import Index

from passages import Stopwatch, print_answer
from vector_file import VectorFile

THRESHOLD = 0.9

stopwatch = Stopwatch()
rows = VectorFile(sys.argv[1]).rows
neighbours = int(sys.argv[2])
stopwatch.lap("read")

cpu, wall = time.process_time(), time.perf_counter()
index = Index(ndim=rows.shape[1], metric="cos", dtype="f32", connectivity=16, expansion_add=128, expansion_search=64)
index.add(np.arange(len(rows)), rows, threads=1)
stopwatch.lap("index")
matches = index.search(rows, neighbours, threads=1)
stopwatch.lap("search")
kept = np.zeros(len(rows), dtype=bool)
for row in range(len(rows)):
    near = matches.keys[row, : matches.counts[row]][matches.distances[row, : matches.counts[row]] <= 1 - THRESHOLD]
    near = near[near < row].astype(np.int64)
    kept[row] = not kept[near].any()
inner = {"cpuSeconds": time.process_time() - cpu, "wallSeconds": time.perf_counter() - wall, "runs": 1}
stopwatch.lap("keep")
print_answer(len(rows), np.flatnonzero(kept).tolist(), stopwatch, inner=inner)
