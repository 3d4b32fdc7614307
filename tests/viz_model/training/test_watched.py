"""The watched example fits the pictures: its tokens along both sides, and the right keys where the task knows them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch

from viz_model.checkpoint import BUNDLED, load
from viz_model.tasks import language
from viz_model.tasks.names import HOMES, SIZED, make_task
from viz_model.tasks.own_text import OBJECTIVES, own_text
from viz_model.tasks.task import Batch, Probe, Task
from viz_model.training import bundle
from viz_model.training.history import read_history
from viz_model.training.recipe import Recipe, recipes
from viz_model.training.trainer import Trainer
from viz_model.training.watched import watched

SIZE = {"d_model": 8, "n_layers": 2, "n_heads": 2, "d_ff": 8, "optimiser": "adamw"}
NAMES = [*HOMES, *(f"{family}-4" for family in SIZED), *(f"own-text-{objective}" for objective in OBJECTIVES)]
TEXT = "the cat sat on the mat, and the dog lay under it; neither of them said a word. " * 20


@cache
def task_of(name: str) -> Task:
    if name.startswith("own-text-"):
        return own_text(TEXT, objective=name.removeprefix("own-text-"), window=32)
    task = make_task(name)
    return type(task)(50) if isinstance(task, language.LanguageTask) else task


@cache
def trainer_of(name: str) -> Trainer:
    recipe = replace(recipes.get(name, Recipe(task=name)), task=name, **SIZE)  # type: ignore[arg-type]
    return Trainer(recipe, task_of(name))


@pytest.fixture(autouse=True)
def _few_held_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "N_HELD_OUT", 20)


@pytest.mark.parametrize("name", NAMES)
def test_both_sides_are_as_long_as_the_picture(name: str) -> None:
    picture = trainer_of(name).picture(masks=True)
    found = watched(task_of(name))
    assert list(found) == list(picture.attention)
    for kind, frames in picture.attention.items():
        side = found[kind]
        sides = len(side.queries), len(side.keys)
        assert frames.shape == (2, 2, *sides)
        assert picture.masks[kind].shape == sides
        assert all(keys.shape == sides and keys.dtype == np.bool_ for keys in side.right.values())
        assert not any((keys & ~picture.masks[kind]).any() for keys in side.right.values())  # it can be learned


@pytest.mark.parametrize("name", NAMES)
def test_the_right_keys_are_the_task_s_own(name: str) -> None:
    task = task_of(name)
    _, batch = task.probe()
    expected = task.expected(batch)
    found = {role: keys for side in watched(task).values() for role, keys in side.right.items()}
    assert set(found) == {one.name for one in expected}
    for one in expected:
        np.testing.assert_array_equal(found[one.name], one.keys[0].numpy())
        # The watched code has one whole line: no line's end stands before another there.
        assert found[one.name].any() or (name, one.name) == ("code", "the end of the line before")


@pytest.mark.parametrize("name", NAMES)
def test_every_role_is_a_number_for_each_head(name: str) -> None:
    for scores in trainer_of(name).picture().roles.values():
        assert scores.shape == (2, 2)
        assert np.isfinite(scores).all()


def test_copying_is_watched_as_it_is_read() -> None:
    probe, batch = task_of("copy").probe()
    (side,) = watched(task_of("copy")).values()
    assert side.queries == side.keys == probe.tokens
    letters = [i for i, token in enumerate(probe.tokens) if len(token) == 1 and token.isalpha()]
    (right,) = side.right.values()
    for query, key in zip(*np.nonzero(right), strict=True):
        assert key in letters
        assert batch.ids[0, query + 1] == batch.ids[0, key]  # what comes next is what is to be copied


class Pair(Task):
    """An encoder-decoder's example with known links of all three kinds."""

    name, title, about, metric, kind = "pair", "Pair", "For this test.", "pairs", "encoder-decoder"

    def batch(self, size: int, generator: torch.Generator) -> Batch:
        raise NotImplementedError

    def held_out(self) -> Batch:
        raise NotImplementedError

    def probe(self) -> tuple[Probe, Batch]:
        read, wrote = torch.tensor([[5, 6, 7]]), torch.tensor([[1, 8]])
        whole = torch.ones(1, 3, dtype=torch.bool)
        batch = Batch(read, whole, whole[:, :2], wrote[0], wrote, whole[:, :2])
        return Probe("a b c", ("a", "b", "c"), "x", ("[BOS]", "x")), batch

    def expected(self, batch: Batch):  # type: ignore[no-untyped-def]
        from viz_model.tasks.task import Expected

        def one(*cells: tuple[int, int], shape: tuple[int, int]) -> torch.Tensor:
            keys = torch.zeros(1, *shape, dtype=torch.bool)
            for query, key in cells:
                keys[0, query, key] = True
            return keys

        return (
            Expected("word", one((1, 2), shape=(2, 3)), "cross", "decoder"),
            Expected("before", one((1, 0), shape=(2, 2)), "self", "decoder"),
            Expected("subject", one((2, 0), shape=(3, 3)), "self", "encoder"),
        )


