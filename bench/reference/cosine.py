"""Which texts reach a cosine, by multiplying everything with everything.

Products are made in f32 by blocks; a pair within 1e-5 of the threshold is decided in f64.
"""

import numpy as np

NEAR = 1e-5
COLUMNS = 8192


class AllPairs:
    """All vectors, and for each text whether it was kept; a zero vector is near nothing."""

    def __init__(self, vectors, threshold):
        double = vectors.astype(np.float64)
        norms = np.linalg.norm(double, axis=1, keepdims=True)
        self.double = np.divide(double, norms, out=np.zeros_like(double), where=norms > 0)
        self.single = self.double.astype(np.float32)
        self.threshold = threshold
        self.kept = np.zeros(len(vectors), dtype=bool)
        self.decided_in_f64 = 0

    def reaching(self, rows, columns):
        """The matrix of which of `rows` reaches which of `columns`."""
        products = self.single[rows] @ self.single[columns].T
        hits = products >= self.threshold
        for row, column in zip(*np.nonzero(np.abs(products - self.threshold) < NEAR), strict=True):
            self.decided_in_f64 += 1
            hits[row, column] = self.double[rows[row]] @ self.double[columns[column]] >= self.threshold
        return hits

    def has_near_kept_before(self, rows):
        """For each of `rows`, whether one kept before the first of them reaches it."""
        earlier = np.flatnonzero(self.kept[: rows[0]])
        near = np.zeros(len(rows), dtype=bool)
        for start in range(0, len(earlier), COLUMNS):
            near |= self.reaching(rows, earlier[start : start + COLUMNS]).any(axis=1)
        return near
