"""The expected probe of an embedding row: the cosine of every thousandth passage with the next one.

Usage: probe.py FILE MODEL_FOLDER.
"""

import sys

import numpy as np
from embedders import load
from from_peers import read_texts

PROBE_EVERY = 1000
PROBE_LENGTH = 12

texts = read_texts(sys.argv[1])
firsts = range(0, len(texts) - 1, PROBE_EVERY)[:PROBE_LENGTH]
vectors = load(sys.argv[2])([texts[at] for first in firsts for at in (first, first + 1)]).astype(np.float64)
unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
print([round(float(a @ b), 4) for a, b in zip(unit[::2], unit[1::2], strict=True)])
