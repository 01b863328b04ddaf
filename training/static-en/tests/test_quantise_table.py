"""What a quantised table keeps, and where each nibble lies."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load

import quantise_table as q

SHIPPED = Path(__file__).parents[3] / "models/static-en/static-en-256-int4.safetensors"


def random_table(seed: int, rows: int = 50, columns: int = 64) -> np.ndarray:
    table = np.random.default_rng(seed).standard_normal((rows, columns)).astype(np.float32)
    table *= np.logspace(-3, 1, rows, dtype=np.float32)[:, None]
    table[7] = 0
    return table


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_an_element_is_off_by_half_a_step_at_most(bits, seed):
    table = random_table(seed)
    levels, scale = q.quantise(table, bits)
    largest = 2 ** (bits - 1) - 1
    assert levels.min() >= -largest and levels.max() <= largest
    # The float16 scale may lie below the exact one, so that the largest element of a row is cut a little.
    bound = 0.5 + largest * 2.0**-10
    error = np.abs(q.dequantise(levels, scale) - table)
    assert (error <= bound * scale.astype(np.float32)[:, None]).all()


def test_quantising_again_gives_the_same_levels():
    for bits in (4, 8):
        levels, scale = q.quantise(random_table(3), bits)
        again, _ = q.quantise(q.dequantise(levels, scale), bits)
        assert (again == levels).all()


def test_a_row_of_zeros_stays_zero():
    levels, scale = q.quantise(random_table(4), 4)
    assert (levels[7] == 0).all() and scale[7] == 1


def test_packing_is_undone_by_unpacking():
    levels = np.random.default_rng(5).integers(-7, 8, (20, 96)).astype(np.int8)
    assert (q.unpack_nibbles(q.pack_nibbles(levels)) == levels).all()


def test_byte_k_holds_element_k_low_and_element_k_plus_16_high():
    levels = np.zeros((1, 64), np.int8)
    levels[0, 3], levels[0, 19], levels[0, 32], levels[0, 48] = 5, -7, 1, 2
    packed = q.pack_nibbles(levels)
    assert packed.shape == (1, 32)
    assert packed[0, 3] == (-7 + 8) << 4 | 5 + 8
    assert packed[0, 16] == (2 + 8) << 4 | 1 + 8
    assert packed[0, 0] == 8 << 4 | 8


def test_columns_that_fill_no_group_are_refused():
    with pytest.raises(ValueError, match="multiple of 32 columns, received 40"):
        q.pack_nibbles(np.zeros((1, 40), np.int8))


def test_the_file_is_read_by_the_reference_reader():
    levels, scale = q.quantise(random_table(6), 4)
    blob = q.safetensors_bytes({"table": q.pack_nibbles(levels), "scale": scale}, {"bits": "4"})
    tensors = load(blob)
    assert (q.unpack_nibbles(tensors["table"]) == levels).all()
    assert (tensors["scale"] == scale).all()
    assert (8 + int.from_bytes(blob[:8], "little")) % 64 == 0


def split(blob: bytes) -> tuple[dict, bytes]:
    """The header and the data of a safetensors file."""
    end = 8 + int.from_bytes(blob[:8], "little")
    return json.loads(blob[8:end]), blob[end:]


def test_the_writer_remakes_the_shipped_file_but_for_the_blanks_after_its_header():
    blob = SHIPPED.read_bytes()
    header, data = split(blob)
    tensors = load(blob)
    packed = q.pack_nibbles(q.unpack_nibbles(tensors["table"]))
    again = q.safetensors_bytes({"table": packed, "scale": tensors["scale"]}, header["__metadata__"])
    assert split(again) == (header, data)
    assert header["__metadata__"]["note"] == q.NOTE
