"""Static embedders read in the plainest way: a model2vec folder through model2vec itself, our folder through `tokenizers`.

Our format: a safetensors file with `table` (U8, two 4-bit elements a byte) and `scale` (F16, one a row), and `vocab.txt`.
"""

from pathlib import Path

import numpy as np


def load(folder):
    """The function texts -> f32 rows of the model in the folder; a text without a known token has the zero row."""
    ours = sorted(Path(folder).glob("static-en-*-int4.safetensors"))
    return static_en(ours[0], Path(folder) / "vocab.txt") if ours else model2vec(folder)


def model2vec(folder):
    from model2vec import StaticModel

    model = StaticModel.from_pretrained(folder)
    # Its default cuts a text after 512 tokens; the specification embeds the whole text.
    return lambda texts: model.encode(texts, max_length=None, use_multiprocessing=False)


def static_en(weights, vocabulary):
    from safetensors.numpy import load_file
    from tokenizers import BertWordPieceTokenizer

    tensors = load_file(weights)
    # In each group of 16 bytes, byte k holds element k (low half) and element k + 16 (high half), offset by 8.
    groups = tensors["table"].reshape(len(tensors["scale"]), -1, 16)
    elements = np.concatenate([groups & 15, groups >> 4], axis=2).astype(np.float32) - 8
    table = elements.reshape(len(groups), -1) * tensors["scale"].astype(np.float32)[:, None]

    tokenizer = BertWordPieceTokenizer(str(vocabulary), lowercase=True)
    unknown = tokenizer.token_to_id("[UNK]")

    def embed(texts):
        rows = np.zeros((len(texts), table.shape[1]), np.float32)
        for row, encoding in enumerate(tokenizer.encode_batch(texts, add_special_tokens=False)):
            known = [token for token in encoding.ids if token != unknown]
            if known:
                rows[row] = table[known].mean(axis=0)
        return rows

    return embed
