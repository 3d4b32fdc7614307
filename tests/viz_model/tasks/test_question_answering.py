"""Question answering: typed texts by hand, a second reader by regular expressions, the two pointers."""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import count

import pytest
import torch
from torch import Tensor

from viz_model.tasks.question_answering import Question, QuestionAnswering, answer, clean
from viz_model.tasks.typed import spell

FACTS = "Ben has a red hat. Anna is in the garden. The key is under the table. Emma likes soup. The lamp is blue."
BY_HAND = {
    f"Where is Anna? {FACTS}": "in the garden",
    f"Where is the key? {FACTS}": "under the table",
    f"What does Ben have? {FACTS}": "a red hat",
    f"Who has a hat? {FACTS}": "Ben",
    f"What colour is the hat? {FACTS}": "red",
    f"What colour is the lamp? {FACTS}": "blue",
    f"Who likes soup? {FACTS}": "Emma",
    f"What does Emma like? {FACTS}": "soup",
    f"Where is Ben? {FACTS}": None,
    f"What does Anna have? {FACTS}": None,
    f"What does Ben like? {FACTS}": None,
    f"What colour is the key? {FACTS}": None,
    f"Who has a lamp? {FACTS}": None,
    f"Where is the ball? {FACTS}": None,
    "where is anna? anna is in the park": "in the park",
    "Who has an umbrella? Kate has an orange umbrella.": "Kate",
}
NOT_READ = (
    "",
    "Where is Anna?",  # no fact
    "Anna is in the garden.",  # no question
    "Why is Anna in the garden? Anna is in the garden.",
    "Where is Anna? Anna went home.",
    "Where is Anna? Anna is in the garden. Anna is in the park.",  # two answers
    "Where is Zoe? Anna is in the garden.",
    "Anna is in the garden. Where is Anna?",  # the question comes first
    "? .",
)


@pytest.mark.parametrize("text", BY_HAND)
def test_typed_questions_have_their_answer(text: str) -> None:
    found = answer(text)
    assert found is not None
    assert found.answer == BY_HAND[text]
    assert spell(found.words) == clean(text)


@pytest.mark.parametrize("text", NOT_READ)
def test_other_texts_are_not_read(text: str) -> None:
    assert answer(text) is None


def test_a_typed_text_is_cleaned() -> None:
    assert clean("where is anna ? BEN has a red hat . anna is in the park") == (
        "Where is Anna? Ben has a red hat. Anna is in the park."
    )


FORMS = (
    (r"Where is the (\w+)\?", r"The {} is ((?:on|under|behind|beside) the \w+)\."),
    (r"Where is (\w+)\?", r"{} is (in the \w+)\."),
    (r"What does (\w+) have\?", r"{} has (an? \w+ \w+)\."),
    (r"Who has an? (\w+)\?", r"(\w+) has an? \w+ {}\."),
    (r"What colour is the (\w+)\?", r"The {0} is (\w+)\.|has an? (\w+) {0}\."),
    (r"What does (\w+) like\?", r"{} likes (\w+)\."),
    (r"Who likes (\w+)\?", r"(\w+) likes {}\."),
)


def second_reader(text: str) -> str | None:
    """The answer by one pattern for each form of question."""
    asked, facts = re.match(r"([^?]*\?) (.*)", text).groups()  # type: ignore[union-attr]
    for form, fact in FORMS:
        if about := re.fullmatch(form, asked):
            found = ["".join(groups) for groups in re.findall(f"(?:{fact.format(about[1])})()", facts)]
            assert len(found) <= 1
            return found[0] if found else None
    raise AssertionError(asked)


@pytest.fixture(scope="module")
def drawn() -> list[Question]:
    task, source = QuestionAnswering(100), random.Random(5)
    return [task.draw(source) for _ in range(3_000)]


def test_a_second_reader_agrees(drawn: list[Question]) -> None:
    for one in drawn:
        assert one.answer == second_reader(spell(one.words))
        assert answer(spell(one.words)) == one


def test_texts_have_three_to_five_facts_and_some_have_no_answer(drawn: list[Question]) -> None:
    assert Counter(one.words.count(".") for one in drawn).keys() == {3, 4, 5}
    without = [one for one in drawn if one.answer is None]
    assert 0.17 < len(without) / len(drawn) < 0.23


