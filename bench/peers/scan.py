"""Every row compared with one query at a time, on one thread: numpy, faiss, and what reading the memory alone would take.

Usage: scan.py FILE.vectors numpy|faiss|memory. `memory` looks through as many bytes as the rows have for one that is not there,
which the C library does as fast as memory gives them; it answers no query. Rows have length one before the clock starts.
"""

import json
import os
import sys
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import faiss  # noqa: E402
import numpy as np  # noqa: E402

from vector_file import VectorFile  # noqa: E402

QUERIES = 100
SECONDS = 3

faiss.omp_set_num_threads(1)
file, way = VectorFile(sys.argv[1]), sys.argv[2]
file.queries, file.truth = file.queries[:QUERIES], file.truth[:QUERIES]
rows = file.rows / np.linalg.norm(file.rows, axis=1, keepdims=True)
queries = file.queries / np.linalg.norm(file.queries, axis=1, keepdims=True)
flat = faiss.IndexFlatIP(rows.shape[1])
flat.add(rows if way == "faiss" else rows[:0])
haystack = bytearray(b"\1") * (rows.nbytes if way == "memory" else 0)


def with_numpy(query):
    scores = rows @ query
    best = np.argpartition(-scores, file.k)[: file.k]
    return best[np.argsort(-scores[best])]


def with_faiss(query):
    return flat.search(query[None], file.k)[1][0]


def with_memory(_):
    return haystack.find(b"\2")


one = {"numpy": with_numpy, "faiss": with_faiss, "memory": with_memory}[way]
cpu, wall, passes = time.process_time(), time.perf_counter(), 0
while passes == 0 or time.process_time() - cpu < SECONDS:
    found = [one(query) for query in queries]
    passes += 1
cpu, wall = (time.process_time() - cpu) / passes, (time.perf_counter() - wall) / passes

measures = {"bytesPerSecond": rows.nbytes * len(queries) / cpu}
if way != "memory":
    measures |= {"queriesPerCpuSecond": len(queries) / cpu, "recallAt10": file.recall(np.array(found))}
inner = {"cpuSeconds": cpu, "wallSeconds": wall, "runs": passes}
print(json.dumps({"records": len(rows), "measures": measures, "inner": inner}))
