"""The three losses of training, each on unit vectors of one batch.

The one idea: pull together what people wrote as the same (`contrast`), keep the geometry that the teacher sees
(`geometry` against its cosines), and do not forget where the table started (`geometry` against its own first cosines).
"""

import torch
import torch.nn.functional as functional


def contrast(left: torch.Tensor, right: torch.Tensor, temperature: float) -> torch.Tensor:
    """InfoNCE in both directions: row i of `left` must find row i of `right` among all rows of the batch, and back."""
    similarity = left @ right.T / temperature
    partner = torch.arange(len(left))
    return (functional.cross_entropy(similarity, partner) + functional.cross_entropy(similarity.T, partner)) / 2


def geometry(similarity: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """The mean squared difference of two square matrices of cosines, without their diagonals."""
    off_diagonal = ~torch.eye(len(similarity), dtype=torch.bool)
    return ((similarity - target)[off_diagonal] ** 2).mean()
