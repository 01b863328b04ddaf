"""The peers' reading, shingling, hashing and printing, so that both sides cut texts alike."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "peers"))

from passages import Stopwatch, positions_hash, print_answer, read_texts, shingles  # noqa: E402
from vector_file import VectorFile  # noqa: E402

__all__ = ["Stopwatch", "VectorFile", "positions_hash", "print_answer", "read_texts", "shingles"]
