"""faiss: `IndexHNSWSQ` with numbers of 16 bits, on one thread; `search` for each query, and of all in one call.

The trial is that of `graph-trial.mjs`: the same links, the same candidates while building, the same rule of effort.
Usage: faiss_hnsw.py FILE.vectors [--ef N].
"""

import json
import os
import sys
import tempfile
import time

import faiss
import numpy as np

from vector_file import VectorFile

RECALL = 0.975
EFFORTS = [10, 16, 24, 32, 40, 48, 64, 80, 96, 128, 160, 192, 256, 384]
QUERY_SECONDS = 2
LINKS, CANDIDATES = 16, 128


def smallest_effort(recall_with):
    """The smallest effort that reaches the recall; the largest where none does."""
    low, high = 0, len(EFFORTS) - 1
    while low < high:
        middle = (low + high) // 2
        if recall_with(EFFORTS[middle]) >= RECALL:
            high = middle
        else:
            low = middle + 1
    return EFFORTS[low]


def mean_of_passes(one_pass):
    """CPU-seconds and wall seconds of a pass, as means over enough of them."""
    cpu, wall, passes = time.process_time(), time.perf_counter(), 0
    while passes == 0 or time.process_time() - cpu < QUERY_SECONDS:
        one_pass()
        passes += 1
    return (time.process_time() - cpu) / passes, (time.perf_counter() - wall) / passes


def unit(vectors):
    """faiss has no cosine: the product of vectors of length one is the same."""
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


faiss.omp_set_num_threads(1)
file = VectorFile(sys.argv[1])
count, dimension = file.rows.shape
rows, queries = unit(file.rows), unit(file.queries)

cpu, wall = time.process_time(), time.perf_counter()
index = faiss.IndexHNSWSQ(dimension, faiss.ScalarQuantizer.QT_fp16, LINKS, faiss.METRIC_INNER_PRODUCT)
index.hnsw.efConstruction = CANDIDATES
index.train(rows)
index.add(rows)
inner = {"cpuSeconds": time.process_time() - cpu, "wallSeconds": time.perf_counter() - wall, "runs": 1}


def one_by_one():
    return np.concatenate([index.search(queries[at : at + 1], file.k)[1] for at in range(len(queries))])


def recall_with(effort):
    index.hnsw.efSearch = effort
    return file.recall(one_by_one())


effort = int(sys.argv[3]) if sys.argv[2:3] == ["--ef"] else smallest_effort(recall_with)
recall = recall_with(effort)
asked_cpu, asked_wall = mean_of_passes(one_by_one)
together_cpu, _ = mean_of_passes(lambda: index.search(queries, file.k))
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "index")
    faiss.write_index(index, path)
    file_bytes = os.path.getsize(path)

measures = {
    "queriesPerCpuSecond": len(queries) / asked_cpu,
    "queriesPerSecond": len(queries) / asked_wall,
    "batchQueriesPerCpuSecond": len(queries) / together_cpu,
    "recallAt10": recall,
    "efSearch": effort,
    "fileBytes": file_bytes,
}
print(json.dumps({"records": count, "measures": measures, "inner": inner}))
