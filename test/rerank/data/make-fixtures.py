"""Makes the cross-encoder folders of the tests, and the scores they must give.

    pip install onnx==1.23.2 onnxruntime==1.32.0 tokenizers==0.23.3
    python make-fixtures.py TOKEN_CLASSIFIERS      # then commit what changed beside this file

TOKEN_CLASSIFIERS holds two small token classifiers with real tokenizers, `b-cased-bert-base-multilingual-cased` and
`c-xlm-roberta-large`. Each becomes a cross-encoder: part of the vocabulary, and the logits of the first token only.
The expected scores come from onnxruntime and tokenizers alone, every pair by itself, so that nothing is padded.
"""

import json
import math
import sys
from pathlib import Path

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer

HERE = Path(__file__).parent
# Brings logits of random weights to where the logistic function still tells them apart.
SCALE = 0.5


def main(sources: Path) -> None:
    bert, xlm_roberta = HERE / "bert", HERE / "xlm-roberta"
    keep = [*range(1000), *range(3000, 4500)]
    make_model(sources / "b-cased-bert-base-multilingual-cased", bert, keep, labels=1)
    quantize_dynamic(
        bert / "onnx/model.onnx",
        bert / "onnx/model_quantized.onnx",
        weight_type=QuantType.QInt8,
        extra_options={"DefaultTensorType": TensorProto.FLOAT},
    )
    make_model(sources / "c-xlm-roberta-large", xlm_roberta, list(range(2000)), labels=2)
    # An older layout: the graph beside the tokenizer.
    (xlm_roberta / "onnx/model.onnx").rename(xlm_roberta / "model.onnx")
    (xlm_roberta / "onnx").rmdir()
    make_wrong_graphs(HERE / "wrong")
    golden = {
        "bert": scores_of(bert, "onnx/model.onnx", lambda row: row[0]),
        "bert-quantized": scores_of(bert, "onnx/model_quantized.onnx", lambda row: row[0]),
        "xlm-roberta": scores_of(xlm_roberta, "model.onnx", lambda row: 1 / (1 + math.exp(row[0] - row[1]))),
    }
    (HERE / "golden.json").write_text(json.dumps(golden, indent=1) + "\n")


def make_model(source: Path, folder: Path, keep: list[int], labels: int) -> None:
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    tokenizer = json.loads((source / "tokenizer.json").read_text())
    vocabulary = tokenizer["model"]["vocab"]
    entries = list(vocabulary.items()) if isinstance(vocabulary, dict) else vocabulary
    if isinstance(vocabulary, dict):
        entries = sorted(entries, key=lambda entry: entry[1])
        tokenizer["model"]["vocab"] = {entries[old][0]: new for new, old in enumerate(keep)}
    else:
        tokenizer["model"]["vocab"] = [entries[old] for old in keep]
    tokenizer["added_tokens"] = [token for token in tokenizer["added_tokens"] if token["id"] < 5 and token["id"] < len(keep)]
    tokenizer["truncation"] = {**tokenizer["truncation"], "max_length": 96}
    write_json(folder / "tokenizer.json", tokenizer)

    config = json.loads((source / "config.json").read_text())
    config["architectures"] = [config["architectures"][0].replace("Token", "Sequence")]
    config["vocab_size"] = len(keep)
    if labels == 1:
        config["id2label"] = {"0": "LABEL_0"}
        config["label2id"] = {"LABEL_0": 0}
        config["sbert_ce_default_activation_function"] = "torch.nn.modules.linear.Identity"
    write_json(folder / "config.json", config)

    model = onnx.load(source / "onnx/model.onnx")
    for weights in model.graph.initializer:
        if weights.name.endswith("word_embeddings.weight"):
            weights.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(weights)[keep], weights.name))
    first_token_logits(model, labels)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, folder / "onnx/model.onnx")


