"""model2vec: `StaticModel.encode` over all passages in one process.

The probe is the cosine of every thousandth passage with the next one: equal models give equal probes.
With SECONDS, all passages are embedded again until so much CPU is spent; `inner` is the mean of a pass.
Usage: model2vec_encode.py FILE MODEL_FOLDER [SECONDS].
"""

import sys
import time

import numpy as np
from model2vec import StaticModel

from passages import Stopwatch, print_answer, read_texts

PROBE_EVERY = 1000
PROBE_LENGTH = 12

seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 0.0
stopwatch = Stopwatch()
texts = read_texts(sys.argv[1])
stopwatch.lap("read")

model = StaticModel.from_pretrained(sys.argv[2])
stopwatch.lap("load_model")

cpu, wall, passes = time.process_time(), time.perf_counter(), 0
while passes == 0 or time.process_time() - cpu < seconds:
    vectors = model.encode(texts, use_multiprocessing=False)
    passes += 1
inner = {
    "cpuSeconds": (time.process_time() - cpu) / passes,
    "wallSeconds": (time.perf_counter() - wall) / passes,
    "loadSeconds": stopwatch.seconds["load_model"],
    "runs": passes,
}
stopwatch.lap("embed")

unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
probe = [round(float(unit[i] @ unit[i + 1]), 4) for i in range(0, len(unit) - 1, PROBE_EVERY)]
more = {"dimension": int(vectors.shape[1]), "probe": probe[:PROBE_LENGTH], "inner": inner}
print_answer(len(texts), range(len(vectors)), stopwatch, **more)
