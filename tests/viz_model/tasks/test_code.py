"""Code as a task: whole files on either side, answers by hand, brackets by a second reader."""

from __future__ import annotations

import math
import random
import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from viz_model.checkpoint import read_card
from viz_model.tasks.code import ALPHABET, HELD_OUT, TRAINING, WATCHED, WINDOW, Code, bracket_pairs, plain_text
from viz_model.tasks.n_gram import n_gram_bits
from viz_model.tasks.names import make_task
from viz_model.tasks.text_sources import python_files

LEARNED = "def f(x):\n\treturn [x, (x)]\r\n" * 8
HIDDEN = "class A:\n    pass  # é\n\f" * 12


@pytest.fixture(scope="module")
def small() -> Code:
    return Code({"os": LEARNED, "bisect": HIDDEN, "never listed": "z" * 999}, window=16)


def test_no_file_is_on_both_sides() -> None:
    assert not set(TRAINING) & set(HELD_OUT)
    assert len(set(TRAINING)) == len(TRAINING) > 100
    assert len(set(HELD_OUT)) == len(HELD_OUT) >= 10


def test_whole_files_train_and_whole_files_are_held_out(small: Code) -> None:
    assert small.text[: small.cut] == "def f(x):\n        return [x, (x)]\n" * 8
    assert small.text[small.cut :] == "class A:\n    pass  # é\n" * 12
    assert "z" not in small.text
    assert small.held_out_text == small.text[small.cut :][: 23 * 12 // 16 * 16]


def test_the_alphabet_is_the_same_whatever_is_read(small: Code) -> None:
    assert small.tokenizer == Code({"os": "q" * 99, "csv": "w" * 99}, window=16).tokenizer
    assert {small.tokenizer.id(char) for char in ALPHABET} == set(range(4, 4 + len(ALPHABET)))
    assert small.tokenizer.vocab_size == 100
    ids = small.tokenizer.encode("é", add_special=False).ids
    assert ids == (small.tokenizer.special_ids.unknown,)


@given(st.text(st.sampled_from(ALPHABET + "é猫\t\x7f"), min_size=20))
def test_the_quick_way_to_ids_is_the_tokenizers_own(text: str) -> None:
    task = Code({"os": text, "csv": "x" * 20}, window=8)
    assert task.training.tolist() == list(task.tokenizer.encode(plain_text(text), add_special=False).ids)


def test_each_position_is_asked_the_next_character(small: Code) -> None:
    batch = small.batch(4, torch.Generator().manual_seed(0))
    assert batch.ids.shape == batch.asked.shape == (4, 16)
    whole = small.text[: small.cut]
    for ids, answers in zip(batch.ids.tolist(), batch.answers.view(4, 16).tolist(), strict=True):
        assert small.tokenizer.token(ids[0]) == "[BOS]"
        assert small.tokenizer.decode(ids[1:]) == small.tokenizer.decode(answers[:-1])
        assert small.tokenizer.decode(answers) in whole


def test_held_out_windows_are_of_held_out_files(small: Code) -> None:
    asked = small.held_out().answers.view(-1, 16)
    known = [i for i in asked.flatten().tolist() if i != small.tokenizer.special_ids.unknown]
    assert set(small.tokenizer.decode(known)) <= set("class A:\npass  # ")
    assert not small.held_out().ids.eq(small.tokenizer.id("(")).any()


def test_the_figures_are_bits_a_character_beside_those_of_five_grams(small: Code) -> None:
    class Even:
        """A model that finds everything equally likely."""

        def logits(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            return torch.zeros(*ids.shape, small.tokenizer.vocab_size)

    figures = small.figures(Even())
    assert figures["bits a character"] == pytest.approx(math.log2(100), rel=1e-5)
    five = n_gram_bits(small.text[: small.cut], small.held_out_text)
    assert figures["bits a character of a 5-gram model"] == pytest.approx(five)


def test_too_little_is_one_sentence() -> None:
    with pytest.raises(ValueError, match=r"^code: expected more than 128 characters to hold out, got 2\.$"):
        Code({"os": "x" * 200, "csv": "x"})
    with pytest.raises(ValueError, match=r"^code: expected more than 128 characters to learn from, got 0\.$"):
        Code({"csv": "x" * 200})


def test_brackets_by_hand() -> None:
    assert bracket_pairs("a(b[c]d)e") == [(5, 3), (7, 1)]
    assert bracket_pairs("(]") == bracket_pairs(")") == bracket_pairs("((") == []


def test_brackets_by_taking_pairs_out_of_well_formed_text() -> None:
    source = random.Random(3)
    for _ in range(50):
        text = "x"
        for _ in range(8):
            at = source.randrange(len(text) + 1)
            text = text[:at] + source.choice(["()", "[]", "{}"]) + text[at:]
        found = set()
        rest = text
        while hit := re.search(r"\([^()\[\]{}]*\)|\[[^()\[\]{}]*\]|\{[^()\[\]{}]*\}", rest):
            found.add((hit.end() - 1, hit.start()))
            rest = rest[: hit.start()] + "." + rest[hit.start() + 1 : hit.end() - 1] + "." + rest[hit.end() :]
        assert set(bracket_pairs(text)) == found


def test_the_right_attention_of_brackets_and_lines(small: Code) -> None:
    _, batch = small.probe()
    brackets, lines = small.expected(batch)
    shown = ["", *WATCHED][: batch.ids.shape[1]]
    pairs = {tuple(pair) for pair in brackets.keys[0].nonzero().tolist()}
    assert {(shown[query], shown[key]) for query, key in pairs} == {(")", "(")}
    one = small.ask(torch.tensor([small.tokenizer.encode("a\nbc\nd\ne", add_special=False).ids]), None)
    assert small.expected(one)[1].keys[0].nonzero().tolist() == [[5, 2], [7, 5]]
    assert lines.keys.sum() == 0


def test_the_folder_says_what_was_read(small: Code) -> None:
    told = small.made_from().splitlines()
    assert "trained on: 1 files, 272 characters" in told
    assert "held out: 1 files, 276 characters" in told
    assert any(line.startswith("  bisect.py  276  ") for line in told)
    other = Code({"os": LEARNED, "bisect": HIDDEN + "#"}, window=16).made_from().splitlines()
    assert other[-1] != told[-1]


def test_this_pythons_library_is_enough() -> None:
    task = make_task("code")
    assert isinstance(task, Code)
    assert task.cut > 1_000_000
    assert len(task.text) - task.cut > 50_000
    assert set(task.files) <= {*TRAINING, *HELD_OUT}
    batch = task.batch(2, torch.Generator().manual_seed(1))
    assert batch.ids.shape == (2, WINDOW)
    probe, _ = task.probe()
    assert task.tokenizer.encode(probe.text).tokens == probe.tokens
    text = python_files(["bisect"])["bisect"]
    assert plain_text(text) in task.text[task.cut :]


def test_what_ships_beats_five_grams_on_files_that_it_never_saw() -> None:
    figures = read_card("code").figures
    assert figures["bits a character"] < figures["bits a character of a 5-gram model"] < 3
