"""Questions about three to five facts: the answer is a span of the text, or there is none.

A text is the question and then the facts: "Where is Anna? Ben has a red hat. Anna is in the garden." -> "in the
garden". `question_answering_facts` has the kinds of fact and the questions to each. No two facts of a text answer the
same question.
"""

from __future__ import annotations

import random as random_module
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch

from viz_model.tasks.question_answering_facts import (
    KINDS,
    NAMES,
    THINGS,
    Fact,
    place_asked,
    read_fact,
    sentences_of,
    vocabulary,
)
from viz_model.tasks.task import Batch, Expected, ModelKind
from viz_model.tasks.typed import N_TRAINING, Rows, TypedTask, spell, split
from viz_model.tokenizer import Specials, Tokenizer

MOST_FACTS, FEWEST_FACTS = 5, 3
UNANSWERED = 0.2  # share of questions without an answer


@dataclass(frozen=True, slots=True)
class Question:
    """A text that begins with a question. Places count words from 0; all None where the text has no answer."""

    words: tuple[str, ...]
    first: int | None  # of the answer
    last: int | None  # of the answer, itself included
    subject: int | None  # what the question is about, in the fact that answers
    asked: int  # the same, in the question

    @property
    def answer(self) -> str | None:
        """The words of the answer."""
        if self.first is None or self.last is None:
            return None
        return spell(self.words[self.first : self.last + 1])


def answer(text: str) -> Question | None:
    """A typed text with its right answer; None for a text that is not a question and facts of this task."""
    words = sentences_of(split(text))
    if words is None or len(words) < 2:
        return None
    facts = [read_fact(sentence) for sentence in words[1:]]
    known = [fact for fact in facts if fact is not None]
    if len(known) < len(facts) or place_asked(words[0]) is None:
        return None
    return _ask(known, tuple(words[0]))


def clean(text: str) -> str:
    """A typed text as the model knows it: question and facts begin with a capital, and a mark ends each."""
    sentences = sentences_of(split(text)) or []
    return " ".join(spell(sentence) for sentence in sentences)


class QuestionAnswering(TypedTask[Question]):
    """[CLS] question facts [SEP]; the model points at the first and the last word of the answer, or twice at [CLS]."""

    name: ClassVar[str] = "question-answering"
    title: ClassVar[str] = "Question answering"
    about: ClassVar[str] = "Find the answer to a question in a few facts, or say that they do not hold it."
    metric: ClassVar[str] = "answers right from first to last word"
    kind: ClassVar[ModelKind] = "span"
    watched: ClassVar[str] = "Where is Anna? Ben has a red hat. Anna is in the garden. The key is under the table."

    def __init__(self, n_training: int = N_TRAINING) -> None:
        super().__init__(n_training)
        self.tokenizer = Tokenizer.from_words(vocabulary(), Specials.masked())

    def draw(self, random: random_module.Random) -> Question:
        facts: list[Fact] = []
        taken: set[tuple[str, ...]] = set()
        n = random.randint(FEWEST_FACTS, MOST_FACTS)
        unanswered = random.random() < UNANSWERED
        # Few kinds of fact in one text: with one fact of a kind the kind of question alone would tell the answer.
        kinds = random.sample(KINDS, random.choice((1, 2, 3)))
        people, things = random.sample(NAMES, MOST_FACTS + 2), random.sample(THINGS, MOST_FACTS + 2)
        while len(facts) < n + unanswered:
            fact = random.choice(kinds)(random, people, things)
            questions = {words for words, _, _ in fact.questions}
            if not questions & taken:
                taken |= questions
                facts.append(fact)
        # What is asked without an answer is about a fact that was left out: its people and things are still there.
        words, _, _ = random.choice(facts[-1].questions)
        told = facts[:-1] if unanswered else facts
        found = _ask(random.sample(told, len(told)), words)
        assert found is not None  # no two facts answer the same question
        return found

    def text(self, example: Question) -> str:
        return spell(example.words)

    def read(self, text: str) -> Question | None:
        return answer(text)

    def rows(self, examples: Sequence[Question]) -> Rows:
        ids, present = self.framed([one.words for one in examples])
        spans = [(0, 0) if one.first is None or one.last is None else (one.first + 1, one.last + 1) for one in examples]
        return Rows(ids, present, torch.ones(len(ids), 2, dtype=torch.bool), torch.tensor(spans), points=True)

    def expected(self, batch: Batch) -> tuple[Expected, ...]:
        """The pointer compares [CLS] with each word of the answer: [CLS] has to know what is asked about, and a word of
        an answer what it is said of."""
        keys = torch.zeros(2, *batch.ids.shape, batch.ids.shape[1], dtype=torch.bool)
        for row, words in enumerate(self.words(batch)):
            found = answer(spell(words))
            if found is None:
                continue
            keys[0, row, 0, 1 + found.asked] = True
            if found.first is not None and found.last is not None and found.subject is not None:
                keys[1, row, 1 + found.first : 2 + found.last, 1 + found.subject] = True
        return Expected("what is asked about", keys[0]), Expected("what the answer is said of", keys[1])

    def figures(self, model: Any) -> dict[str, float]:
        examples = self.held_out_examples
        groups: dict[str, Sequence[Question]] = {
            self.metric: examples,
            "questions with an answer, answered right": [one for one in examples if one.first is not None],
            "questions without an answer, found to have none": [one for one in examples if one.first is None],
        }
        return self.shares_right(model, groups)


def _ask(facts: Sequence[Fact], question: tuple[str, ...]) -> Question | None:
    """Facts and a question as one text, with the answer; None where two facts answer differently."""
    found: list[tuple[int, int, int]] = []
    words = list(question)
    for fact in facts:
        for asked, (first, last), subject in fact.questions:
            if asked == question:
                found.append((len(words) + first, len(words) + last, len(words) + subject))
        words += fact.words
    about = place_asked(question)
    if about is None or len(found) > 1:
        return None
    whole = tuple(words)
    return Question(whole, *found[0], about) if found else Question(whole, None, None, None, about)
