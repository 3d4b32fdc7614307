"""Sentiment: typed sentences by hand, a second labeller by regular expressions, and what the figures count."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest
import torch
from torch import Tensor

from viz_model.tasks import sentiment_lexicon as lexicon
from viz_model.tasks.sentiment import Judgement, Sentiment, clean, judge
from viz_model.tasks.sentiment_clauses import write
from viz_model.tasks.typed import spell

GOOD, BAD = "positive", "negative"
BY_HAND = {
    "the film was good": (GOOD, "good", ""),
    "The film was not good.": (BAD, "not good", "good:not"),
    "the film wasn't bad": (GOOD, "wasn bad", "bad:wasn"),
    "the film wasn’t bad": (GOOD, "wasn bad", "bad:wasn"),
    "the plot was dull but I loved the acting": (GOOD, "loved", ""),
    "I loved the acting, but the plot was dull": (BAD, "dull", ""),
    "I did not hate it, but the ending was never really convincing.": (BAD, "never convincing", "convincing:never"),
    "although the music was lovely, nobody liked the show": (BAD, "nobody liked", "liked:nobody"),
    "I enjoyed the meal though the service was slow": (GOOD, "enjoyed", ""),
    "Despite the boring script, I enjoyed it.": (GOOD, "enjoyed", ""),
    "the food was excellent despite the terrible service": (GOOD, "excellent", ""),
    "The story was weak. However, the cast was superb.": (GOOD, "superb", ""),
    "I saw it yesterday and it was far from boring": (GOOD, "far boring", "boring:far"),
    "the book had no charm and the ending was silly": (BAD, "no charm silly", "charm:no"),
    "the hotel was not at all clumsy": (GOOD, "not clumsy", "clumsy:not"),
    "THE FILM WAS GREAT": (GOOD, "great", ""),
}
NOT_READ = (
    "",
    "the film was purple",  # a word outside the vocabulary
    "I saw it yesterday",  # no feeling
    "the film was good and the plot was dull",  # clauses that disagree
    "nobody did not like it",  # two negations
    "the film was not",  # a negation of nothing
    "although the film was good",  # all of it set aside
    "the good film was bad",
    "it was not good bad",
)


@pytest.mark.parametrize("text", BY_HAND)
def test_typed_sentences_are_judged_as_a_person_would(text: str) -> None:
    label, deciding, turned = BY_HAND[text]
    found = judge(text)
    assert found is not None
    assert spell(found.words) == clean(text)
    lower = [word.lower() for word in found.words]
    assert found.label == label
    assert [lower[place] for place in found.deciding] == deciding.split()
    assert " ".join(f"{lower[a]}:{lower[b]}" for a, b in found.turned) == turned


@pytest.mark.parametrize("text", NOT_READ)
def test_what_the_rules_do_not_decide_is_left_open(text: str) -> None:
    assert judge(text) is None


def test_a_typed_text_is_cleaned() -> None:
    assert clean("THE FILM was Good but i wasn’t There .") == "the film was good but I wasn't there."
    assert clean("the purple Film") == "the purple film"


def second_labeller(text: str) -> str:
    """The same rules by text surgery: cut away what does not decide, then one clause after another."""
    text = text.lower()
    text = re.split(r"\bbut\b|\byet\b|\bhowever\b", text)[-1]
    text = re.sub(r"\b(although|though|while|despite)\b[^,.]*", " ", text)
    said = set()
    for clause in re.split(r"[,.]|\band\b", text):
        felt = re.findall(rf"\b({'|'.join(lexicon.SIGNS)})\b", clause)
        if felt:
            turned = re.search(r"\bnot\b|n't|\bnever\b|\bhardly\b|nobody|\bno\b|lacked|without|far from", clause)
            said.add((lexicon.SIGNS[felt[0]] > 0) != bool(turned))
    (pleased,) = said
    return GOOD if pleased else BAD


@pytest.fixture(scope="module")
def drawn() -> list[Judgement]:
    task, source = Sentiment(100), random.Random(5)
    return [task.draw(source) for _ in range(6_000)]


def test_a_second_labeller_agrees(drawn: list[Judgement]) -> None:
    for one in drawn:
        assert second_labeller(spell(one.words)) == one.label


def test_texts_are_written_to_have_their_label() -> None:
    source = random.Random(9)
    for _ in range(2_000):
        words, label = write(source)
        found = judge(spell(words))
        assert found is not None
        assert (found.label, list(found.words)) == (label, words)


def test_no_shortcut_tells_the_label(drawn: list[Judgement]) -> None:
    """Both labels are as frequent, with a negation, with a contrast, and beside any connective."""
    assert 0.47 < share(drawn) < 0.53
    turned = [one for one in drawn if one.turned]
    contrast = [one for one in drawn if one.contrast]
    assert 0.25 < len(turned) / len(drawn) < 0.5
    assert 0.4 < len(contrast) / len(drawn) < 0.7
    assert 0.46 < share(turned) < 0.54
    assert 0.46 < share(contrast) < 0.54
    for word in ("not", "but", "never", "t", "although", "I", "the", "film", "nobody", "no"):
        with_it = [one for one in drawn if word in one.words]
        assert len(with_it) > 30
        assert abs(share(with_it) - 0.5) < 2.5 / len(with_it) ** 0.5
    # A model that reads no negation and no contrast fails: the first word of feeling is right in well under 9 of 10.
    naive = [lexicon.SIGNS[next(w for w in low(one) if w in lexicon.SIGNS)] > 0 for one in drawn]
    assert sum(guess == (one.label == GOOD) for guess, one in zip(naive, drawn, strict=True)) / len(drawn) < 0.7


def low(one: Judgement) -> list[str]:
    return [word.lower() for word in one.words]


def share(texts: list[Judgement]) -> float:
    return sum(one.label == GOOD for one in texts) / len(texts)


def test_every_word_of_feeling_comes_with_and_without_a_negation(drawn: list[Judgement]) -> None:
    """Else its form alone would tell the label: 'I love it' must not look like the rest of 'I do not love it'."""
    turned = Counter(low(one)[word] for one in drawn for word, _ in one.turned)
    every = Counter(low(one)[place] for one in drawn for place in one.deciding)
    for word in lexicon.SIGNS:
        assert 0 < turned[word] < every[word], word


def test_the_vocabulary_is_a_few_hundred_words_and_has_the_labels() -> None:
    task = Sentiment(100)
    assert 200 < task.tokenizer.vocab_size < 500
    assert len(set(lexicon.vocabulary())) == len(lexicon.vocabulary())
    assert not set(lexicon.PLEASED) & set(lexicon.DISPLEASED)
    assert not lexicon.NEGATIONS & lexicon.SIGNS.keys()


def test_the_label_is_asked_at_cls_and_nowhere_else() -> None:
    task = Sentiment(200)
    batch = task.batch(32, torch.Generator().manual_seed(1))
    assert (batch.ids[:, 0] == task.tokenizer.special_ids.begin).all()
    assert batch.asked[:, 0].all()
    assert not batch.asked[:, 1:].any()
    answers = [task.tokenizer.token(i) for i in batch.answers.tolist()]
    assert answers == [second_labeller(spell(words)) for words in task.words(batch)]


def test_expected_keys_are_the_words_that_decide() -> None:
    task = Sentiment(100)
    texts = list(BY_HAND)
    read = [judge(text) for text in texts]
    batch = task.encode([one for one in read if one is not None])
    deciding, negation = task.expected(batch)
    for row, text in enumerate(texts):
        tokens = [task.tokenizer.token(i).lower() for i in batch.ids[row].tolist()]
        assert [tokens[key] for key in deciding.keys[row, 0].nonzero().flatten().tolist()] == BY_HAND[text][1].split()
        assert not deciding.keys[row, 1:].any()
        links = [f"{tokens[query]}:{tokens[key]}" for query, key in negation.keys[row].nonzero().tolist()]
        assert " ".join(links) == BY_HAND[text][2]


class Reader:
    """Answers by the second labeller, wrongly where the text has a word of `blind`."""

    def __init__(self, task: Sentiment, blind: str = "") -> None:
        self.task, self.blind = task, blind

    def logits(self, ids: Tensor, mask: Tensor) -> Tensor:
        found = torch.zeros(*ids.shape, self.task.tokenizer.vocab_size)
        for row, line in enumerate(ids.tolist()):
            words = [self.task.tokenizer.token(i) for i in line if i >= 5]
            label = second_labeller(spell(words))
            if self.blind in words:
                label = GOOD if label == BAD else BAD
            found[row, 0, self.task.ids([label])[0]] = 1
        return found


def test_the_figures_count_what_their_names_say() -> None:
    task = Sentiment(100)
    assert set(task.figures(Reader(task)).values()) == {1.0}
    whole, turned, contrast = task.figures(Reader(task, blind="but")).values()
    examples = task.held_out_examples
    missed = ["but" in one.words for one in examples]
    assert whole == pytest.approx(1 - sum(missed) / len(examples))
    negated = [one for one in examples if any(low(one)[place] in lexicon.NEGATIONS for place in one.deciding)]
    assert turned == pytest.approx(1 - sum("but" in one.words for one in negated) / len(negated))
    assert contrast < turned
