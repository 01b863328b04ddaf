"""SemHash: `from_records`, then `self_deduplicate`, with a local model2vec folder and its default backend.

Usage: semhash_self.py FILE MODEL_FOLDER.
"""

import sys

from model2vec import StaticModel
from semhash import SemHash

from passages import Stopwatch, print_answer, read_texts

stopwatch = Stopwatch()
texts = read_texts(sys.argv[1])
stopwatch.lap("read")

model = StaticModel.from_pretrained(sys.argv[2])
stopwatch.lap("load_model")
semhash = SemHash.from_records(records=texts, model=model)
stopwatch.lap("exact_embed_index")
result = semhash.self_deduplicate(threshold=0.9)
stopwatch.lap("deduplicate")

# Its result holds records, not positions: a selected text is the first of its exact copies.
first_position = {}
for position, text in enumerate(texts):
    first_position.setdefault(text, position)
print_answer(len(texts), sorted(first_position[text] for text in result.selected), stopwatch)
