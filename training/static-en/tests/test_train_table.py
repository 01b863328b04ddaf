"""What training optimises, on a table small enough to reason about."""

from argparse import Namespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from losses import contrast, geometry  # noqa: E402
from train_table import PairLosses, TeacherLoss, learning_rate, sentence_vectors, train  # noqa: E402

# Tables this small gain nothing from threads, and the sums must not depend on their number.
torch.set_num_threads(1)

OPTIONS = Namespace(batch=64, contrast_weight=1.0, anchor_weight=0.1, teacher_weight=5.0, temperature=0.05)


def bags(*texts: list[int]) -> list[np.ndarray]:
    return [np.array(text) for text in texts]


def test_a_sentence_is_the_unit_mean_of_its_rows():
    table = torch.tensor([[3.0, 0.0], [0.0, 4.0], [9.0, 9.0]])
    vectors = sentence_vectors(table, bags([0, 1], [1], [1, 1]))
    assert torch.allclose(vectors, torch.tensor([[0.6, 0.8], [0.0, 1.0], [0.0, 1.0]]))


def test_contrast_is_least_when_every_row_finds_its_partner():
    axes = torch.eye(4)
    assert contrast(axes, axes, 0.05) < 1e-6
    assert contrast(axes, axes.roll(1, 0), 0.05) > 10


def test_geometry_ignores_the_diagonal():
    first = torch.tensor([[1.0, 0.5], [0.5, 1.0]])
    assert geometry(first, torch.tensor([[0.0, 0.5], [0.5, 0.0]])) == 0
    assert geometry(first, torch.tensor([[1.0, 0.0], [0.5, 1.0]])) == 0.125


def test_the_rate_rises_to_its_peak_and_falls_to_a_rest():
    rates = [learning_rate(step, 700, 1.0) for step in range(700)]
    assert rates[0] == pytest.approx(0.02) and max(rates) == rates[49] and rates[-1] == pytest.approx(0.02)


def test_training_brings_pairs_together_and_follows_from_the_seed():
    random = np.random.default_rng(0)
    first = torch.from_numpy(random.standard_normal((40, 16)).astype(np.float32))
    left, right = bags(*([i] for i in range(20))), bags(*([i + 20] for i in range(20)))
    taught = torch.nn.functional.normalize(torch.from_numpy(random.standard_normal((20, 8)).astype(np.float32)), dim=1)
    losses = [TeacherLoss(left, taught, OPTIONS), PairLosses(left, right, first, OPTIONS)]

    def partner_cosine(table):
        return (sentence_vectors(table, left) * sentence_vectors(table, right)).sum(1).mean().item()

    trained = train(first, losses, 60, 0.05, seed=1)
    assert partner_cosine(trained) > partner_cosine(first) + 0.3
    assert torch.equal(trained, train(first, losses, 60, 0.05, seed=1))
    assert not torch.equal(trained, train(first, losses, 60, 0.05, seed=2))
