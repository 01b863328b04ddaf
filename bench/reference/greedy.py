"""The expected answer of the near rows: walk the classes in input order, keep one unless a kept one is near it.

Usage: greedy.py FILE [--jaccard 0.8] [--plain] [--model FOLDER] [--cosine 0.9]. Without `--model`, near means the Jaccard
threshold; with it, the cosine; with both `--model` and `--jaccard`, either. Prints how many were kept, the hash of their
positions, and how many pairs were so near the cosine threshold that f64 decided, which is how firm the answer is.
"""

import argparse

import numpy as np
from cosine import AllPairs
from embedders import load
from from_peers import positions_hash, read_texts
from jaccard import KeptByShingle
from normal_form import classes

BLOCK = 2048

parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("--jaccard")
parser.add_argument("--plain", action="store_true")
parser.add_argument("--model")
parser.add_argument("--cosine", type=float, default=0.9)
options = parser.parse_args()
if options.model is None and options.jaccard is None:
    options.jaccard = "0.8"

texts, positions = classes(read_texts(options.file))
lexical = KeptByShingle(texts, options.jaccard, options.plain) if options.jaccard else None
semantic = AllPairs(load(options.model)(texts), options.cosine) if options.model else None

selected = []
for start in range(0, len(texts), BLOCK):
    rows = np.arange(start, min(start + BLOCK, len(texts)))
    if lexical:
        # Products are dear: those that a text kept before this block drops by words need none.
        rows = rows[[not lexical.has_near(record) for record in rows]]
    if semantic and len(rows) > 0:
        rows = rows[~semantic.has_near_kept_before(rows)]
        inside = semantic.reaching(rows, rows)
    for at, record in enumerate(rows):
        if lexical and lexical.has_near(record):
            continue
        if semantic and (inside[at, :at] & semantic.kept[rows[:at]]).any():
            continue
        selected.append(positions[record])
        if lexical:
            lexical.keep(record)
        if semantic:
            semantic.kept[record] = True

print(len(selected), positions_hash(selected), "pairs decided in f64:", semantic.decided_in_f64 if semantic else 0)
