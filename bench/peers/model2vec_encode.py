"""model2vec: `StaticModel.encode` over all passages in one process.

The probe is the cosine of every thousandth passage with the next one: equal models give equal probes.
Usage: model2vec_encode.py FILE MODEL_FOLDER.
"""

import sys

import numpy as np
from model2vec import StaticModel

from passages import Stopwatch, print_answer, read_texts

PROBE_EVERY = 1000
PROBE_LENGTH = 12

stopwatch = Stopwatch()
texts = read_texts(sys.argv[1])
stopwatch.lap("read")

model = StaticModel.from_pretrained(sys.argv[2])
stopwatch.lap("load_model")
vectors = model.encode(texts, use_multiprocessing=False)
stopwatch.lap("embed")

unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
probe = [round(float(unit[i] @ unit[i + 1]), 4) for i in range(0, len(unit) - 1, PROBE_EVERY)]
print_answer(len(texts), range(len(vectors)), stopwatch, dimension=int(vectors.shape[1]), probe=probe[:PROBE_LENGTH])
