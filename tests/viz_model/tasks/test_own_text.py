"""Any text as a task: its windows, what is held out, what is refused, and that every objective trains."""

from __future__ import annotations

import math
import pickle
import re
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.viz_model.tasks.own_texts import CHINESE, ENGLISH, HEBREW, one, small
from tests.viz_model.tasks.small_training import trained
from viz_model.tasks import windows
from viz_model.tasks.own_text import OBJECTIVES, Denoising, own_text
from viz_model.tasks.windows import KEEPS_ALL, WindowTask
from viz_model.tokenizer import KINDS
from viz_model.training.recipe import Recipe, own_text_recipes
from viz_model.training.trainer import Trainer

SHORT = "text: expected at least 640 tokens (ten windows of 64, the last held out), got"
SMALL = "expected a vocab_size of at least 260 for kind 'byte-bpe' (4 special tokens and 256 bytes),"
every_objective = pytest.mark.parametrize("objective", OBJECTIVES)
every_kind = pytest.mark.parametrize("kind", KINDS)


@every_kind
@pytest.mark.parametrize("text", [ENGLISH, HEBREW, CHINESE.replace("，", " ， ")], ids=["English", "Hebrew", "Chinese"])
def test_windows_are_pieces_of_the_part_that_trains(text: str, kind: str) -> None:
    task = small(text, kind=kind)
    batch = task.batch(40, one(1))
    begin = task.tokenizer.special_ids.begin
    assert batch.ids.shape == (40, 16)
    assert batch.asked.all()
    rows = torch.cat((batch.ids, batch.answers.view(40, 16)[:, -1:]), dim=1)
    stream = task.training.tolist()
    for row in rows.tolist():
        assert row[0] == begin
        assert any(stream[at : at + 16] == row[1:] for at in range(len(stream) - 15))
    if kind in KEEPS_ALL:
        assert task.tokenizer.decode(stream) == text[: task.cut]
    assert task.cut == len(text) - math.ceil(len(text) / 10)


def test_every_window_comes_up_and_none_reaches_into_what_is_held_out() -> None:
    text = "".join(chr(0x4E00 + i) for i in range(180)) + "abcdefghijklmnopqrst"
    task = small(text, kind="byte-bpe", window=8, vocab_size=261 + 5)
    first = set()
    for seed in range(60):
        batch = task.batch(64, one(seed))
        raw = {token for token in map(task.tokenizer.token, batch.ids.flatten().tolist() + batch.answers.tolist())}
        assert not raw & set("abcdefghijklmnopqrst")
        first |= {tuple(row) for row in batch.answers.view(64, 8).tolist()}
    stream = task.training.tolist()
    assert first == {tuple(stream[at : at + 8]) for at in range(len(stream) - 7)}
    assert task.tokenizer.decode(task.held_out().answers.tolist()) == "abcdefghijklmnop"


def test_the_tokenizer_has_not_read_what_is_held_out() -> None:
    task = small("abb" * 120 + "xy" * 20)
    unknown = task.tokenizer.special_ids.unknown
    assert set(task.held_out().answers.tolist()) == {unknown}
    assert task.tokenizer.tokens[4:] == ("b", "a")


def test_long_texts_hold_out_no_more_than_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows, "MOST_HELD_OUT", 4_000)
    task = small("the cat sat. " * 5_000)
    assert len(task.text) - task.cut == 4_000
    assert len(task.held_out().ids) == 128
    assert len(task.training) == task.cut  # read in pieces, none lost
    assert task.tokenizer.decode(task.training[:50_000].tolist()) == task.text[:50_000]


@every_objective
@every_kind
def test_batches_are_the_generators_alone(objective: str, kind: str) -> None:
    task, again = (small(objective=objective, kind=kind) for _ in range(2))
    copied = pickle.loads(pickle.dumps(task))
    torch.manual_seed(0)
    state = torch.random.get_rng_state()
    whole = [part.batch(8, one(5)) for part in (task, again, copied)]
    for name in ("ids", "present", "asked", "answers", "target_ids", "target_present"):
        first, *others = (getattr(batch, name) for batch in whole)
        assert all(other is None if first is None else torch.equal(first, other) for other in others)
    assert not torch.equal(task.batch(8, one(6)).ids, whole[0].ids)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert torch.equal(task.held_out().ids, copied.held_out().ids)
    assert task.name in own_text_recipes
    assert own_text_recipes[task.name].task == task.name


def made(text: str, objective: str, kind: str) -> tuple[WindowTask | None, str]:
    """The task, or what is said in its stead."""
    try:
        return small(text, objective, kind, window=8), ""
    except ValueError as error:
        return None, str(error)


scripts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)


@given(scripts, st.sampled_from(sorted(OBJECTIVES)), st.sampled_from(KINDS))
@settings(max_examples=120)
def test_any_text_trains_or_gets_one_sentence(text: str, objective: str, kind: str) -> None:
    task, said = made((text + " ") * 40, objective, kind)
    if task is None:
        assert re.fullmatch(r"(text: |window: |)expected .+, got [^\n]+", said)
        return
    for batch in (task.batch(4, one(0)), task.held_out(), task.probe()[1]):
        read = batch.ids if batch.target_ids is None else batch.target_ids
        assert read.shape == batch.asked.shape
        assert int(batch.asked.sum()) == len(batch.answers)
        assert batch.ids.max() < task.tokenizer.vocab_size
    if kind in KEEPS_ALL and objective == "causal":
        unknown = task.tokenizer.special_ids.unknown
        said = task.tokenizer.decode(task.held_out().answers.tolist(), keep_special=True)
        if unknown not in task.held_out().answers.tolist() and len(task.held_out().ids) < 128:
            assert said == task.held_out_text