def test_the_kind_of_question_does_not_tell_whether_there_is_an_answer(drawn: list[Question]) -> None:
    kinds: dict[str, list[bool]] = {}
    for one in drawn:
        asked = spell(one.words).split("?")[0]
        kinds.setdefault(next(form for form, _ in FORMS if re.fullmatch(form, asked + "?")), []).append(
            one.answer is None
        )
    assert len(kinds) == len(FORMS)
    for missing in kinds.values():
        assert len(missing) > 100
        assert 0.1 < sum(missing) / len(missing) < 0.35
    # And often the text has facts of the asked kind about others: finding the kind is not finding the answer.
    others = [
        one
        for one in drawn
        if one.answer is not None and one.words[:2] == ("Where", "is") and spell(one.words).count(" is ") > 2
    ]
    assert len(others) > 0.3 * sum(one.answer is not None and one.words[:2] == ("Where", "is") for one in drawn)


def test_where_the_answer_stands_tells_nothing(drawn: list[Question]) -> None:
    for n in (3, 4, 5):
        facts = Counter(
            one.words[: one.first].count(".") for one in drawn if one.first is not None and one.words.count(".") == n
        )
        assert max(facts.values()) < 1.5 * min(facts[place] for place in range(n))


def test_the_answer_is_a_span_or_twice_cls() -> None:
    task = QuestionAnswering(500)
    batch = task.batch(100, torch.Generator().manual_seed(1))
    assert batch.asked.shape == (100, 2)
    assert batch.asked.all()
    for ids, (first, last), words in zip(
        batch.ids.tolist(), batch.answers.view(100, 2).tolist(), task.words(batch), strict=True
    ):
        right = second_reader(spell(words))
        if right is None:
            assert first == last == 0
            assert task.tokenizer.token(ids[0]) == "[CLS]"
        else:
            assert spell([task.tokenizer.token(i) for i in ids[first : last + 1]]) == right


def test_expected_keys_are_what_is_asked_about() -> None:
    task = QuestionAnswering(100)
    read = [answer(f"{question}? {FACTS}") for question in ("Where is Anna", "Where is Ben", "Who has a hat")]
    batch = task.encode([one for one in read if one is not None])
    asked, said_of = task.expected(batch)
    tokens = [[task.tokenizer.token(i) for i in line] for line in batch.ids.tolist()]
    found = [[(tokens[row][q], tokens[row][k]) for q, k in asked.keys[row].nonzero().tolist()] for row in range(3)]
    assert found == [[("[CLS]", "Anna")], [("[CLS]", "Ben")], [("[CLS]", "hat")]]
    found = [[(tokens[row][q], tokens[row][k]) for q, k in said_of.keys[row].nonzero().tolist()] for row in range(3)]
    assert found == [[(word, "Anna") for word in ("in", "the", "garden")], [], [("Ben", "hat")]]
    # The key lies in the question for [CLS], in the fact for the answer.
    assert asked.keys[0].nonzero()[0, 1] == 3
    assert (said_of.keys[0].nonzero()[:, 1] > 5).all()


class Reader:
    """Points by the second reader; always at [CLS] where `shy`."""

    def __init__(self, task: QuestionAnswering, *, shy: bool = False) -> None:
        self.task, self.shy = task, shy

    def logits(self, ids: Tensor, mask: Tensor) -> Tensor:
        found = torch.zeros(len(ids), 2, ids.shape[1])
        for row, line in enumerate(ids.tolist()):
            words = [self.task.tokenizer.token(i) for i in line if i >= 5]
            right = second_reader(spell(words))
            span = (0, 0)
            if right is not None and not self.shy:
                parts = right.split()
                facts = words.index("?") + 1
                start = next(i for i in count(facts) if words[i : i + len(parts)] == parts and said(words, i, parts))
                span = (start + 1, start + len(parts))
            found[row, [0, 1], list(span)] = 1
        return found


def said(words: list[str], start: int, parts: list[str]) -> bool:
    """Whether the fact around `start` alone answers, of several places with the same words."""
    begin = max(i + 1 for i, word in enumerate(words[:start]) if word in ".?")
    end = words.index(".", start)
    question = words[: words.index("?") + 1]
    return second_reader(spell([*question, *words[begin : end + 1]])) == " ".join(parts)


def test_the_figures_count_what_their_names_say() -> None:
    task = QuestionAnswering(100)
    assert set(task.figures(Reader(task)).values()) == {1.0}
    whole, answered, unanswered = task.figures(Reader(task, shy=True)).values()
    assert (answered, unanswered) == (0.0, 1.0)
    assert whole == pytest.approx(sum(one.answer is None for one in task.held_out_examples) / 1_000)
