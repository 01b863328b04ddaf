"""Makes the files of this folder with pyarrow (26.0.1 with numpy), an implementation that is not ours.

    python3 make-data.py

Every Parquet file holds the same 40 rows: each physical and logical type with nulls, and lists, maps and structs in each other.
They differ in encoding, codec, page version and row group size. The values are made up; no licence applies.
"""

import datetime
import decimal
import random
from pathlib import Path

import numpy
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 40
FOLDER = Path(__file__).parent
random.seed(1)


def some(make):
    """A value a row, a fifth of them null."""
    return [None if random.random() < 0.2 else make(row) for row in range(ROWS)]


def text(row):
    return f"passage {row % 16}: " + ("été 漢字 😀 " if row % 7 == 0 else "plain words ") * (1 + row % 3)


columns = {
    "text": pa.array([text(row) for row in range(ROWS)], pa.string()),
    "id": pa.array(range(ROWS), pa.int64()),
    "name": pa.array(some(lambda row: f"n{row}"), pa.string()),
    "flag": pa.array(some(lambda row: row % 3 == 0), pa.bool_()),
    "int8": pa.array(some(lambda row: row - 20), pa.int8()),
    "uint16": pa.array(some(lambda row: 65535 - row), pa.uint16()),
    "int32": pa.array(some(lambda row: row - 2**31), pa.int32()),
    "uint32": pa.array(some(lambda row: 2**32 - 1 - row), pa.uint32()),
    "int64": pa.array(some(lambda row: row - 2**63), pa.int64()),
    "uint64": pa.array(some(lambda row: 2**64 - 1 - row), pa.uint64()),
    "float16": pa.array(some(lambda row: numpy.float16(row / 8)), pa.float16()),
    "float32": pa.array(some(lambda row: [0.0, -0.0, float("nan"), float("inf"), 1.5][row % 5]), pa.float32()),
    "float64": pa.array(some(lambda row: [0.0, -0.0, float("nan"), float("-inf"), row / 3][row % 5]), pa.float64()),
    "bytes": pa.array(some(lambda row: bytes([row, 255, 0])), pa.binary()),
    "fixed": pa.array(some(lambda row: bytes([row] * 5)), pa.binary(5)),
    "decimal9": pa.array(some(lambda row: decimal.Decimal(row * 37 - 900) / 100), pa.decimal128(9, 2)),
    "decimal38": pa.array(some(lambda row: decimal.Decimal("-12345678901234567890.123456") + row), pa.decimal128(38, 6)),
    "date": pa.array(some(lambda row: datetime.date(1950 + row, 1, 1)), pa.date32()),
    "time": pa.array(some(lambda row: row * 1000 + 1), pa.time64("ns")),
    "local": pa.array(some(lambda row: 10**15 + row), pa.timestamp("us")),
    "instant": pa.array(some(lambda row: 10**12 - row), pa.timestamp("ms", tz="UTC")),
    "list": pa.array(some(lambda row: [None if j == 1 else j for j in range(row % 4)]), pa.list_(pa.int32())),
    "lists": pa.array(
        some(lambda row: [None if j == 2 else [str(k) for k in range(j)] for j in range(row % 4)]),
        pa.list_(pa.list_(pa.string())),
    ),
    "map": pa.array(
        some(lambda row: [(j, None if j == 1 else f"v{j}") for j in range(row % 3)]), pa.map_(pa.int32(), pa.string())
    ),
    "struct": pa.array(
        some(lambda row: {"a": None if row % 3 == 0 else row, "b": {"c": None if row % 4 == 0 else str(row)}}),
        pa.struct([("a", pa.int64()), ("b", pa.struct([("c", pa.string())]))]),
    ),
    "structs": pa.array(
        some(lambda row: [None if j == 1 else {"x": j, "y": [j] * j} for j in range(row % 3)]),
        pa.list_(pa.struct([("x", pa.int32()), ("y", pa.list_(pa.float32()))])),
    ),
    "category": pa.array(some(lambda row: f"c{row % 3}"), pa.string()),
    "nothing": pa.nulls(ROWS, pa.null()),
}
table = pa.table(columns).replace_schema_metadata({b"origin": "sluice's own tests, prüfbar".encode()})
required = pa.field("required", pa.int32(), nullable=False)
table = table.append_column(required, pa.array(range(ROWS), pa.int32()))
deltas = {name: "DELTA_BINARY_PACKED" for name in ("int32", "int64", "uint64", "local", "required")}
deltas |= {"text": "DELTA_BYTE_ARRAY", "bytes": "DELTA_LENGTH_BYTE_ARRAY", "float32": "BYTE_STREAM_SPLIT", "flag": "RLE"}


def write(name, **options):
    pq.write_table(table, FOLDER / f"{name}.parquet", row_group_size=15, **options)


write("snappy-pages-1", compression="snappy", data_page_version="1.0", data_page_size=64, write_page_checksum=True)
write("zstd-pages-2", compression="zstd", data_page_version="2.0", data_page_size=64)
write("gzip-delta", compression="gzip", use_dictionary=False, column_encoding=deltas, data_page_version="2.0")
write("brotli-delta", compression="brotli", use_dictionary=False, column_encoding=deltas)
write("lz4-plain", compression="lz4", use_dictionary=False)
write("plain-int96", compression="none", use_deprecated_int96_timestamps=True)

lines = b'{"text":"a"}\n{"text":"b"}\n{"text":"a"}\n'
frames = [pa.compress(part, codec="zstd", asbytes=True) for part in (lines[:20], lines[20:])]
(FOLDER / "two-frames.jsonl.zst").write_bytes(b"".join(frames))
