"""What the steps that only compute do to a table."""

from pathlib import Path

import numpy as np
import pytest

from evaluate_table import draw_pairs, embedder, seeded_random
from initial_table import shares, typical_length
from principal_axes import centred_projection, uncentred_axes
from reduce_table import reduce_table
from training_text import read_corpus
from wordpiece import is_reserved, load_tokenizer, read_vocabulary, token_ids

VOCABULARY = str(Path(__file__).parents[3] / "models/static-en/vocab.txt")


def flat_table(seed: int) -> np.ndarray:
    """40 rows of 8 columns that lie in 3 dimensions, beside an offset."""
    random = np.random.default_rng(seed)
    return random.standard_normal((40, 3)) @ random.standard_normal((3, 8)) + 5


def cosines(rows: np.ndarray) -> np.ndarray:
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit @ unit.T


def test_uncentred_axes_keep_every_cosine_that_they_have_room_for():
    table, every = flat_table(0), np.ones(40, bool)
    # Three dimensions and the offset: four axes hold everything.
    assert np.allclose(cosines(table @ uncentred_axes(table, every, 4)), cosines(table), atol=1e-9)
    assert not np.allclose(cosines(table @ uncentred_axes(table, every, 2)), cosines(table), atol=1e-3)


def test_a_centred_projection_has_no_offset_and_its_variances_take_the_power():
    table, every = flat_table(1), np.ones(40, bool)
    plain = centred_projection(table, every, 3, 0)
    assert np.allclose(plain.mean(0), 0)
    flattened = centred_projection(table, every, 3, -0.5)
    assert np.allclose(flattened.var(0, ddof=1), 1)


def test_reduced_tables_have_zeros_where_no_text_can_reach():
    table, reserved = flat_table(2), np.arange(40) < 5
    reduced = reduce_table(table, ~reserved, reserved, 3)
    assert reduced.shape == (40, 3)
    assert not reduced[:5].any() and reduced[5:].any(axis=1).all()


def test_shares_sum_to_one_and_none_is_zero():
    share = shares(np.array([0, 3, 97]))
    assert share.sum() == pytest.approx(1) and share.min() > 0
    assert typical_length(np.array([[3.0, 4.0], [0.0, 0.0]]), np.array([1.0, 0.0])) == 5


def test_only_control_tokens_are_reserved():
    entries = ["[PAD]", "[unused7]", "[", "]", "a", "##]"]
    assert [entry for entry in entries if is_reserved(entry)] == ["[PAD]", "[unused7]"]
    assert sum(map(is_reserved, read_vocabulary(VOCABULARY))) == 999


def test_texts_become_known_word_pieces():
    vocabulary, tokenizer = read_vocabulary(VOCABULARY), load_tokenizer(VOCABULARY)
    words = [[vocabulary[token] for token in ids] for ids in token_ids(tokenizer, ["Tokenizers, naïve!", "\u1234", ""])]
    assert words == [["token", "##izer", "##s", ",", "naive", "!"], [], []]


def test_a_text_without_known_tokens_has_no_vector():
    embed = embedder(np.ones((30522, 4), np.float32), load_tokenizer(VOCABULARY))
    assert embed(["\u1234", "word"]).tolist() == [[0] * 4, [0.5] * 4]


def test_draws_follow_from_the_seed():
    # The same three numbers come from `seededRandom(3)` in bench/evaluation/random.mjs.
    below = seeded_random(3)
    assert [below(1000) for _ in range(3)] == [720, 38, 456]
    utterances = [{"label": label, "text": f"{label}{i}"} for label in "abc" for i in range(4)]
    pairs = draw_pairs(utterances, 50, 3)
    assert pairs == draw_pairs(utterances, 50, 3) != draw_pairs(utterances, 50, 4)
    assert all((a[0] == b[0]) == same and a != b for a, b, same in pairs)


def test_a_line_with_another_number_of_columns_is_refused(tmp_path):
    path = tmp_path / "corpus.tsv"
    path.write_text("a\tfine\nb\ttoo\tmany\n")
    with pytest.raises(ValueError, match="line 2: expected 2 columns, received 3"):
        list(read_corpus(str(path)))
