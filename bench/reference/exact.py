"""The expected answer of the exact rows: the first record of every distinct text, then of every distinct normal form.

Usage: exact.py FILE.
"""

import sys

from from_peers import positions_hash, read_texts
from normal_form import classes

texts = read_texts(sys.argv[1])
first = {}
for position, text in enumerate(texts):
    first.setdefault(text, position)
print("exact", len(first), positions_hash(first.values()))
_, positions = classes(texts)
print("exact and normalized", len(positions), positions_hash(positions))
