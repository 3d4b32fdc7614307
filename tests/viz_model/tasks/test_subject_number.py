"""One or several: labels by hand, no verb tells them, and nothing comes twice."""

from __future__ import annotations

import re

import pytest

from viz_model.tasks import english
from viz_model.tasks.language import MaskedWords
from viz_model.tasks.subject_number import LABELS, NUMBERS, as_batch, examples, labelled, plain

BY_HAND = {
    "The keys to the cabinet will be old": ("keys", "several"),
    "The brown rabbits slept on a sofa .": ("rabbits", "several"),
    "The bird near these beautiful rivers ran .": ("bird", "one"),
    "The children wrote the book": ("children", "several"),
    "The committee near many shops never visited a child": ("committee", "one"),
}
NOT_ASKED = {
    "The keys to the cabinet are old": "the verb tells",
    "The cat slept on the mat": "no noun of the other number",
    "She saw the dogs": "no noun",
    "The cat and the dogs slept": "two",
}


@pytest.mark.parametrize("text", BY_HAND)
def test_by_hand(text: str) -> None:
    sentence = english.parse(text.split())
    assert sentence is not None
    found = labelled(sentence)
    assert found is not None
    assert (found.words[found.subject], LABELS[found.label]) == BY_HAND[text]


@pytest.mark.parametrize("text", NOT_ASKED)
def test_what_is_not_asked(text: str) -> None:
    sentence = english.parse(text.split())
    assert sentence is not None
    assert labelled(sentence) is None


def test_numbers_of_nouns() -> None:
    pairs = {"key": 0, "keys": 1, "mouse": 0, "mice": 1, "library": 0, "libraries": 1, "child": 0, "children": 1}
    assert {word: NUMBERS[word] for word in pairs} == pairs
    assert sum(NUMBERS.values()) * 2 == len(NUMBERS)


def test_examples_are_balanced_new_and_the_same_for_a_seed() -> None:
    seen = english.corpus(3000, 77)
    found = examples(60, seed=5, seen=seen)
    assert [str(one) for one in found] == [str(one) for one in examples(60, seed=5, seen=seen)]
    assert [str(one) for one in found] != [str(one) for one in examples(60, seed=6, seen=seen)]
    assert sum(one.label for one in found) == 30
    cores = [plain(one.words) for one in found]
    assert len(set(cores)) == 60
    assert not set(cores) & {plain(sentence.words) for sentence in seen}
    told = re.compile(r"\b(is|are|was|were|does|do|has|have|this|sees)\b(?= )")
    verbs = {one.words[one.subject + 1] for one in found}
    assert not any(told.fullmatch(verb) for verb in verbs)


def test_a_batch_asks_at_the_begin_token() -> None:
    tokenizer = MaskedWords(1).tokenizer
    found = examples(6, seed=5)
    batch = as_batch(found, tokenizer)
    assert batch.asked.nonzero().tolist() == [[row, 0] for row in range(6)]
    assert batch.answers.tolist() == [one.label for one in found]
    for ids, present, one in zip(batch.ids, batch.present, found, strict=True):
        read = [tokenizer.token(i) for i in ids[present].tolist()]
        assert read == ["[CLS]", *one.words, "[SEP]"]
