"""The peers' reading, shingling and hashing, so that both sides cut texts alike."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "peers"))

from passages import positions_hash, read_texts, shingles  # noqa: E402

__all__ = ["positions_hash", "read_texts", "shingles"]
