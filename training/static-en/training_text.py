"""Reads the two files of training text: `corpus.tsv` (source, text) and `pairs.tsv` (source, text, text).

The one idea: both are read as a stream, plain or compressed with xz, in file order; the files are already shuffled.
"""

import lzma
from collections.abc import Iterator
from itertools import islice


def _rows(path: str, columns: int, rows_max: int | None) -> Iterator[tuple[str, ...]]:
    opener = lzma.open if path.endswith(".xz") else open
    with opener(path, "rt", encoding="utf8") as file:
        for number, line in enumerate(islice(file, rows_max), start=1):
            row = tuple(line.rstrip("\n").split("\t"))
            if len(row) != columns:
                raise ValueError(f"{path}, line {number}: expected {columns} columns, received {len(row)}")
            yield row


def read_corpus(path: str, rows_max: int | None = None) -> Iterator[tuple[str, str]]:
    """Every (source, text) of the corpus, or the first `rows_max`."""
    return _rows(path, 2, rows_max)


def read_pairs(path: str, rows_max: int | None = None) -> Iterator[tuple[str, str, str]]:
    """Every (source, text, text that says the same), or the first `rows_max`."""
    return _rows(path, 3, rows_max)
