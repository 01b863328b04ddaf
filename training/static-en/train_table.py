"""Step 5: trains the token table.

The one idea: a sentence is the mean of its rows, so the rows themselves are the only parameters, and all losses (see
`losses.py`) look at unit sentence vectors in a batch. Nothing but the table is shipped.

Inputs: the vocabulary, the table of step 3, the pairs, the folder of step 4. Output: a .npz file as in step 3.
Cost: 700 steps of 512 take about 8 CPU-minutes. More steps on the same pairs over-fit (see README.md).
"""

import argparse
import glob
import json
import time
from collections.abc import Callable

import numpy as np
import torch
import torch.nn.functional as functional

from losses import contrast, geometry
from training_text import read_pairs
from wordpiece import load_tokenizer, token_ids

TOKENS_MAX = 256
WARM_UP_STEPS = 50
LAST_RATE = 0.02
REPORT_STEPS = 100

Bags = list[np.ndarray]


def sentence_vectors(table: torch.Tensor, bags: Bags) -> torch.Tensor:
    """The unit mean of the rows of every bag of token ids."""
    offsets = np.cumsum([0] + [len(bag) for bag in bags[:-1]])
    ids = torch.from_numpy(np.concatenate(bags))
    return functional.normalize(functional.embedding_bag(ids, table, torch.from_numpy(offsets), mode="mean"), dim=1)


def read_teacher(folder: str) -> tuple[list[str], torch.Tensor]:
    """All texts and vectors that step 4 has finished."""
    texts, vectors = [], []
    for name in sorted(glob.glob(f"{folder}/*.npy")):
        vectors.append(np.load(name).astype(np.float32))
        with open(name.removesuffix(".npy") + ".json", encoding="utf8") as file:
            texts += json.load(file)
    if not texts:
        raise ValueError(f"{folder}: expected chunks of teacher vectors, found none")
    return texts, torch.from_numpy(np.concatenate(vectors))


def learning_rate(step: int, steps: int, peak: float) -> float:
    """Linear warm-up, then linear decay to a small rest."""
    return peak * min(1, (step + 1) / WARM_UP_STEPS) * max(LAST_RATE, 1 - step / steps)


class PairLosses:
    """`contrast` over natural pairs, and the anchor to what the first table says of the same pairs."""

    def __init__(self, left: Bags, right: Bags, first_table: torch.Tensor, arguments: argparse.Namespace):
        self.left, self.right, self.first_table, self.arguments = left, right, first_table, arguments

    def __call__(self, table: torch.Tensor, random: np.random.Generator) -> dict[str, torch.Tensor]:
        picked = random.integers(0, len(self.left), self.arguments.batch)
        bags_left, bags_right = [self.left[i] for i in picked], [self.right[i] for i in picked]
        left, right = sentence_vectors(table, bags_left), sentence_vectors(table, bags_right)
        with torch.no_grad():
            first = sentence_vectors(self.first_table, bags_left) @ sentence_vectors(self.first_table, bags_right).T
        return {
            "contrast": self.arguments.contrast_weight * contrast(left, right, self.arguments.temperature),
            "anchor": self.arguments.anchor_weight * geometry(left @ right.T, first),
        }


class TeacherLoss:
    """The cosines of a batch of corpus texts must be the teacher's."""

    def __init__(self, bags: Bags, vectors: torch.Tensor, arguments: argparse.Namespace):
        self.bags, self.vectors, self.arguments = bags, vectors, arguments

    def __call__(self, table: torch.Tensor, random: np.random.Generator) -> dict[str, torch.Tensor]:
        picked = random.integers(0, len(self.bags), self.arguments.batch)
        ours, theirs = sentence_vectors(table, [self.bags[i] for i in picked]), self.vectors[picked]
        return {"teacher": self.arguments.teacher_weight * geometry(ours @ ours.T, theirs @ theirs.T)}


Losses = Callable[[torch.Tensor, np.random.Generator], dict[str, torch.Tensor]]


def train(first_table: torch.Tensor, losses: list[Losses], steps: int, peak_rate: float, seed: int) -> torch.Tensor:
    """The table after `steps` steps of Adam on the sum of all losses."""
    random = np.random.default_rng(seed)
    table = torch.nn.Parameter(first_table.clone())
    optimiser = torch.optim.Adam([table])
    started = time.monotonic()
    for step in range(steps):
        optimiser.param_groups[0]["lr"] = learning_rate(step, steps, peak_rate)
        parts = {name: loss for compute in losses for name, loss in compute(table, random).items()}
        optimiser.zero_grad()
        sum(parts.values()).backward()
        optimiser.step()
        if step % REPORT_STEPS == 0 or step == steps - 1:
            shown = " ".join(f"{name} {loss.item():.4f}" for name, loss in parts.items())
            print(f"step {step}, {time.monotonic() - started:.0f} s: {shown}", flush=True)
    return table.detach()


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vocabulary")
    parser.add_argument("initial_table", help="output of step 3")
    parser.add_argument("pairs", help="pairs.tsv or pairs.tsv.xz")
    parser.add_argument("teacher", help="folder of step 4")
    parser.add_argument("output", help=".npz file to write")
    parser.add_argument("--pairs-max", type=int, default=260_000)
    parser.add_argument("--contrast-weight", type=float, default=1.0)
    parser.add_argument("--teacher-weight", type=float, default=5.0)
    parser.add_argument("--anchor-weight", type=float, default=1.0)
    parser.add_argument("--temperature", type=float, default=0.05)
    parser.add_argument("--steps", type=int, default=700)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--rate", type=float, default=3e-3, help="peak learning rate")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


def main() -> None:
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    tokenizer = load_tokenizer(arguments.vocabulary)
    start = np.load(arguments.initial_table)
    first_table = torch.from_numpy(start["table"])
    first_table = first_table / first_table.norm(dim=1).mean()

    pairs = list(read_pairs(arguments.pairs, arguments.pairs_max))
    left = token_ids(tokenizer, [pair[1] for pair in pairs], TOKENS_MAX)
    right = token_ids(tokenizer, [pair[2] for pair in pairs], TOKENS_MAX)
    # A side without known tokens has no vector, so that its pair teaches nothing.
    full = [i for i in range(len(pairs)) if len(left[i]) and len(right[i])]
    teacher_texts, teacher_vectors = read_teacher(arguments.teacher)
    bags = token_ids(tokenizer, teacher_texts, TOKENS_MAX)
    seen = [i for i in range(len(bags)) if len(bags[i])]
    print(f"{len(full)} pairs, {len(seen)} texts with a teacher vector", flush=True)

    losses = [
        TeacherLoss([bags[i] for i in seen], teacher_vectors[seen], arguments),
        PairLosses([left[i] for i in full], [right[i] for i in full], first_table, arguments),
    ]
    table = train(first_table, losses, arguments.steps, arguments.rate, arguments.seed)
    np.savez(arguments.output, table=table.numpy(), in_start=start["in_start"])


if __name__ == "__main__":
    main()
