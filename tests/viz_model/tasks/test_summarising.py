"""Summarising: typed texts by hand, a second summariser that crosses words out, and the right cross-attention."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest
import torch

from viz_model.tasks import summarising_sentences as sentences
from viz_model.tasks.summarising import FEWEST, MOST, Summarising, Summary, clean, summarise
from viz_model.tasks.typed import spell
from viz_model.training.build import build
from viz_model.training.recipe import Recipe

BY_HAND = {
    "The tall nurse waited near the station. Above all, the old farmer quietly sold the brown horse on Monday.": (
        "The farmer sold the horse."
    ),
    "Note that Anna slept in the house. Ben lost the ring.": "Anna slept in the house.",
    "Also, Ben lost the ring. The main point: the king finally broke the small clock yesterday. Emma cried near the "
    "park.": "The king broke the clock.",
    "remember: the poor thief took the cake after lunch": "The thief took the cake.",
    "ABOVE ALL, EMMA DANCED BESIDE THE OLD BRIDGE ON SUNDAY.": "Emma danced beside the bridge.",
}
NOT_READ = (
    "",
    "Anna slept in the house. Ben lost the ring.",  # nothing is marked
    "Above all, Anna slept in the house. Remember: Ben lost the ring.",  # two are
    "Above all, Anna ate the soup.",
    "Above all, Anna lost the ring. It rained.",
    "Above all, lost the ring.",
    "Above all, Anna slept in the house yesterday on Monday.",
    "Above all.",
    "..",
)


@pytest.mark.parametrize("text", BY_HAND)
def test_typed_texts_are_summarised_by_the_rule(text: str) -> None:
    found = summarise(text)
    assert found is not None
    assert spell(found.summary) == BY_HAND[text]
    assert spell(found.words) == clean(text)


@pytest.mark.parametrize("text", NOT_READ)
def test_other_texts_have_no_summary(text: str) -> None:
    assert summarise(text) is None


def test_a_typed_text_is_cleaned() -> None:
    assert clean("above all , anna slept in the house on monday") == "Above all, Anna slept in the house on Monday."


def second_summariser(text: str) -> str:
    """By crossing out: the marked sentence, without its marker and every word that no summary has."""
    markers = "|".join(spell(phrase) for phrase in sentences.MARKERS)
    (kept,) = re.findall(rf"(?:{markers}) ([^.]*\.)", text, re.IGNORECASE)
    times = "|".join(" ".join(phrase) for phrase in sentences.TIMES)
    trimmings = "|".join([*sentences.OF_PEOPLE, *sentences.OF_THINGS, *sentences.ADVERBS, times])
    kept = re.sub(rf" ({trimmings})\b", "", kept)
    return kept[0].upper() + kept[1:]


@pytest.fixture(scope="module")
def drawn() -> list[Summary]:
    task, source = Summarising(100), random.Random(5)
    return [task.draw(source) for _ in range(2_000)]


def test_a_second_summariser_agrees(drawn: list[Summary]) -> None:
    for one in drawn:
        assert spell(one.summary) == second_summariser(spell(one.words))
        assert summarise(spell(one.words)) == one


def test_sources_are_the_words_copied(drawn: list[Summary]) -> None:
    for one in drawn:
        copied = [one.words[place] for place in one.sources]
        assert [word.lower() for word in copied] == [word.lower() for word in one.summary]
        assert list(one.sources) == sorted(set(one.sources))
        # All from one sentence.
        assert spell(one.words[one.sources[0] : one.sources[-1]]).count(".") == 0


def test_where_the_sentence_stands_tells_nothing(drawn: list[Summary]) -> None:
    counts: dict[tuple[int, int], int] = {}
    for one in drawn:
        n = one.words.count(".")
        place = one.words[: one.sources[0]].count(".")
        counts[n, place] = counts.get((n, place), 0) + 1
    assert {n for n, _ in counts} == set(range(FEWEST, MOST + 1))
    for n in range(FEWEST, MOST + 1):
        of_n = [counts[n, place] for place in range(n)]
        assert max(of_n) < 1.6 * min(of_n)
    # Nor does a comma: other sentences open with a phrase and a comma too.
    commas = sum(one.words.count(",") for one in drawn)
    assert commas > 1.5 * len(drawn)


def test_the_decoder_is_asked_for_the_summary_and_its_end() -> None:
    task = Summarising(300)
    batch = task.batch(40, torch.Generator().manual_seed(3))
    assert batch.target_ids is not None
    names = task.tokenizer.tokens
    answers = iter(batch.answers.tolist())
    for row, words in enumerate(task.words(batch)):
        right = second_summariser(spell(words)).replace(".", " .").split()
        n = int(batch.asked[row].sum())
        assert [names[i] for i in batch.target_ids[row, :n].tolist()] == ["[BOS]", *right]
        assert [names[next(answers)] for _ in range(n)] == [*right, "[EOS]"]


def test_the_right_key_holds_the_word_about_to_be_written() -> None:
    task = Summarising(300)
    batch = task.batch(40, torch.Generator().manual_seed(4))
    (expected,) = task.expected(batch)
    assert (expected.attention, expected.stack) == ("cross", "decoder")
    answers = torch.zeros_like(batch.target_ids)
    answers[batch.asked] = batch.answers
    assert (expected.keys.sum(2) <= 1).all()
    for row, query, key in expected.keys.nonzero().tolist():
        assert batch.ids[row, key] == answers[row, query]
        assert task.tokenizer.token(int(answers[row, query])) not in ("The", "the", ".", "[EOS]")
    # Whatever is neither an article nor the end has its key: three or four words a summary.
    content = expected.keys.any(2).sum(1)
    assert set(content.tolist()) <= {3, 4}
    words = [
        [w for w in second_summariser(spell(t)).rstrip(".").split() if w.lower() != "the"] for t in task.words(batch)
    ]
    assert content.tolist() == [len(line) for line in words]


def test_a_repeated_word_is_copied_from_the_sentence_that_matters() -> None:
    task = Summarising(100)
    found = summarise("Ben lost the ring. Above all, Emma lost the ring. The king lost the ring.")
    assert found is not None
    (expected,) = task.expected(task.encode([found]))
    keys = expected.keys[0].nonzero()[:, 1].tolist()
    # [BOS] Ben lost the ring . Above all , Emma lost the ring . The king lost the ring .
    assert keys == [9, 10, 12]


def test_another_target_has_no_right_key() -> None:
    task = Summarising(100)
    one, other = (
        summarise(f"Above all, {name} lost the ring. The king sat near the park.") for name in ("Ben", "Emma")
    )
    assert one is not None
    assert other is not None
    batch = task.encode([replace(one, summary=other.summary)])
    assert not task.expected(batch)[0].keys.any()
    assert task.expected(task.encode([one]))[0].keys.any()


def test_the_figure_of_copying_is_the_weight_on_the_right_key() -> None:
    """Against a sum, row by row, over the weights of a small untrained model."""
    task = Summarising(100)
    recipe = Recipe(task="summarising", d_model=16, d_ff=16, n_heads=2, context_length=96, position="rotary")
    model = build(recipe, task, seed=0).eval().requires_grad_(False)
    batch = task.encode(task.held_out_examples[:12])
    trace = model(batch.ids, batch.target_ids, batch.present, batch.target_present)
    found = task.copying(model, n=12)
    rows = task.expected(batch)[0].keys.nonzero().tolist()
    for layer, block in enumerate(trace.decoder.blocks):
        for head in range(2):
            weights = [float(block.cross_attention.weights[row, head, query, key]) for row, query, key in rows]
            assert float(found[layer, head]) == pytest.approx(sum(weights) / len(weights), abs=1e-6)
    assert 0 < found.max() < 0.5
