"""gaoya: `MinHashStringIndex` with its own Rust shingling, query and insert in input order.

Shingling inside Rust is what its documentation calls faster than any tokeniser in Python.
"""

import sys

from gaoya.minhash import MinHashStringIndex

from passages import Stopwatch, print_answer, read_texts

stopwatch = Stopwatch()
texts = read_texts(sys.argv[1])
stopwatch.lap("read")

index = MinHashStringIndex(
    hash_size=32,
    jaccard_threshold=0.8,
    num_bands=16,
    band_size=8,
    analyzer="word",
    lowercase=True,
    ngram_range=(3, 3),
    id_container="smallvec",
)
selected = []
for position, text in enumerate(texts):
    if not index.query(text):
        index.insert_document(position, text)
        selected.append(position)
stopwatch.lap("shingle_and_deduplicate")

print_answer(len(texts), selected, stopwatch)