@pytest.mark.parametrize(
    ("text", "more", "sentence"),
    [
        ("hello", {}, f"{SHORT} 5 characters."),
        ("cat " * 30, {}, f"{SHORT} 12 tokens to hold out."),
        ("ab" * 900, {"tokenizer": "word"}, f"{SHORT} 1 token to learn from."),
        ("", {}, "text: expected something to read, got an empty text."),
        (b"\0\1", {}, "text: expected a text file, got a binary one (a null byte at place 0)."),
        (ENGLISH, {"window": 2}, "window: expected at least 8 tokens, got 2."),
        (ENGLISH, {"objective": "next"}, "objective: expected one of causal, masked, prefix, denoising, got 'next'."),
        (ENGLISH, {"tokenizer": "bpe"}, f"expected a tokenizer kind out of {', '.join(KINDS)}, got 'bpe'"),
        (ENGLISH, {"tokenizer": "byte-bpe", "vocab_size": 0}, f"{SMALL} got 0"),
    ],
    ids=["a word", "short", "one word", "empty", "binary", "window", "objective", "tokenizer", "vocabulary"],
)
def test_bad_input_gets_one_sentence(text: str | bytes, more: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        own_text(text, **more)


@every_kind
def test_sentinels_are_tokens_that_the_text_does_not_have(kind: str) -> None:
    text = ENGLISH.replace("Nobody", "① \ue000")
    task = small(text, "denoising", kind, window=32)
    assert isinstance(task, Denoising)
    ids = task.sentinels.tolist()
    assert len({*ids}) == len(ids) == 3
    assert min(ids) >= 4
    held_out = task.tokenizer.encode(text[task.cut :], add_special=False).ids
    assert not {*ids} & {*task.training.tolist(), *held_out}
    if kind != "byte-bpe":
        assert [task.tokenizer.token(i) for i in ids] == ["②", "③", "④"]


@pytest.mark.parametrize("kind", ["word", "character"])
def test_a_small_vocabulary_still_has_the_sentinels(kind: str) -> None:
    task = small(objective="denoising", kind=kind, vocab_size=12)
    assert isinstance(task, Denoising)
    assert task.tokenizer.vocab_size == 12
    assert [task.tokenizer.token(i) for i in task.sentinels.tolist()] == ["①", "②"]
    with pytest.raises(ValueError, match="window: expected fewer than 300 tokens, whose spans need 16 sentinels"):
        small(ENGLISH * 40, "denoising", "byte-bpe", window=300)


@every_kind
def test_special_names_in_the_text_are_neither_hidden_nor_asked(kind: str) -> None:
    task = small("The [MASK] sat. [CLS] [PAD] on the mat; [UNK] the end [SEP].\n" * 40, "masked", kind)
    specials = set(range(len(task.specials.names)))
    batch = task.batch(64, one(2))
    assert specials <= set(batch.ids.flatten().tolist())
    assert not specials & set(batch.answers.tolist())


def test_what_is_watched_is_held_out() -> None:
    probe, batch = small(window=64).probe()
    assert batch.ids.shape == (1, 32)
    assert ENGLISH[small(window=64).cut :].startswith(probe.text)
    assert len(probe.tokens) == 32
    assert probe.tokens[0] == "[BOS]"
    for kind in ("character", "byte-bpe", "unigram", "word", "wordpiece"):
        task = small(kind=kind)
        assert task.tokenizer.encode(task.probe()[0].text).ids == tuple(task.probe()[1].ids[0].tolist())
    hidden, batch = small(objective="masked").probe()
    assert hidden.tokens[0] == "[CLS]"
    assert len(batch.answers) >= 1
    lost, batch = small(objective="denoising").probe()
    assert "①" in lost.text
    assert lost.target is not None
    assert "①" in lost.target
    assert batch.target_ids is not None
    assert lost.target_tokens is not None
    assert len(lost.target_tokens) == batch.target_ids.shape[1]


@every_objective
def test_every_objective_trains_and_shows_its_picture(objective: str) -> None:
    task = small(objective=objective)
    shape = {"d_model": 16, "d_ff": 32, "n_layers": 1, "n_heads": 2, "context_length": 32, "position": "rotary"}
    trainer = Trainer(Recipe(task=task.name, steps=3, batch_size=8, **shape), task)  # type: ignore[arg-type]
    seen = [trainer.advance() for _ in range(3)]
    assert all(math.isfinite(snapshot.loss) for snapshot in seen)
    picture = seen[-1].picture
    assert picture is not None
    assert set(picture.attention) == ({"encoder", "decoder", "cross"} if objective == "denoising" else {"self"})
    if objective == "prefix":  # the picture is of the prefix mask: the first position reads the whole prefix
        assert (picture.attention["self"][0, :, 0, :9] > 0).all()
        assert (picture.attention["self"][0, :, 0, 9:] == 0).all()


def test_a_small_model_learns_a_text_that_repeats() -> None:
    task = small("the cat sat on the mat. " * 40)
    assert task.accuracy(trained(task, steps=40)) > 0.8
