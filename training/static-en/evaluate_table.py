"""Step 8: what a table is worth, on the tasks of `bench/evaluation/definition.json`.

The one idea: the same tasks, pairs and measures as `bench/evaluation/evaluate.mjs`, written a second time over float rows and
the reference tokenizer, so that each program checks the other, and a table can be judged before the product can load it.
Guards are the product's, so that edited pairs are judged without them here.

Inputs: the vocabulary, one or more tables (.npy of step 6, .safetensors of step 7), the evaluation folder. Output: JSON.
Cost: about 10 CPU-seconds a table.
"""

import argparse
import gzip
import json
import os
from collections.abc import Callable, Sequence

import numpy as np
from tokenizers import Tokenizer

from metrics import area_under_curve, best_f1, spearman
from quantise_table import read_table
from wordpiece import load_tokenizer, token_ids

Embed = Callable[[Sequence[str]], np.ndarray]
NEIGHBOUR_BLOCK = 1024


def embedder(table: np.ndarray, tokenizer: Tokenizer) -> Embed:
    """Texts to unit means of their rows; zeros for a text without known tokens."""

    def embed(texts: Sequence[str]) -> np.ndarray:
        means = np.zeros((len(texts), table.shape[1]), np.float32)
        for row, ids in enumerate(token_ids(tokenizer, texts)):
            if len(ids):
                means[row] = table[ids].mean(0)
        return means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9)

    return embed


def seeded_random(seed: int) -> Callable[[int], int]:
    """The stream of whole numbers of `bench/evaluation/random.mjs`."""
    word = 0xFFFFFFFF
    state = seed & word

    def below(limit: int) -> int:
        nonlocal state
        state = (state + 0x6D2B79F5) & word
        mixed = (state ^ state >> 15) * (state | 1) & word
        mixed ^= (mixed + ((mixed ^ mixed >> 7) * (mixed | 61) & word)) & word
        return int((mixed ^ mixed >> 14) / 2**32 * limit)

    return below


def draw_pairs(utterances: list[dict], count: int, seed: int) -> list[tuple[str, str, bool]]:
    """`count` pairs of one intent and `count` of two, alternating."""
    by_intent: dict[str, list[str]] = {}
    for utterance in utterances:
        by_intent.setdefault(utterance["label"], []).append(utterance["text"])
    intents = [by_intent[label] for label in sorted(by_intent)]
    several = [texts for texts in intents if len(texts) > 1]
    below = seeded_random(seed)

    def two(length: int) -> tuple[int, int]:
        first, second = below(length), below(length - 1)
        return first, second if second < first else second + 1

    pairs = []
    for _ in range(count):
        texts = several[below(len(several))]
        a, b = two(len(texts))
        pairs.append((texts[a], texts[b], True))
        left, right = (intents[position] for position in two(len(intents)))
        pairs.append((left[below(len(left))], right[below(len(right))], False))
    return pairs


def pair_cosines(embed: Embed, left: Sequence[str], right: Sequence[str]) -> np.ndarray:
    """The cosine of every pair, summed in double precision."""
    return (embed(left).astype(np.float64) * embed(right)).sum(1)


def nearest_same_intent(embed: Embed, cache: list[dict], queries: list[dict]) -> float:
    """The share of queries whose nearest cached utterance has the same intent."""
    cached, asked = embed([u["text"] for u in cache]), embed([u["text"] for u in queries])
    right = 0
    for start in range(0, len(queries), NEIGHBOUR_BLOCK):
        nearest = (asked[start : start + NEIGHBOUR_BLOCK] @ cached.T).argmax(1)
        right += sum(cache[j]["label"] == queries[start + i]["label"] for i, j in enumerate(nearest))
    return right / len(queries)


def first_of_each_intent(utterances: list[dict], per_intent: int) -> tuple[list[dict], list[dict]]:
    """The first `per_intent` utterances of every intent, and the rest, in order."""
    taken: dict[str, int] = {}
    first, rest = [], []
    for utterance in utterances:
        before = taken.get(utterance["label"], 0)
        taken[utterance["label"]] = before + 1
        (first if before < per_intent else rest).append(utterance)
    return first, rest


def read_rows(path: str) -> list[dict]:
    """The objects of a compressed JSONL file."""
    with gzip.open(path, "rt", encoding="utf8") as file:
        return [json.loads(line) for line in file]


def intents(task: dict, path: str, seed: int, embed: Embed) -> dict[str, float]:
    """Same intent or not? Over drawn pairs, and by the nearest cached neighbour."""
    utterances = read_rows(path)

    def of(split: str) -> list[dict]:
        return [utterance for utterance in utterances if utterance["split"] == split]

    pairs = draw_pairs(of(task["pairs"]["split"]), task["pairs"]["count"], seed)
    scores = pair_cosines(embed, [pair[0] for pair in pairs], [pair[1] for pair in pairs])
    same = np.array([pair[2] for pair in pairs])
    f1, threshold = best_f1(scores, same)
    neighbour = task["neighbour"]
    first, rest = first_of_each_intent(of(neighbour["cacheSplit"]), neighbour["cachePerIntent"])
    queries = rest if neighbour["querySplit"] == neighbour["cacheSplit"] else of(neighbour["querySplit"])
    return {
        "auc": area_under_curve(scores, same),
        "best_f1": f1,
        "best_f1_threshold": threshold,
        "nearest_same_intent": nearest_same_intent(embed, first, queries),
    }


def similarity(task: dict, path: str, seed: int, embed: Embed) -> dict[str, float]:
    """Do cosines order pairs as people do?"""
    pairs = read_rows(path)
    scores = pair_cosines(embed, [pair["a"] for pair in pairs], [pair["b"] for pair in pairs])
    return {"spearman": spearman(scores, np.array([pair["score"] for pair in pairs]))}


def edits(task: dict, path: str, seed: int, embed: Embed) -> dict[str, float]:
    """What a deduplicator at this threshold would merge, without guards."""
    with open(path, encoding="utf8") as file:
        rows = [line.rstrip("\n").replace("\\n", "\n").split("\t") for line in file]
    scores = pair_cosines(embed, [row[2] for row in rows], [row[3] for row in rows])
    same, kinds = np.array([row[1] == "1" for row in rows]), np.array([row[0] for row in rows])
    near = scores >= task["threshold"]
    figures = {
        "auc": area_under_curve(scores, same),
        "precision, guard off": float(same[near].mean()),
        "recall, guard off": float(near[same].mean()),
    }
    for kind in sorted(set(kinds)):
        figures[f"merged {kind}, guard off"] = float(near[kinds == kind].mean())
    return figures


TASK_KINDS = {"intents": intents, "similarity": similarity, "edits": edits}


def evaluate(embed: Embed, folder: str) -> dict[str, dict[str, float]]:
    """Every figure of every task."""
    with open(os.path.join(folder, "definition.json"), encoding="utf8") as file:
        definition = json.load(file)
    results = {}
    for task in definition["tasks"]:
        measure = TASK_KINDS[task["kind"]]
        results[task["name"]] = measure(task, os.path.join(folder, task["file"]), definition["seed"], embed)
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vocabulary")
    parser.add_argument("tables", nargs="+", help=".npy or .safetensors")
    parser.add_argument("--evaluation", default="../../bench/evaluation", help="folder with definition.json")
    arguments = parser.parse_args()
    tokenizer = load_tokenizer(arguments.vocabulary)
    results = {path: evaluate(embedder(read_table(path), tokenizer), arguments.evaluation) for path in arguments.tables}
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
