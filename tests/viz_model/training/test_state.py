"""A run that is put down and taken up again is the run that never stopped, to the bit; damaged ones are refused."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors

from viz_model.tasks.english_french import EnglishFrench
from viz_model.tokenizer import Tokenizer
from viz_model.training.recipe import OptimiserKind, Recipe
from viz_model.training.state import load_run, read_recipe, save_run
from viz_model.training.trainer import Trainer

from .counting import SPECIALS, TINY, Counting

Point = tuple[int, float, float, float]
SHORT = replace(TINY, steps=12, warm_up=3)


def points(trainer: Trainer, n: int) -> list[Point]:
    seen = [trainer.advance() for _ in range(n)]
    return [(s.step, s.loss, s.gradient_norm, s.learning_rate) for s in seen]


def same_weights(one: Trainer, other: Trainer) -> bool:
    a, b = one.model.state_dict(), other.model.state_dict()
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize("optimiser", ["adamw", "adam", "sgd", "muon"])
@pytest.mark.parametrize("at", [0, 1, 7, 12])
def test_a_run_taken_up_again_goes_on_to_the_bit(optimiser: OptimiserKind, at: int) -> None:
    recipe = replace(SHORT, optimiser=optimiser, learning_rate=0.02)
    whole = Trainer(recipe, Counting(), seed=5)
    curve = points(whole, 12)
    first = Trainer(recipe, Counting(), seed=5)
    begun = points(first, at)
    second = load_run(save_run(first), Counting())
    torch.rand(3)
    assert (second.step, second.recipe, second.seed, second.done) == (at, recipe, 5, at == 12)
    assert begun + points(second, 12 - at) == curve
    assert same_weights(second, whole)
    assert curve[-1][1] != curve[0][1]


def test_optimisers_differ() -> None:
    curves = [
        points(Trainer(replace(SHORT, optimiser=kind, weight_decay=0.1), Counting()), 12)
        for kind in ("adamw", "adam", "sgd", "muon")
    ]
    assert len({str(curve) for curve in curves}) == 4


def test_saving_disturbs_nothing_and_gives_the_same_bytes() -> None:
    one, other = (Trainer(SHORT, Counting(), seed=1) for _ in range(2))
    points(one, 4)
    points(other, 4)
    assert save_run(one) == save_run(one) == save_run(other) == save_run(load_run(save_run(one), Counting()))
    assert points(one, 8) == points(other, 8)


def test_what_was_saved_is_not_what_goes_on() -> None:
    trainer = Trainer(SHORT, Counting())
    points(trainer, 3)
    data = save_run(trainer)
    ahead = points(trainer, 9)
    assert points(load_run(data, Counting()), 9) == ahead


def test_a_learning_rate_that_was_changed_takes_effect_and_is_kept() -> None:
    plain, changed = Trainer(SHORT, Counting()), Trainer(SHORT, Counting())
    assert points(plain, 5) == points(changed, 5)
    changed.rate_factor = 0.25
    as_before, as_now = points(plain, 1)[0], points(changed, 1)[0]
    assert as_now[3] == pytest.approx(as_before[3] / 4)
    assert as_now[:3] == as_before[:3]  # the loss is of the weights before the step
    again = load_run(save_run(changed), Counting())
    assert again.rate_factor == 0.25
    rest, without = points(changed, 6), points(plain, 6)
    assert points(again, 6) == rest
    assert all(a[1] != b[1] and a[3] == pytest.approx(b[3] / 4) for a, b in zip(rest, without, strict=True))


def test_a_run_that_diverged_stays_so() -> None:
    trainer = Trainer(replace(TINY, learning_rate=9e5, optimiser="sgd", warm_up=0, clip=9e5), Counting())
    while not trainer.done:
        trainer.advance()
    again = load_run(save_run(trainer), Counting())
    assert again.done
    assert again.stopped == trainer.stopped != ""


def test_both_tokenizers_of_a_pair_have_their_stack() -> None:
    task = EnglishFrench()
    recipe = Recipe(
        **{"task": task.name, "d_model": 8, "n_layers": 1, "n_heads": 2, "d_ff": 8, "context_length": 64},  # type: ignore[arg-type]
        **{"steps": 4, "batch_size": 4},  # type: ignore[arg-type]
    )
    whole = points(Trainer(recipe, task), 4)
    half = Trainer(recipe, task)
    assert points(half, 2) + points(load_run(save_run(half), task), 2) == whole


def good() -> bytes:
    trainer = Trainer(SHORT, Counting())
    points(trainer, 2)
    return save_run(trainer)


def test_a_saved_run_says_its_recipe() -> None:
    assert read_recipe(good()) == SHORT
    with pytest.raises(ValueError, match=r"^run: expected a saved run, got"):
        read_recipe(b"no run")


def card_of(data: bytes) -> tuple[dict[str, torch.Tensor], dict[str, object]]:
    length = int.from_bytes(data[:8], "little")
    return load_tensors(data), json.loads(json.loads(data[8 : 8 + length])["__metadata__"]["run"])


def with_card(**changes: object) -> bytes:
    tensors, card = card_of(good())
    return save_tensors(tensors, {"run": json.dumps(card | changes)})


def without(name: str) -> bytes:
    tensors, card = card_of(good())
    found = next(each for each in tensors if each.startswith(name))
    del tensors[found]
    return save_tensors(tensors, {"run": json.dumps(card)})


def zipped() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("model.safetensors", good())
    return file.getvalue()


class Trap:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return pytest.fail, ("a pickle was opened",)


def torch_file() -> bytes:
    file = io.BytesIO()
    torch.save({"model": torch.zeros(2)}, file)
    return file.getvalue()


RECIPE = card_of(good())[1]["recipe"]
assert isinstance(RECIPE, dict)
DAMAGED = {
    "nothing": b"",
    "seven bytes": b"1234567",
    "text": b"This is no run, but a text that somebody gave the wrong name.",
    "zip": zipped(),
    "pickle": pickle.dumps(Trap()),
    "torch file": torch_file(),
    "no metadata": save_tensors({"x": torch.zeros(3)}),
    "foreign metadata": save_tensors({"x": torch.zeros(3)}, {"format": "pt"}),
    "card of another make": save_tensors({"x": torch.zeros(3)}, {"run": "[1, 2]"}),
    "card that is no JSON": save_tensors({"x": torch.zeros(3)}, {"run": "{"}),
    "null": save_tensors({"x": torch.zeros(3)}, {"run": "null"}),
    "header of null": (4).to_bytes(8, "little") + b"null",
    "deep header": (200_000).to_bytes(8, "little") + b"[" * 200_000,
    "another format": with_card(format="glass-transformer"),
    "a newer version": with_card(version=99),
    "unknown field": with_card(recipe=RECIPE | {"secret": 1}),
    "missing recipe": with_card(recipe=None),
    "impossible width": with_card(recipe=RECIPE | {"d_model": 7}),
    "other width": with_card(recipe=RECIPE | {"d_model": 32}),
    "huge width": with_card(recipe=RECIPE | {"d_model": 2**40}),
    "more layers": with_card(recipe=RECIPE | {"n_layers": 3}),
    "width as words": with_card(recipe=RECIPE | {"d_model": "wide"}),
    "steps as words": with_card(recipe=RECIPE | {"steps": "many"}),
    "unknown optimiser": with_card(recipe=RECIPE | {"optimiser": "magic"}),
    "another optimiser": with_card(recipe=RECIPE | {"optimiser": "sgd"}),
    "step as words": with_card(step="two"),
    "step below 0": with_card(step=-1),
    "step past the end": with_card(step=10**9),
    "rate of null": with_card(rate_factor=None),
    "stopped of a list": with_card(stopped=["x"]),
    "seed as words": with_card(seed="five"),
    "numbers of a list": with_card(numbers=[1]),
    "no weights": without("model."),
    "no moments": without("optimiser."),
    "no generator": without("generator"),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_what_is_no_run_is_refused_in_a_plain_sentence(kind: str) -> None:
    with pytest.raises(ValueError, match=r"^run: expected .* got .*\(.+\)\.$") as caught:
        load_run(DAMAGED[kind], Counting())
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@settings(max_examples=60)
@given(st.data())
def test_a_run_cut_short_anywhere_is_refused(data: st.DataObject) -> None:
    whole = DAMAGED_SOURCE
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(ValueError, match=r"^run: expected"):
        load_run(whole[:cut], Counting())


DAMAGED_SOURCE = good()


class OtherWords(Counting):
    def __init__(self) -> None:
        super().__init__()
        self.tokenizer = Tokenizer.from_words([f"w{i}" for i in range(23)], SPECIALS)


def test_the_run_of_another_task_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^run: expected a saved run of counting, got another"):
        load_run(good(), OtherWords())


class SameSize(Counting):
    name = "same-size"


def test_the_run_of_another_task_with_as_many_words_is_refused() -> None:
    with pytest.raises(ValueError, match=r"run: expected a saved run of same-size, got .* \(one of counting\)"):
        load_run(good(), SameSize())
