"""Principal axes of a table, as a matrix to multiply with.

The one idea: centring is a choice. A sentence vector is a mean of rows, so a common offset in the rows is signal to remove at
the start (`centred_projection`) but must not be moved once the rows have been trained for the cosine (`uncentred_axes`).
"""

import numpy as np


def _largest_first(second_moment: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    values, vectors = np.linalg.eigh(second_moment)
    order = np.argsort(-values, kind="stable")[:count]
    return values[order], vectors[:, order]


def centred_projection(table: np.ndarray, fit_rows: np.ndarray, count: int, spectrum_power: float) -> np.ndarray:
    """Projects a table on the axes of the rows in `fit_rows` (a mask), each scaled by its variance to `spectrum_power`."""
    centred = table - table.mean(0)
    variances, axes = _largest_first(np.cov(centred[fit_rows], rowvar=False), count)
    return centred @ axes * np.maximum(variances, 1e-9) ** spectrum_power


def uncentred_axes(table: np.ndarray, fit_rows: np.ndarray, count: int) -> np.ndarray:
    """The axes (columns) that keep most of the squared length of the rows in `fit_rows` (a mask)."""
    rows = table[fit_rows].astype(np.float64)
    _, axes = _largest_first(rows.T @ rows / len(rows), count)
    return axes
