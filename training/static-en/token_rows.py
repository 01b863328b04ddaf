"""Step 1: the teacher's vector for every vocabulary entry alone.

The one idea: one forward pass over `[CLS] entry [SEP]`, and the mean of the three hidden rows, which is the pooling that the
sentence model itself uses. Not normalised: the length carries information that step 3 weighs.

Inputs: the folder of all-MiniLM-L6-v2 (`config.json`, `model.safetensors`). Output: a .npy table, entries x 384, float32.
Cost: 30,522 short passes, about 40 CPU-seconds.
"""

import argparse

import numpy as np
import torch
from safetensors.torch import load_file
from transformers import BertConfig, BertModel

CLASSIFY, SEPARATE = 101, 102


def load_teacher(folder: str) -> BertModel:
    """The teacher's encoder, from float weights in a folder."""
    model = BertModel(BertConfig.from_pretrained(folder), add_pooling_layer=False)
    weights = {name.removeprefix("bert."): tensor for name, tensor in load_file(f"{folder}/model.safetensors").items()}
    missing = [name for name in model.load_state_dict(weights, strict=False).missing_keys if "position_ids" not in name]
    if missing:
        raise ValueError(f"{folder}: expected all encoder weights, missing {missing[:5]}")
    return model.eval()


def token_rows(model: BertModel, entries: int, batch: int) -> np.ndarray:
    """The mean hidden state of every entry id below `entries`."""
    table = np.zeros((entries, model.config.hidden_size), np.float32)
    with torch.no_grad():
        for start in range(0, entries, batch):
            ids = torch.arange(start, min(entries, start + batch))
            inputs = torch.stack([torch.full_like(ids, CLASSIFY), ids, torch.full_like(ids, SEPARATE)], 1)
            hidden = model(input_ids=inputs, attention_mask=torch.ones_like(inputs)).last_hidden_state
            table[start : start + len(ids)] = hidden.mean(1).numpy()
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("teacher", help="folder of all-MiniLM-L6-v2")
    parser.add_argument("output", help=".npy file to write")
    parser.add_argument("--entries", type=int, help="only the first so many entries (default: the whole vocabulary)")
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    model = load_teacher(arguments.teacher)
    table = token_rows(model, arguments.entries or model.config.vocab_size, arguments.batch)
    np.save(arguments.output, table)
    print(f"{arguments.output}: {table.shape[0]} rows x {table.shape[1]}")


if __name__ == "__main__":
    main()