def test_links_of_two_stacks_are_each_where_they_belong() -> None:
    found = watched(Pair())
    tokens = {kind: (side.queries, side.keys) for kind, side in found.items()}
    read, wrote = ("a", "b", "c"), ("[BOS]", "x")
    assert tokens == {"encoder": (read, read), "decoder": (wrote, wrote), "cross": (wrote, read)}
    assert {kind: list(side.right) for kind, side in found.items()} == {
        "encoder": ["subject"],
        "decoder": ["before"],
        "cross": ["word"],
    }
    assert np.argwhere(found["cross"].right["word"]).tolist() == [[1, 2]]


def test_a_recorded_run_is_the_run_that_nobody_watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = replace(recipes["copy"], **{**SIZE, "steps": 12, "batch_size": 4})  # type: ignore[arg-type]
    monkeypatch.setattr(bundle, "recipes", {"copy": recipe})
    bundle.make("copy", tmp_path / "copy")
    plain = Trainer(recipe, make_task("copy"), seed=bundle.SEED)
    curve = [plain.advance(watched=False) for _ in range(12)]
    mine, theirs = load(tmp_path / "copy").state_dict(), plain.model.state_dict()
    assert mine.keys() == theirs.keys()
    assert all(torch.equal(mine[name], theirs[name]) for name in mine)
    seen = read_history((tmp_path / "copy" / "history.npz").read_bytes())
    assert [one.step for one in seen] == list(range(13))
    assert [(one.loss, one.gradient_norm) for one in seen[1:]] == [(one.loss, one.gradient_norm) for one in curve]
    assert all(one.picture is not None for one in seen)  # so short a run has all its pictures
    assert seen[0].picture is not None
    assert seen[0].picture.masks["self"].tolist() == np.tri(18, dtype=bool).tolist()


@pytest.mark.parametrize("path", sorted(BUNDLED.glob("*/history.npz")), ids=lambda path: path.parent.name)
def test_what_ships_has_its_whole_curve_and_pictures_of_its_task(path: Path) -> None:
    name = path.parent.name
    seen = read_history(path.read_bytes())
    assert [one.step for one in seen] == list(range(recipes[name].steps + 1))
    heads = recipes[name].n_layers, recipes[name].n_heads
    pictured = [one for one in seen if one.picture is not None]
    assert (pictured[0].step, pictured[-1].step) == (0, recipes[name].steps)
    for kind, side in watched(task_of(name)).items():
        for one in pictured:
            assert one.picture is not None
            assert one.picture.attention[kind].shape == (*heads, len(side.queries), len(side.keys))
    # The last picture is what the model that ships shows.
    model, (_, batch) = load(path.parent), task_of(name).probe()
    if batch.target_ids is None and pictured[-1].picture is not None:
        with torch.inference_mode():
            trace = model(batch.ids, batch.present)
        for layer, block in enumerate(trace.blocks):
            np.testing.assert_allclose(
                pictured[-1].picture.attention["self"][layer] / 255, block.attention.weights[0].numpy(), atol=0.51 / 255
            )
