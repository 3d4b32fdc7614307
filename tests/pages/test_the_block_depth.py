"""The block by depth: gradients on the page are autograd's, and what is said is what was recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from pyarrow import ipc
from streamlit.testing.v1 import AppTest

from tests.pages.seeing import by_key, notes, sound
from viz_model.figures.theme import format_number
from viz_model.tasks.names import make_task
from viz_model.training.build import build
from viz_model.training.depth import depth_recipe

STUDIES = Path(__file__).parents[2] / "assets" / "studies"


def number(x: Any) -> str:
    """As the page writes it."""
    return format_number(float(x))


def said(page: AppTest) -> str:
    return "\n".join(each.value for each in page.markdown)


def chart(page: AppTest, title: str) -> dict[str, dict[float, float]]:
    """The curves of the one Altair chart whose title begins so: name -> x -> y."""
    charts = [each.proto for each in page.get("vega_lite_chart")]
    (found,) = (each for each in charts if json.loads(each.spec)["title"].startswith(title))
    curves: dict[str, dict[float, float]] = {}
    for each in found.datasets:
        for row in ipc.open_stream(each.data.data).read_all().to_pylist():
            curves.setdefault(row["curve"], {})[row["x"]] = row["y"]
    return curves


def test_the_untrained_gradient_is_autograds(visit) -> None:
    page = sound(visit("block", block_part="start", block_depth="3", block_variants="neither"))
    curves = chart(page, "Live: gradient")
    assert list(curves) == ["neither"]
    recipe, task = depth_recipe("neither", 3), make_task("copy")
    model = build(recipe, task, seed=0)
    entered: list[torch.Tensor] = []
    for block in model.stack.blocks:
        block.register_forward_pre_hook(lambda _, given: (given[0].retain_grad(), entered.append(given[0]))[0])
    task.loss(model, task.batch(32, torch.Generator().manual_seed(0))).backward()
    for layer, stream in enumerate(entered):
        assert curves["neither"][layer] == pytest.approx(float(stream.grad.norm()), rel=1e-4)


def test_what_is_said_of_24_layers_is_what_was_recorded(visit) -> None:
    starts = json.loads((STUDIES / "depth.json").read_text(encoding="utf-8"))["starts"]

    def ratios(small: bool, *names: str) -> list[float]:
        return sorted(
            one["gradient"]["stream"][0] / one["gradient"]["stream"][-1]
            for one in starts
            if one["n_layers"] == 24 and one["small_start"] == small and one["variant"] in names
        )

    flat = ratios(True, "pre-norm", "post-norm", "no norm", "pre-norm, RMSNorm", "post-norm, RMSNorm")
    gone, bare = ratios(True, "neither"), ratios(False, "no norm")
    assert 1 / 3 < flat[0] < flat[-1] < 3
    assert gone[-1] < 1e-7
    assert bare[0] > 1e6
    text = said(visit("block", block_part="start"))
    assert f"from {number(flat[0])} to {number(flat[-1])} times" in text
    assert f"it vanishes: {number(gone[0])} to {number(gone[-1])}" in text
    text = said(visit("block", block_part="start", block_small="0"))
    assert f"{number(bare[0])} to {number(bare[-1])} times" in text


def test_training_shows_the_recorded_step(visit) -> None:
    runs = json.loads((STUDIES / "depth.json").read_text(encoding="utf-8"))["runs"]
    page = sound(visit("block", block_part="training", block_step="52"))
    assert page.session_state["block_step"] == 50
    alike, gradient = chart(page, "How alike"), chart(page, "Recorded: gradient")
    for run in runs:
        if run["variant"] in alike:
            (look,) = (one for one in run["snapshots"] if one["step"] == 50)
            assert list(alike[run["variant"]].values()) == pytest.approx(look["alike"])
            assert list(gradient[run["variant"]].values()) == pytest.approx(look["gradient"]["stream"])
            assert f"{run['variant']} **{number(look['accuracy'])}**" in said(page)
    assert set(alike) == {"pre-norm", "post-norm", "pre-norm, no residual", "neither", "no norm"}


@pytest.mark.parametrize("guess", ["yes", "no"])
def test_the_prediction_is_answered_from_the_study(visit, guess: str) -> None:
    arms = json.loads((STUDIES / "depth-6" / "study.json").read_text(encoding="utf-8"))["arms"]
    right = {arm["name"]: arm["measures"]["letters and end of the answer right"][0] for arm in arms}
    assert right["pre-norm, no residual"] < 0.25 < 0.95 < right["pre-norm"]
    asked = make_task("copy").held_out().answers
    assert right["neither"] == pytest.approx(
        float(asked.bincount().max() / len(asked))
    )  # always the commonest: the end
    page = visit("block")
    by_key(page.radio, "predict_block").set_value(guess).run()
    answer = page.markdown[-1].value
    assert answer.startswith("**Yes.**" if guess == "no" else "**No: no.**")
    for value in (right["pre-norm, no residual"], right["pre-norm"], right["neither"]):
        assert number(value) in answer


def test_what_a_link_asks_amiss_falls_back(visit) -> None:
    page = sound(visit("block", block_part="start", block_variants="nonsense", block_depth="99"))
    assert page.session_state["block_depth"] == 12
    assert any("block_depth" in note for note in notes(page))
    assert len(chart(page, "Live: gradient")) == 5
