"""Text to token ids, as the product does it, but for the end of long texts.

The one idea: lower-cased BERT WordPiece without [CLS] and [SEP], and without [UNK], so that an unknown word adds nothing. The
product takes a text of any length; here the caller says how many ids count, by default the first 512.
Input is a vocabulary file, one entry a line; the line number is the id.
"""

from collections.abc import Sequence

import numpy as np
from tokenizers import Tokenizer
from tokenizers.implementations import BertWordPieceTokenizer

# Texts are encoded in blocks, to bound the memory that the encodings take.
BLOCK_TEXTS = 20_000


def read_vocabulary(path: str) -> list[str]:
    """The entries of a vocabulary file, by id."""
    with open(path, encoding="utf8") as file:
        return file.read().splitlines()


def is_reserved(entry: str) -> bool:
    """Whether an entry is a control token such as [PAD], [UNK] or [unused17], which no text can contain."""
    return len(entry) > 2 and entry.startswith("[") and entry.endswith("]")


def load_tokenizer(vocabulary_path: str) -> Tokenizer:
    """The WordPiece tokenizer of a vocabulary file, without truncation or padding."""
    entries = {entry: token for token, entry in enumerate(read_vocabulary(vocabulary_path))}
    return BertWordPieceTokenizer(vocab=entries, lowercase=True)._tokenizer


def token_ids(tokenizer: Tokenizer, texts: Sequence[str], tokens_max: int = 512) -> list[np.ndarray]:
    """The known token ids of every text; at most `tokens_max` each, and possibly none."""
    unknown = tokenizer.token_to_id("[UNK]")
    ids = []
    for start in range(0, len(texts), BLOCK_TEXTS):
        block = list(texts[start : start + BLOCK_TEXTS])
        for encoding in tokenizer.encode_batch_fast(block, add_special_tokens=False):
            known = np.asarray(encoding.ids, np.int64)
            ids.append(known[known != unknown][:tokens_max])
    return ids
