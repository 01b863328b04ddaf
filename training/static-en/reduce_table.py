"""Step 6: 640 columns to 256.

The one idea: an uncentred rotation on the rows' principal axes keeps the cosine, which is what was trained, and loses the
least of it when cut. The first columns then matter most, so that a prefix of a row is a coarser row. Rows that no text can
reach are zeroed.

Inputs: the vocabulary, the table of step 5. Output: a .npy table, entries x `--dimension`, float32. Cost: seconds.
"""

import argparse

import numpy as np

from principal_axes import uncentred_axes
from wordpiece import is_reserved, read_vocabulary


def reduce_table(table: np.ndarray, fit_rows: np.ndarray, reserved: np.ndarray, dimension: int) -> np.ndarray:
    """The table on its first principal axes; `fit_rows` and `reserved` are masks over the rows."""
    reduced = (table @ uncentred_axes(table, fit_rows, dimension)).astype(np.float32)
    reduced[reserved] = 0
    return reduced


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vocabulary")
    parser.add_argument("trained_table", help="output of step 5")
    parser.add_argument("output", help=".npy file to write")
    parser.add_argument("--dimension", type=int, default=256)
    arguments = parser.parse_args()
    trained = np.load(arguments.trained_table)
    reserved = np.array([is_reserved(entry) for entry in read_vocabulary(arguments.vocabulary)])
    table = reduce_table(trained["table"], trained["in_start"], reserved, arguments.dimension)
    np.save(arguments.output, table)
    print(f"{arguments.output}: {table.shape[0]} rows x {table.shape[1]}")


if __name__ == "__main__":
    main()
