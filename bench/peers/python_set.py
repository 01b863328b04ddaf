"""Python's own `set` of strings: the plain way to drop exact copies."""

import sys

from passages import Stopwatch, print_answer, read_texts

stopwatch = Stopwatch()
texts = read_texts(sys.argv[1])
stopwatch.lap("read")

seen = set()
selected = []
for position, text in enumerate(texts):
    if text not in seen:
        seen.add(text)
        selected.append(position)
stopwatch.lap("deduplicate")

print_answer(len(texts), selected, stopwatch)
