"""Step 3: the table that training starts from.

The one idea: two views of a token side by side. Left, the row of potion-base-8M (256 numbers, made for sums); right, the
teacher's row of step 1 (384 numbers), spread out by its spectrum and weighted by a / (a + p), where p is the token's share of the
corpus (Arora et al. 2017). Each side is scaled so that a typical token has length 1, then the right side by `--teacher-weight`.

Inputs: the vocabulary, a model2vec folder (`model.safetensors`, `tokenizer.json`), the outputs of steps 1 and 2.
Output: a .npz file: `table` (entries x 640, float32) and `in_start` (mask of the entries that the start model knows).
"""

import argparse
import json

import numpy as np
from safetensors.numpy import load_file

from principal_axes import centred_projection
from wordpiece import is_reserved, read_vocabulary


def rows_by_entry(folder: str, vocabulary: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """The start model's rows in the order of our vocabulary, and which entries it knows."""
    rows = load_file(f"{folder}/model.safetensors")["embeddings"].astype(np.float32)
    with open(f"{folder}/tokenizer.json", encoding="utf8") as file:
        theirs = json.load(file)["model"]["vocab"]
    table = np.zeros((len(vocabulary), rows.shape[1]), np.float32)
    known = np.array([entry in theirs and not is_reserved(entry) for entry in vocabulary])
    for token in np.flatnonzero(known):
        table[token] = rows[theirs[vocabulary[token]]]
    return table, known


def shares(counts: np.ndarray) -> np.ndarray:
    """Each entry's share of the corpus; half a count more each, so that none is zero."""
    return (counts + 0.5) / (counts + 0.5).sum()


def typical_length(table: np.ndarray, share: np.ndarray) -> float:
    """The root mean square length of a row, weighted by how often it is used."""
    return float(np.sqrt(((table * table).sum(1) * share).sum()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vocabulary")
    parser.add_argument("start_model", help="folder of potion-base-8M")
    parser.add_argument("token_rows", help="output of step 1")
    parser.add_argument("token_counts", help="output of step 2")
    parser.add_argument("output", help=".npz file to write")
    parser.add_argument("--rarity", type=float, default=1e-3, help="a in a / (a + p)")
    parser.add_argument("--spectrum-power", type=float, default=-0.25)
    parser.add_argument("--teacher-weight", type=float, default=0.75)
    arguments = parser.parse_args()

    share = shares(np.load(arguments.token_counts))
    start, known = rows_by_entry(arguments.start_model, read_vocabulary(arguments.vocabulary))
    teacher_rows = np.load(arguments.token_rows)
    teacher = centred_projection(teacher_rows, known, teacher_rows.shape[1], arguments.spectrum_power)
    teacher *= (arguments.rarity / (arguments.rarity + share))[:, None]
    left = start / typical_length(start, share)
    right = arguments.teacher_weight * teacher / typical_length(teacher, share)
    table = np.concatenate([left, right], axis=1).astype(np.float32)
    np.savez(arguments.output, table=table, in_start=known)
    print(f"{arguments.output}: {table.shape[0]} rows x {table.shape[1]}, {known.sum()} known to the start model")


if __name__ == "__main__":
    main()
