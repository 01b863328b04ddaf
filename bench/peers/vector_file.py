"""A file of vectors with the right answers, as `corpora/vector-file.mjs` describes it, and recall, as `recall.mjs` counts it."""

import json

import numpy as np

ROUNDING = 1e-6


class VectorFile:
    """Rows, queries, and the true scores of the first filter, which leaves all rows."""

    def __init__(self, path):
        with open(path, "rb") as file:
            header = json.loads(file.readline())
            self.k = header["k"]
            rows, queries, dimension = header["rows"], header["queries"], header["dimension"]
            self.rows = np.fromfile(file, "<f4", rows * dimension).reshape(rows, dimension)
            self.queries = np.fromfile(file, "<f4", queries * dimension).reshape(queries, dimension)
            self.truth = np.fromfile(file, "<f8", queries * self.k).reshape(queries, self.k)

    def recall(self, found):
        """The share of the true hits among the found positions, a matrix with a line for each query."""
        shares = []
        for query, truth, positions in zip(self.queries.astype(np.float64), self.truth, found, strict=True):
            rows = self.rows[np.unique(positions[positions >= 0])].astype(np.float64)
            scores = rows @ query / (np.linalg.norm(rows, axis=1) * np.linalg.norm(query))
            shares.append(np.count_nonzero(scores >= truth[-1] - ROUNDING) / len(truth))
        return float(np.mean(shares))
