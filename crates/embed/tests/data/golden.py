"""Writes golden.json: texts, their token ids and their vectors, by the Hugging Face tokenizer and plain numpy.

Usage: python golden.py MODEL_FOLDER SCRIPTS_FILE > golden.json   (needs numpy and tokenizers)
"""
import json, sys
from pathlib import Path
import numpy as np
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

folder = Path(sys.argv[1])
raw = next(folder.glob("*.safetensors")).read_bytes()
length = int.from_bytes(raw[:8], "little")
header, data = json.loads(raw[8 : 8 + length]), raw[8 + length :]


def tensor(name, dtype):
    start, end = header[name]["data_offsets"]
    return np.frombuffer(data[start:end], dtype).reshape(header[name]["shape"])


groups = tensor("table", np.uint8)
groups = groups.reshape(len(groups), -1, 16)
nibbles = np.stack([groups & 15, groups >> 4], 2).reshape(len(groups), -1)
table = (nibbles.astype(np.float64) - 8) * tensor("scale", np.float16).astype(np.float64)[:, None]

tokenizer = Tokenizer(WordPiece(WordPiece.read_file(str(folder / "vocab.txt")), unk_token="[UNK]"))
tokenizer.normalizer, tokenizer.pre_tokenizer = BertNormalizer(), BertPreTokenizer()
unknown = tokenizer.token_to_id("[UNK]")

texts = Path(sys.argv[2]).read_text(encoding="utf-8").split("\n") + ["x" * 150, "the " * 700, "\0\ufffd\u0301", "a\0b\tc"]
cases = []
for text in texts:
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    known = [i for i in ids if i != unknown]
    vector = table[known].sum(0) if known else np.zeros(table.shape[1])
    vector /= np.linalg.norm(vector) or 1
    cases.append({"text": text, "ids": ids, "vector": [round(float(x), 7) for x in vector] if known else []})
json.dump(cases, sys.stdout, ensure_ascii=True, separators=(",", ":"))