def first_token_logits(model: onnx.ModelProto, labels: int) -> None:
    """[batch, tokens, 2] becomes [batch, labels]: the first token's, and of two labels the last."""
    graph = model.graph
    for node in graph.node:
        node.output[:] = ["token_logits" if name == "logits" else name for name in node.output]
    graph.initializer.extend(
        numpy_helper.from_array(numpy.array(value), name)
        for name, value in [
            ("first", numpy.int64(0)),
            ("from", numpy.array([2 - labels], numpy.int64)),
            ("to", numpy.array([2], numpy.int64)),
            ("axis", numpy.array([1], numpy.int64)),
            ("scale", numpy.float32(SCALE)),
        ]
    )
    graph.node.extend(
        [
            helper.make_node("Gather", ["token_logits", "first"], ["first_logits"], axis=1),
            helper.make_node("Slice", ["first_logits", "from", "to", "axis"], ["some_logits"]),
            helper.make_node("Mul", ["some_logits", "scale"], ["logits"]),
        ]
    )
    del graph.output[:]
    graph.output.append(helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch_size", labels]))


def make_wrong_graphs(folder: Path) -> None:
    """Graphs that onnxruntime takes and a cross-encoder must not, a line each."""
    folder.mkdir(exist_ok=True)
    ids, mask = "input_ids", "attention_mask"
    wide, real, half = TensorProto.INT64, TensorProto.FLOAT, TensorProto.FLOAT16
    narrow = TensorProto.INT32
    first = [("Slice", [ids, "zero", "one", "axis"], ["cut"])]
    as_real = [("Cast", ["cut"], ["logits"], {"to": real})]
    cases = {
        "no-input-ids": ([("pixels", wide)], [("Cast", ["pixels"], ["logits"], {"to": real})], ["logits"], real),
        "no-mask": ([(ids, wide)], first + as_real, ["logits"], real),
        "more-inputs": ([(ids, wide), (mask, wide), ("bbox", wide)], first + as_real, ["logits"], real),
        "narrow-ids": ([(ids, narrow), (mask, narrow)], first + as_real, ["logits"], real),
        "half-scores": ([(ids, wide), (mask, wide)], first + [("Cast", ["cut"], ["logits"], {"to": half})], ["logits"], half),
        "score-a-token": ([(ids, wide), (mask, wide)], [("Cast", [ids], ["logits"], {"to": real})], ["logits"], real),
        "unnamed-outputs": (
            [(ids, wide), (mask, wide)],
            first + [("Cast", ["cut"], ["a"], {"to": real}), ("Cast", ["cut"], ["b"], {"to": real})],
            ["a", "b"],
            real,
        ),
        "not-finite": (
            [(ids, wide), (mask, wide)],
            first + [("Cast", ["cut"], ["real"], {"to": real}), ("Sub", ["real", "real"], ["nil"]), ("Div", ["real", "nil"], ["logits"])],
            ["logits"],
            real,
        ),
        "fails-in-a-run": (
            [(ids, wide), (mask, wide)],
            first + [("Gather", ["real_table", "cut"], ["wide"], {"axis": 0}), ("Identity", ["wide"], ["logits"])],
            ["logits"],
            real,
        ),
    }
    for name, (inputs, nodes, outputs, kind) in cases.items():
        graph = helper.make_graph(
            [helper.make_node(node[0], node[1], node[2], **(node[3] if len(node) > 3 else {})) for node in nodes],
            name,
            [helper.make_tensor_value_info(one, of, ["batch", "tokens"]) for one, of in inputs],
            [helper.make_tensor_value_info(one, kind, None) for one in outputs],
            [
                helper.make_tensor("zero", wide, [1], [0]),
                helper.make_tensor("one", wide, [1], [1]),
                helper.make_tensor("axis", wide, [1], [1]),
                helper.make_tensor("real_table", real, [1], [0.5]),
            ],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.save(model, folder / f"{name}.onnx")


def cases() -> list[dict]:
    texts = {
        "an answer": "To stop the pump, press the red button and wait for the end of the cycle.",
        "another subject": "The first kings of the island were born in the north.",
        "empty": "",
        "white space": " \t\n  ",
        "one word": "pump",
        "numbers": "v1.2.3 costs 4,500.00 EUR (2024-01-31)",
        "accents and case": "LE CAFÉ est fermé; Straße, Ångström, ﬁne",
        "scripts": "水泵 停止 насос остановить מַשְׁאֵבָה 펌프 ポンプ مضخة",
        "emoji and joiners": "stop 🛑 👩‍👩‍👧 a\u200db \ufeffc",
        "NUL and controls": "a\u0000b\u0001c\u007fd",
        "a lone surrogate, as U+FFFD": "a\ufffdb",
        "special tokens in the text": "press [SEP] the </s> red <mask> [MASK] button",
        "long": "the red button of the pump stops the cycle " * 60,
        "very long": "water pressure in the main line is measured every hour ; " * 3000,
        "long without a blank": "x" * 20000,
    }
    queries = {
        "a question": "How do I stop the pump?",
        "an empty query": "",
        "a long query": "how do I stop the pump when the red button is broken and " * 40,
    }
    several = [("a question", name, 96) for name in texts]
    several += [("an empty query", name, 96) for name in ("an answer", "empty", "long")]
    several += [("a long query", name, 96) for name in ("an answer", "empty", "long")]
    several += [("a question", "an answer", most) for most in (8, 12, 16, 20, 21, 64)]
    several += [("a long query", "long", most) for most in (7, 13, 256, 512)]
    return [{"query": queries[q], "text": texts[t], "maxTokens": m, "title": f"{q}, {t}, {m}"} for q, t, m in several]


def scores_of(folder: Path, graph: str, score) -> list[dict]:
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    session = onnxruntime.InferenceSession(folder / graph, providers=["CPUExecutionProvider"])
    names = [one.name for one in session.get_inputs()]
    found = []
    for case in cases():
        tokenizer.enable_truncation(case["maxTokens"], strategy="longest_first")
        pair = tokenizer.encode(case["query"], case["text"])
        given = {"input_ids": pair.ids, "attention_mask": [1] * len(pair.ids), "token_type_ids": pair.type_ids}
        feed = {name: numpy.array([given[name]], numpy.int64) for name in names}
        (logits,) = session.run(["logits"], feed)
        found.append({**shortened(case), "tokens": len(pair.ids), "score": float(score(logits[0].astype(float)))})
    return found


def shortened(case: dict) -> dict:
    """Repeated text as its part and the number of times."""
    return {key: repeated(value) if isinstance(value, str) and key != "title" else value for key, value in case.items()}


def repeated(text: str):
    for length in range(1, 70):
        part = text[:length]
        if len(text) > 1000 and len(text) % length == 0 and part * (len(text) // length) == text:
            return {"part": part, "times": len(text) // length}
    return text


def write_json(path: Path, value: dict) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
