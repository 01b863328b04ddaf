"""The measures against values worked out by hand; the cases are those of `bench/evaluation/metrics.test.mjs`."""

import numpy as np
import pytest

from metrics import area_under_curve, best_f1, spearman


@pytest.mark.parametrize(
    ("scores", "positive", "area"),
    [
        ([0.9, 0.8, 0.2, 0.1], [1, 1, 0, 0], 1),
        ([0.9, 0.8, 0.2, 0.1], [0, 0, 1, 1], 0),
        ([0.5, 0.5, 0.5], [1, 0, 0], 0.5),
        ([0.9, 0.4, 0.3, 0.1], [1, 0, 1, 0], 0.75),
    ],
)
def test_the_area_counts_ordered_couples_a_tie_as_half(scores, positive, area):
    assert area_under_curve(np.array(scores), np.array(positive, bool)) == area


@pytest.mark.parametrize(
    ("scores", "positive", "f1", "threshold"),
    [
        ([0.9, 0.8, 0.7, 0.6], [1, 1, 0, 0], 1, 0.8),
        ([0.9, 0.8, 0.7, 0.6], [0, 0, 1, 1], 4 / 6, 0.6),
        ([0.8, 0.8, 0.1], [1, 0, 0], 2 / 3, 0.8),
    ],
)
def test_the_best_f1_comes_with_its_threshold(scores, positive, f1, threshold):
    assert best_f1(np.array(scores), np.array(positive, bool)) == (pytest.approx(f1), threshold)


def test_spearman_sees_order_only():
    assert spearman(np.array([1, 2, 3, 4]), np.array([10, 20, 400, 8000])) == pytest.approx(1)
    assert spearman(np.array([1, 2, 3, 4]), np.array([1, 3, 2, 4])) == pytest.approx(0.8)
