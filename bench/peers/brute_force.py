"""Brute force with numpy: embed the distinct texts, multiply each with every kept one, keep it unless one reaches 0.9.

Usage: brute_force.py FILE MODEL_FOLDER. Not a product anyone ships; it is what an exact join has to beat. The stricter program
behind the expected answers is `reference/greedy.py`.
"""

import sys

import numpy as np
from model2vec import StaticModel

from passages import Stopwatch, print_answer, read_texts

THRESHOLD = 0.9
BLOCK = 2048

stopwatch = Stopwatch()
texts = read_texts(sys.argv[1])
stopwatch.lap("read")

first_position = {}
for position, text in enumerate(texts):
    first_position.setdefault(text, position)
stopwatch.lap("exact")

# The whole text: by default it is cut after 512 tokens.
model = StaticModel.from_pretrained(sys.argv[2])
vectors = model.encode(list(first_position), max_length=None, use_multiprocessing=False)
vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
stopwatch.lap("embed")

positions = np.fromiter(first_position.values(), dtype=np.int64)
kept = np.empty_like(vectors)
kept_count = 0
selected = []
for start in range(0, len(vectors), BLOCK):
    block = vectors[start : start + BLOCK]
    dropped = (block @ kept[:kept_count].T >= THRESHOLD).any(axis=1)
    inside = block @ block.T >= THRESHOLD
    kept_here = np.zeros(len(block), dtype=bool)
    for row in range(len(block)):
        kept_here[row] = not dropped[row] and not (inside[row, :row] & kept_here[:row]).any()
    survivors = np.flatnonzero(kept_here)
    kept[kept_count : kept_count + len(survivors)] = block[survivors]
    kept_count += len(survivors)
    selected.extend(positions[start + survivors].tolist())
stopwatch.lap("deduplicate")

print_answer(len(texts), selected, stopwatch)
