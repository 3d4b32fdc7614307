"""What the tasks on typed text share: the corpus, the held-out rule, typed text read as the batch has it."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
import torch

from viz_model.models import EncoderDecoder, Span
from viz_model.tasks.names import make_task
from viz_model.tasks.question_answering import QuestionAnswering
from viz_model.tasks.sentiment import Sentiment
from viz_model.tasks.summarising import Summarising
from viz_model.tasks.task import Batch
from viz_model.tasks.typed import TypedTask, plain, spell, split
from viz_model.training.build import build
from viz_model.training.recipe import Recipe, recipes
from viz_model.training.trainer import Trainer

KINDS: tuple[type[TypedTask[Any]], ...] = (Sentiment, Summarising, QuestionAnswering)
N = 1_500  # training examples: enough to see what is to be seen
every_task = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


@pytest.fixture(scope="module")
def made() -> dict[type[TypedTask[Any]], TypedTask[Any]]:
    return {kind: kind(N) for kind in KINDS}  # type: ignore[call-arg]


def same(one: Batch, other: Batch) -> bool:
    for field in ("ids", "present", "asked", "answers", "target_ids", "target_present"):
        a, b = getattr(one, field), getattr(other, field)
        if (a is None) != (b is None) or (a is not None and not torch.equal(a, b)):
            return False
    return True


@every_task
def test_held_out_texts_are_never_trained_on(kind: type[TypedTask[Any]], made: Any) -> None:
    task = made[kind]
    kept = {plain(task.text(one)) for one in task.held_out_examples}
    assert len(kept) == len(task.held_out_examples) == 1_000
    drawn = {plain(task.text(one)) for one in task.examples(4_000, 1, held_out=False)}
    assert not drawn & (kept | {plain(kind.watched)})
    assert len(drawn) > 3_000  # few repeat
    # Another seed's training set trains on none of them either: the text decides, not the draw.
    assert not kept & {plain(task.text(one)) for one in task.examples(2_000, 99, held_out=False)}


@every_task
def test_batches_hold_training_examples_and_no_others(kind: type[TypedTask[Any]], made: Any) -> None:
    task = made[kind]
    trained = {tuple(words) for words in task.words(task.encode(task.examples(N, 1, held_out=False)))}
    generator = torch.Generator().manual_seed(3)
    for _ in range(10):
        assert {tuple(words) for words in task.words(task.batch(64, generator))} <= trained


@every_task
def test_batches_are_the_generators_alone(kind: type[TypedTask[Any]], made: Any) -> None:
    random.seed(1)
    before = torch.random.get_rng_state(), random.getstate()
    one, other, next_seed = (made[kind].batch(16, torch.Generator().manual_seed(seed)) for seed in (7, 7, 8))
    again = kind(N).batch(16, torch.Generator().manual_seed(7))  # type: ignore[call-arg]
    assert (torch.equal(torch.random.get_rng_state(), before[0]), random.getstate()) == (True, before[1])
    assert same(one, other)
    assert same(one, again)
    assert not same(one, next_seed)
    assert same(kind(N).held_out(), made[kind].held_out())  # type: ignore[call-arg]


@every_task
def test_typed_text_is_read_as_the_batch_has_it(kind: type[TypedTask[Any]], made: Any) -> None:
    """The corpus is encoded word by word; a person's text goes through the tokenizer."""
    task = made[kind]
    for example in task.held_out_examples[:200]:
        typed = task.text(example)
        batch = task.encode([example])
        assert batch.ids[0].tolist() == list(task.tokenizer.encode(typed).ids)
        assert batch.present.all()
        assert task.tokenizer.unknown_words(typed) == ()
        assert task.read(typed) == example


@every_task
def test_padding_changes_nothing(kind: type[TypedTask[Any]], made: Any) -> None:
    task = made[kind]
    batch = task.batch(64, torch.Generator().manual_seed(0))
    assert not batch.present.all()
    assert batch.present.any(0).all()  # no column of padding alone
    assert batch.asked.sum() == len(batch.answers)
    assert batch.asked.any(1).all()
    pad_id = task.tokenizer.special_ids.pad
    assert torch.equal(batch.ids == pad_id, ~batch.present)
    if batch.target_ids is not None:
        assert torch.equal(batch.target_ids == pad_id, ~batch.target_present)
    for found in task.expected(batch):
        read = batch.asked if found.attention == "cross" else batch.present
        assert not (found.keys & ~batch.present[:, None, :]).any()
        assert not (found.keys & ~read[:, :, None]).any()
        assert found.keys.any()


@every_task
def test_what_is_watched_is_an_example(kind: type[TypedTask[Any]], made: Any) -> None:
    task = made[kind]
    probe, batch = task.probe()
    assert probe.text == kind.watched
    assert probe.tokens == task.tokenizer.encode(probe.text).tokens
    assert [list(task.tokenizer.encode(probe.text).ids)] == batch.ids.tolist()
    if batch.target_ids is not None:
        assert probe.target is not None
        assert probe.target_tokens == task.tokenizer.encode(probe.target).tokens
        assert [list(task.tokenizer.encode(probe.target).ids)] == batch.target_ids.tolist()
    assert all(found.keys.any() for found in task.expected(batch))


@every_task
def test_names_and_recipes_lead_to_a_model_that_fits(kind: type[TypedTask[Any]], made: Any) -> None:
    task, recipe = made[kind], recipes[kind.name]
    assert type(make_task(kind.name)) is kind
    assert recipe.task == kind.name
    longest = max(len(words) for words in task.words(task.held_out()))
    assert longest + 2 <= recipe.context_length <= 5 * longest
    small = Recipe(task=kind.name, d_model=16, n_layers=1, n_heads=2, d_ff=16, position=recipe.position)
    model = build(small, task, seed=0).eval()
    assert isinstance(model, EncoderDecoder) == (task.kind == "encoder-decoder")
    assert isinstance(model, Span) == (task.kind == "span")
    batch = task.batch(8, torch.Generator().manual_seed(0))
    # An untrained model is about as far from the answer as chance.
    width = task.logits(model, batch).shape[-1]
    with torch.inference_mode():
        loss = float(task.loss(model, batch))
    assert 0.5 < loss / math.log(width) < 2
    picture = Trainer(small, task).picture()
    assert {found.name for found in task.expected(batch)} <= picture.roles.keys()
    figures = task.figures(model)
    assert figures[task.metric] == task.accuracy(model)
    assert all(0 <= value <= 1 for value in figures.values())


def test_words_to_a_line_and_back() -> None:
    for line in ("It didn't end, but I liked it.", "The main point: Ben sat.", "Where is Anna? Ben has a hat."):
        assert spell(split(line)) == line
    assert split("it wasn’t  fun") == ["it", "wasn", "'", "t", "fun"]
    assert plain("It was Fun.") == "it was fun" == plain("it was fun")


@every_task
def test_every_word_of_the_vocabulary_is_trained_on(kind: type[TypedTask[Any]], made: Any) -> None:
    """A known word that no example has would be read by a vector that was never trained."""
    task = made[kind]
    known = set(task.tokenizer.tokens) - set(task.tokenizer.specials.names) - {"positive", "negative"}
    drawn = {word for words in task.words(task.encode(task.examples(5_000, 1, held_out=False))) for word in words}
    assert drawn == known
