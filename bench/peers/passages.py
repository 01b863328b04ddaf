"""What every Python peer shares: read a corpus, cut shingles, print one line of JSON.

The reading and the cutting are what a user of the peer has to write as well; they are timed apart, as `read` and as part of
the peer's own work, so that a reader of a record can subtract either.
"""

import hashlib
import json
import re
import time

WORD = re.compile(r"\w+")
SHINGLE_WORDS = 3


def read_texts(path):
    """The `text` of each line of a JSONL file, in order."""
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]


def shingles(text):
    """The word 3-grams of the lower-cased text; a shorter text is one shingle."""
    words = WORD.findall(text.lower())
    if not words:
        return [text]
    if len(words) < SHINGLE_WORDS:
        return [" ".join(words)]
    return [" ".join(words[i : i + SHINGLE_WORDS]) for i in range(len(words) - SHINGLE_WORDS + 1)]


def positions_hash(positions):
    """SHA-256 of the positions, joined by commas: equal for equal selections."""
    return hashlib.sha256(",".join(map(str, positions)).encode()).hexdigest()


class Stopwatch:
    """Wall seconds of named steps, in the order in which they ended."""

    def __init__(self):
        self.seconds = {}
        self._last = time.perf_counter()

    def lap(self, step):
        now = time.perf_counter()
        self.seconds[step] = round(now - self._last, 6)
        self._last = now


def print_answer(records, selected_positions, stopwatch, **more):
    """The one line that the harness reads."""
    answer = {
        "records": records,
        "selected": len(selected_positions),
        "positionsHash": positions_hash(selected_positions),
        "seconds": stopwatch.seconds,
    }
    print(json.dumps(answer | more))
