"""Step 4: the teacher's sentence vectors for a sample of the corpus.

The one idea: a quota per source, so that no source decides what the table learns; and small numbered chunks on disk, so that a
run may stop at any moment and continue later. What was computed is never computed twice.

Inputs: the int8 ONNX graph of all-MiniLM-L6-v2, the vocabulary, the corpus.
Output: a folder of `NNNNN.json` (texts) and `NNNNN.npy` (unit vectors, float16).
Cost: by far the longest step: about 60 texts a second on one core. The shipped table used the first 36,000 texts.
"""

import argparse
import json
import os
import random
import time

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from training_text import read_corpus
from wordpiece import load_tokenizer

# Texts per source; sources that are not named give none. "-p" are passages of two to five sentences.
QUOTA = {
    "wn-def": 25_000, "wn-ex": 30_000, "wn-lemma": 8_000, "openstax": 22_000, "openstax-p": 3_000,
    "deb": 16_000, "deb-p": 3_000, "deb-syn": 6_000, "wiki": 14_000, "wikisplit": 15_000,
    "wikitext": 16_000, "wikitext-p": 4_000, "queries": 22_000, "dialog": 30_000,
    "factbook": 10_000, "factbook-p": 1_500, "scitldr": 8_000, "scitldr-p": 1_500,
    "ebook": 16_000, "ebook-p": 2_000, "gsm": 4_000, "gsm-p": 2_000, "peps": 3_000, "peps-p": 500,
    "tldr": 3_000, "ruststd": 1_500, "rustbook": 2_000, "rustbook-p": 500,
}  # fmt: skip
CHARACTERS_MAX = 700
TOKENS_MAX = 256


def sample(corpus_path: str, seed: int) -> list[str]:
    """The first texts of every source, up to its quota, shuffled."""
    left = dict(QUOTA)
    texts = []
    for source, text in read_corpus(corpus_path):
        if left.get(source, 0) > 0 and len(text) <= CHARACTERS_MAX:
            left[source] -= 1
            texts.append(text)
    random.Random(seed).shuffle(texts)
    return texts


def embed(session: onnxruntime.InferenceSession, tokenizer: Tokenizer, texts: list[str], batch: int) -> np.ndarray:
    """Unit sentence vectors: the mean of the hidden states under the mask; texts of like length share a batch."""
    by_length = sorted(range(len(texts)), key=lambda position: len(texts[position]))
    vectors = None
    for start in range(0, len(texts), batch):
        positions = by_length[start : start + batch]
        encodings = tokenizer.encode_batch([texts[position] for position in positions])
        ids = np.array([encoding.ids for encoding in encodings])
        mask = np.array([encoding.attention_mask for encoding in encodings])
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = session.run(None, feed)[0]
        mean = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
        if vectors is None:
            vectors = np.zeros((len(texts), mean.shape[1]), np.float32)
        vectors[positions] = mean / np.linalg.norm(mean, axis=1, keepdims=True)
    return vectors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph", help="model.onnx")
    parser.add_argument("vocabulary")
    parser.add_argument("corpus", help="corpus.tsv or corpus.tsv.xz")
    parser.add_argument("output", help="folder to write chunks into; made when missing")
    parser.add_argument("--texts-max", type=int, default=36_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--chunk", type=int, default=1024)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()

    texts = sample(arguments.corpus, arguments.seed)[: arguments.texts_max]
    tokenizer = load_tokenizer(arguments.vocabulary)
    tokenizer.enable_truncation(TOKENS_MAX)
    tokenizer.enable_padding()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = arguments.threads
    session = onnxruntime.InferenceSession(arguments.graph, options)
    os.makedirs(arguments.output, exist_ok=True)
    started, done = time.monotonic(), 0
    for number, start in enumerate(range(0, len(texts), arguments.chunk)):
        name = os.path.join(arguments.output, f"{number:05d}")
        if os.path.exists(name + ".npy"):
            continue
        chunk = texts[start : start + arguments.chunk]
        vectors = embed(session, tokenizer, chunk, arguments.batch)
        # The vectors are written last: a chunk without them is not done.
        with open(name + ".json", "w", encoding="utf8") as file:
            json.dump(chunk, file)
        np.save(name + ".npy", vectors.astype(np.float16))
        done += len(chunk)
        rate = done / (time.monotonic() - started)
        print(f"{start + len(chunk)} of {len(texts)} texts, {rate:.0f} a second", flush=True)


if __name__ == "__main__":
    main()
