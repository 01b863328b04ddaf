"""The measures of an evaluation: how well scores order pairs.

The one idea: all three depend on the order of the scores only, with ties shared fairly, so that embedders with different
ranges of cosine can be compared. The same measures, written a second time, are in `bench/evaluation/metrics.mjs`.
"""

import numpy as np
from scipy.stats import rankdata


def area_under_curve(scores: np.ndarray, positive: np.ndarray) -> float:
    """The chance that a positive pair scores above a negative one; a tie counts half."""
    ranks = rankdata(scores)
    positives, negatives = int(positive.sum()), int((~positive).sum())
    return float((ranks[positive].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def best_f1(scores: np.ndarray, positive: np.ndarray) -> tuple[float, float]:
    """The largest F1 over all thresholds `score >= t`, and the largest t that reaches it."""
    order = np.argsort(-scores, kind="stable")
    sorted_scores = scores[order]
    found = np.cumsum(positive[order])
    ends_tie = np.r_[sorted_scores[1:] != sorted_scores[:-1], True]
    f1 = 2 * found / (np.arange(1, len(scores) + 1) + positive.sum())
    best = np.where(ends_tie, f1, -1).argmax()
    return float(f1[best]), float(sorted_scores[best])


def spearman(left: np.ndarray, right: np.ndarray) -> float:
    """The correlation of the ranks, with ties at their mean rank."""
    return float(np.corrcoef(rankdata(left), rankdata(right))[0, 1])
