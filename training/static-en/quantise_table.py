"""Step 7: writes the table as it ships.

The one idea: one scale a row, so that a rare token with a short row keeps its detail; and nibbles laid out in groups of 32
elements (byte k of 16 holds element k low and element k + 16 high), so that a kernel unpacks a group with one mask and one shift.
The file layout is described byte by byte in `models/static-en/CARD.md`.

Inputs: the vocabulary, the table of step 6. Output: a safetensors file of 4 or 8 bits. Cost: seconds.
"""

import argparse
import hashlib
import json
import os

import numpy as np

GROUP = 32
NIBBLE_OFFSET = 8
ALIGNMENT = 64
DTYPE_NAMES = {np.dtype("int8"): "I8", np.dtype("uint8"): "U8", np.dtype("float16"): "F16"}
NOTE = (
    "Static sentence embedder. Start: potion-base-8M (MIT) and token vectors distilled from all-MiniLM-L6-v2 (Apache-2.0); "
    "trained on openly licensed text, see README."
)


def quantise(table: np.ndarray, bits: int) -> tuple[np.ndarray, np.ndarray]:
    """Symmetric integers of `bits` bits and one float16 scale a row; a row of zeros has scale 1."""
    largest = 2 ** (bits - 1) - 1
    scale = np.abs(table).max(1) / largest
    scale[scale == 0] = 1
    scale = scale.astype(np.float16)
    # Rounded against the scale as stored, not as computed.
    levels = np.rint(table / scale.astype(np.float32)[:, None])
    return np.clip(levels, -largest, largest).astype(np.int8), scale


def dequantise(levels: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """The float table that integers and scales stand for."""
    return levels.astype(np.float32) * scale.astype(np.float32)[:, None]


def pack_nibbles(levels: np.ndarray) -> np.ndarray:
    """Two 4-bit levels a byte; the number of columns must be a multiple of 32."""
    if levels.shape[1] % GROUP:
        raise ValueError(f"expected a multiple of {GROUP} columns, received {levels.shape[1]}")
    halves = (levels + NIBBLE_OFFSET).astype(np.uint8).reshape(len(levels), -1, 2, GROUP // 2)
    return (halves[:, :, 0] | halves[:, :, 1] << 4).reshape(len(levels), -1)


def unpack_nibbles(packed: np.ndarray) -> np.ndarray:
    """The inverse of `pack_nibbles`."""
    groups = packed.reshape(len(packed), -1, GROUP // 2)
    halves = np.stack([groups & 15, groups >> 4], axis=2)
    return halves.reshape(len(packed), -1).astype(np.int8) - NIBBLE_OFFSET


def safetensors_bytes(tensors: dict[str, np.ndarray], metadata: dict[str, str]) -> bytes:
    """A safetensors file; its header is padded so that the data begins at a multiple of 64."""
    header, offset, blobs = {"__metadata__": metadata}, 0, []
    for name, tensor in tensors.items():
        blob = np.ascontiguousarray(tensor).tobytes()
        end = offset + len(blob)
        header[name] = {"dtype": DTYPE_NAMES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [offset, end]}
        offset = end
        blobs.append(blob)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % ALIGNMENT)
    return len(text).to_bytes(8, "little") + text + b"".join(blobs)


def read_table(path: str) -> np.ndarray:
    """The float table of a file that this program wrote (4 or 8 bits), or of a .npy file."""
    if path.endswith(".npy"):
        return np.load(path).astype(np.float32)
    from safetensors.numpy import load_file

    tensors = load_file(path)
    packed = tensors["table"]
    return dequantise(unpack_nibbles(packed) if packed.dtype == np.uint8 else packed, tensors["scale"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vocabulary")
    parser.add_argument("table", help="output of step 6")
    parser.add_argument("output", help=".safetensors file to write")
    parser.add_argument("--bits", type=int, choices=(4, 8), default=4)
    arguments = parser.parse_args()
    table = np.load(arguments.table).astype(np.float32)
    levels, scale = quantise(table, arguments.bits)
    with open(arguments.vocabulary, "rb") as file:
        vocabulary_hash = hashlib.sha256(file.read()).hexdigest()
    metadata = {
        "format": "static-wordpiece-1",
        "dim": str(table.shape[1]),
        "vocab_size": str(len(table)),
        "bits": str(arguments.bits),
        "pooling": "mean",
        "normalise": "l2",
        "tokenizer": "bert-uncased-wordpiece",
        "vocab_sha256": vocabulary_hash,
        "note": NOTE,
    }
    packed = pack_nibbles(levels) if arguments.bits == 4 else levels
    with open(arguments.output, "wb") as file:
        file.write(safetensors_bytes({"table": packed, "scale": scale}, metadata))
    error = np.linalg.norm(dequantise(levels, scale) - table) / np.linalg.norm(table)
    print(f"{arguments.output}: {os.path.getsize(arguments.output)} bytes, relative error {error:.4f}")


if __name__ == "__main__":
    main()
