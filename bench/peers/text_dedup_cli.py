"""text-dedup: its own command line, `python -m text_dedup.minhash`, on a copy of the corpus's texts.

Every shared band is an edge and clusters are closed transitively: that is its documented method, so its answer differs.
"""

import json
import os
import subprocess
import sys
import tempfile

from passages import Stopwatch, print_answer, read_texts

stopwatch = Stopwatch()
texts = read_texts(sys.argv[1])
stopwatch.lap("read")

with tempfile.TemporaryDirectory() as folder:
    corpus = os.path.join(folder, "corpus.jsonl")
    output = os.path.join(folder, "output")
    with open(corpus, "w", encoding="utf-8") as lines:
        for position, text in enumerate(texts):
            lines.write(json.dumps({"position": position, "text": text}) + "\n")
    stopwatch.lap("copy")

    command = [sys.executable, "-m", "text_dedup.minhash", "--path", "json", "--data_files", corpus]
    command += ["--split", "train", "--cache_dir", os.path.join(folder, "cache"), "--output", output]
    command += ["--column", "text", "--ngram", "3", "--num_perm", "128", "--threshold", "0.8"]
    command += ["--b", "16", "--r", "8", "--min_length", "1", "--num_proc", str(os.cpu_count())]
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": os.path.join(folder, "home")}
    subprocess.run(command, check=True, env=os.environ | offline, stdout=sys.stderr)
    stopwatch.lap("deduplicate")

    from datasets import load_from_disk

    selected = sorted(load_from_disk(output)["position"])

print_answer(len(texts), selected, stopwatch)
