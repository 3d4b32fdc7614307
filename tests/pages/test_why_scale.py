"""Why scale: samples lie on their theory, sentences say what the pictures show, all of it recomputed in another way."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch
from streamlit.testing.v1 import AppTest

import viz_model as vm
from pages.ui import link_table, study
from tests.pages.seeing import by_key, exact, link_of, notes, pane, plotly_values, selector, sound
from viz_model.figures.theme import format_number
from viz_model.tasks.names import make_task
from viz_model.training.build import build
from viz_model.training.history import read_history
from viz_model.training.studies import FOLDER, STUDIES

PLAIN, SCALED = "dots q·k", "scores q·k / √d_k"
KEYS = "The keys to the cabinet are on the table"


def charts(page: AppTest) -> dict[str, Any]:
    """Every Altair chart by its title."""
    return {json.loads(each.proto.spec)["title"]: each.proto for each in page.get("vega_lite_chart")}


def rows(chart: Any, mark: str) -> list[dict[str, Any]]:
    """What the layers of one kind of mark are drawn from."""
    spec = json.loads(chart.spec)
    data = {each.name: pa.ipc.open_stream(each.data.data).read_all().to_pylist() for each in chart.datasets}
    return [
        row
        for layer in spec["layer"]
        if layer["mark"]["type"] == mark
        for row in data[layer.get("data", spec.get("data"))["name"]]
    ]


def series(chart: Any, mark: str, name: str) -> dict[float, float]:
    return {row["x"]: row["y"] for row in rows(chart, mark) if row["curve"] == name}


def bars(chart: Any) -> tuple[np.ndarray, np.ndarray]:
    """Weights without the scale and with it, in the order of the keys."""
    found = rows(chart, "bar")
    return tuple(np.array([row["weight"] for row in found if row["curve"] == name]) for name in (PLAIN, SCALED))


def said(page: AppTest) -> str:
    return "\n".join(each.value for each in page.markdown)


def softmax(given: np.ndarray) -> np.ndarray:
    powers = np.exp(given - given.max())
    return powers / powers.sum()


def nuclear_norm(weights: np.ndarray) -> float:
    """By singular values, of the whole Jacobian."""
    jacobian = np.diag(weights) - np.outer(weights, weights)
    return float(np.linalg.svd(jacobian, compute_uv=False).sum())


@pytest.fixture(scope="module")
def lesson(visit) -> AppTest:
    return sound(visit("scale"))


@pytest.mark.parametrize(("d_k", "seed"), [(64, 56), (1024, 56), (16, 3), (1, 56)])
def test_the_row_is_drawn_and_both_softmaxes_are_of_it(visit, d_k: int, seed: int) -> None:
    page = sound(visit("scale", d_k=str(d_k), scale_seed=str(seed)))
    generator = torch.Generator().manual_seed(seed)
    q = torch.randn(d_k, generator=generator, dtype=torch.float64).numpy()
    k = torch.randn(8, d_k, generator=generator, dtype=torch.float64).numpy()
    dots = np.array([sum(a * b for a, b in zip(q, key, strict=True)) for key in k])
    plain, scaled = softmax(dots), softmax(dots / math.sqrt(d_k))
    shown = bars(charts(page)[f"Reading 8 random keys, d_k = {d_k}"])
    np.testing.assert_allclose(shown[0], plain, rtol=1e-9)
    np.testing.assert_allclose(shown[1], scaled, rtol=1e-9)
    table = np.array(exact(pane(page, "The row in numbers"))).reshape(4, 8)
    np.testing.assert_allclose(table, [dots, dots / math.sqrt(d_k), plain, scaled], rtol=1e-6)
    sentence = next(each.value for each in page.markdown if each.value.startswith("The dots of this row"))
    numbers = [float(number) for number in re.findall(r"\*\*([-\d.e]+)\*\*", sentence)]
    wanted = [scaled.max(), nuclear_norm(scaled)]
    if d_k > 1:
        wanted = [plain.max(), scaled.max(), nuclear_norm(plain), nuclear_norm(scaled)]
    assert numbers == pytest.approx(wanted, rel=5e-3)


@pytest.mark.parametrize("d_k", [1, 64, 1024])
def test_the_distribution_is_a_density_as_wide_as_the_sentence_says(visit, d_k: int) -> None:
    page = sound(visit("scale", d_k=str(d_k)))
    chart = charts(page)[f"Where q·k falls, d_k = {d_k}"]
    for name, spread in ((PLAIN, math.sqrt(d_k)), (SCALED, 1.0)):
        x, y = np.array(sorted(series(chart, "point", name).items())).T
        assert y.sum() * (x[1] - x[0]) == pytest.approx(1, abs=0.02)
        assert math.sqrt((y * x**2).sum() * (x[1] - x[0])) == pytest.approx(spread, rel=0.12 if d_k == 1 else 0.03)
    wide, narrow = map(float, re.search(r"deviation of \*\*(.+?)\*\*; .* with \*\*(.+?)\*\*", said(page)).groups())
    assert wide == pytest.approx(math.sqrt(d_k), rel=0.03)
    assert narrow == pytest.approx(1, rel=0.03)
    assert ("do not make a bell curve" in said(page)) == (d_k <= 4)


@pytest.mark.parametrize("seed", ["56", "0"])
def test_variance_is_d_k_within_two_percent_and_one_with_the_scale(visit, seed: str) -> None:
    page = sound(visit("scale", scale_seed=seed))
    chart = charts(page)["Variance of q·k"]
    plain, scaled = series(chart, "point", PLAIN), series(chart, "point", SCALED)
    assert list(plain) == [2**i for i in range(11)]
    for width in plain:
        assert plain[width] == pytest.approx(width, rel=0.02)
        assert scaled[width] == pytest.approx(1, rel=0.02)
        assert series(chart, "line", PLAIN)[width] == width
        assert series(chart, "line", SCALED)[width] == 1
    worst = max(plain, key=lambda width: abs(plain[width] / width - 1))
    share, at = re.search(r"The worst point of all is ([\d.]+)% off its line, at d_k = (\d+)", said(page)).groups()
    assert int(at) == worst
    assert float(share) == pytest.approx(100 * abs(plain[worst] / worst - 1), abs=0.05)


def test_entropy_and_gradient_are_those_of_random_rows(lesson) -> None:
    """Drawn anew here with another generator, by the Jacobian's singular values."""
    random = np.random.default_rng(5)
    for width in (4, 64, 1024):
        entropies, gradients = {PLAIN: [], SCALED: []}, {PLAIN: [], SCALED: []}
        for _ in range(300):
            dots = random.normal(size=(64, width)) @ random.normal(size=width)
            for name, given in ((PLAIN, dots), (SCALED, dots / math.sqrt(width))):
                w = softmax(given)
                entropies[name].append(-(w[w > 0] * np.log(w[w > 0])).sum())
                gradients[name].append(nuclear_norm(w))
        for title, found in (("Entropy of the softmax", entropies), ("Size of the softmax's gradient", gradients)):
            for name, values in found.items():
                error = np.std(values) / math.sqrt(len(values))
                for mark in ("point", "line"):
                    there = series(charts(lesson)[title], mark, name)[width]
                    assert abs(there - np.mean(values)) < 5 * error, (title, name, mark, width)


def test_the_slider_marks_its_width_in_every_curve(visit) -> None:
    page = sound(visit("scale", d_k="256"))
    for title in ("Variance of q·k", "Entropy of the softmax", "Size of the softmax's gradient"):
        assert [row["x"] for row in rows(charts(page)[title], "rule") if row.get("x")] == [256]
    assert said(page).count("At d_k = 256") == 3


def test_what_draw_again_and_the_slider_set(visit) -> None:
    page = sound(visit("scale"))
    before = bars(charts(page)["Reading 8 random keys, d_k = 64"])
    sound(by_key(page.button, "draw_row").click().run())
    assert link_of(page)["scale_seed"] == "57"
    assert not np.allclose(bars(charts(page)["Reading 8 random keys, d_k = 64"])[0], before[0])
    sound(by_key(page.select_slider, "d_k").set_value(512).run())
    assert link_of(page)["d_k"] == "512"
    assert "Reading 8 random keys, d_k = 512" in charts(page)


@pytest.mark.parametrize("value", ["100", "0", "-1", "64.0", "", "<b>", "٦٤"])
def test_a_width_that_is_none_falls_back_and_says_so(visit, value: str) -> None:
    page = sound(visit("scale", d_k=value))
    assert page.session_state["d_k"] == 64
    assert "The link's d_k was not read" in notes(page)[0]


@pytest.mark.parametrize(
    ("model", "layer", "head", "query"),
    [("english-causal", 1, 0, 5), ("english-masked", 1, 0, 6), ("untrained", 0, 1, 3)],
)
def test_a_trained_head_with_its_scale_is_the_model_itself(
    visit, model: str, layer: int, head: int, query: int
) -> None:
    page = sound(
        visit(
            "scale", scale_panel="trained", model=model, text=KEYS, layer=str(layer), head=str(head), query=str(query)
        )
    )
    trace = vm.run(vm.load(model), KEYS)
    attention = trace.blocks[layer].attention
    title = f"What “{trace.tokens[query]}” reads: layer {layer}, head {head}"
    plain, scaled = bars(charts(page)[title])
    open_keys = attention.mask[0, 0, query].numpy()
    if open_keys.sum() <= 16:
        np.testing.assert_allclose(scaled, attention.weights[0, head, query].numpy()[open_keys], rtol=1e-4, atol=1e-7)
        dots = attention.k[0, head].double().numpy() @ attention.q[0, head, query].double().numpy()
        np.testing.assert_allclose(plain, softmax(dots[open_keys]), rtol=1e-4, atol=1e-9)
    sentence = next(each.value for each in page.markdown if "Without the division it gives" in each.value)
    for weights in (plain, scaled):
        assert f"**{format_number(float(weights.max()))}**" in sentence


@pytest.mark.parametrize("measure", link_table.SCALE_MEASURES)
def test_every_head_without_the_scale_and_with_it(visit, measure: str) -> None:
    page = sound(visit("scale", scale_panel="trained", text=KEYS, scale_measure=measure))
    trace = vm.run(vm.load("english-causal"), KEYS)
    wanted = np.zeros((2, 3, 4))
    for layer, block in enumerate(trace.blocks):
        attention = block.attention
        for head in range(4):
            found = []
            for query in range(1, len(trace.tokens)):
                q, k = attention.q[0, head, query].double().numpy(), attention.k[0, head, : query + 1].double().numpy()
                for given in (k @ q, k @ q / math.sqrt(16)):
                    w = softmax(given)
                    kinds = {
                        "variance": given.var(ddof=1),
                        "entropy": -(w[w > 0] * np.log(w[w > 0])).sum(),
                        "gradient": nuclear_norm(w),
                    }
                    found.append(kinds[measure])
            wanted[:, layer, head] = np.array(found).reshape(-1, 2).mean(0)
    for values, side in zip(wanted, ("without", "with"), strict=True):
        np.testing.assert_allclose(plotly_values(page, f"heads_{side}"), values, rtol=2e-4, atol=1e-6)
    sentence = next(each.value for each in page.markdown if "all 12 heads" in each.value)
    numbers = [float(number) for number in re.findall(r"\*\*([\d.]+)\*\*", sentence)]
    assert numbers == pytest.approx(wanted.mean((1, 2)), rel=5e-3)


def test_a_word_that_reads_itself_alone_has_no_gradient(visit) -> None:
    page = sound(visit("scale", scale_panel="trained", query="0"))
    assert "“\\[BOS\\]” has one key alone, itself" in said(page)
    assert [w.tolist() for w in bars(charts(page)["What “[BOS]” reads: layer 0, head 0"])] == [[1.0], [1.0]]


def test_notes_on_the_text_are_said_in_the_same_run(visit) -> None:
    page = sound(visit("scale", scale_panel="trained", text="the xylophone sat"))
    assert any("xylophone" in note for note in notes(page))
    page = sound(visit("scale", scale_panel="widths", text="the xylophone sat"))
    assert notes(page) == []


def test_the_recorded_runs_are_the_study(visit) -> None:
    page = sound(visit("scale", scale_panel="training"))
    assert "recorded" in said(page)
    ends = {}
    for file, name in (("0.npz", "divided by √d"), ("1.npz", "not divided")):
        seen = read_history((FOLDER / "scale" / file).read_bytes())
        loss = series(charts(page)["Loss by step"], "line", name)
        assert loss == pytest.approx({float(one.step): one.loss for one in seen})
        looks = {one.step: one.picture.accuracy for one in seen if one.picture is not None}
        assert series(charts(page)["Letters of the repeat right"], "line", name) == pytest.approx(looks)
        ends[name] = looks[300]
        reached = [step for step, share in looks.items() if share >= 0.95]
        if reached:
            assert f"95% of the letters are right from step {min(reached)} on" in said(page)
    assert ends["divided by √d"] > 0.95
    assert ends["not divided"] < 0.3
    assert "**Not divided**: 95% is not reached" in said(page)


def test_where_the_study_begins_the_gradient_is_as_said(visit) -> None:
    page = sound(visit("scale", scale_panel="training"))
    recipes = STUDIES["scale"].recipes()
    task = make_task("induction")
    batch = task.held_out()
    found = {}
    for name, recipe in recipes.items():
        with torch.no_grad():
            attention = build(recipe, task, seed=0).eval()(batch.ids[:32]).blocks[0].attention
        assert attention.q.shape[-1] == 64
        gradients = []
        for text in range(32):
            for query in np.flatnonzero(batch.present[text].numpy()):
                if query:
                    dots = (attention.k[text, 0, : query + 1] @ attention.q[text, 0, query]).double().numpy()
                    gradients.append([1 - (softmax(given) ** 2).sum() for given in (dots, dots / 8)])
        found[name] = np.mean(gradients, 0)
    one, other = found.values()
    np.testing.assert_allclose(one, other)  # the runs start alike
    assert f"a gradient of **{one[0]:.3f}** without the division and of **{one[1]:.3f}** with it" in said(page)


def test_live_runs_take_the_place_of_the_recorded_ones(visit, nowhere, monkeypatch) -> None:
    monkeypatch.setattr(study, "runner", lambda: nowhere)
    page = sound(visit("scale", scale_panel="training"))
    sound(by_key(page.button, "study_start").click().run())
    assert [recipe.scaled for recipe, *_ in nowhere.started] == [True, False]
    assert "**your own** runs" in said(page)
    assert "has not begun yet" in said(page)
    assert "recorded runs from seed" not in said(page)
    sound(by_key(page.button, "study_back").click().run())
    assert "On show: **recorded** runs" in said(page)


@pytest.mark.parametrize("i", [0, 1, 2])
def test_an_experiment_shows_what_it_says(visit, i: int) -> None:
    page = sound(visit("scale"))
    sound(by_key(page.button, f"try_{i}").click().run())
    title = f"Reading 8 random keys, d_k = {(1024, 1)[i]}" if i < 2 else "What “are” reads: layer 1, head 1"
    plain, scaled = bars(charts(page)[title])
    if i == 1:
        np.testing.assert_allclose(plain, scaled)
    else:
        assert plain.max() > 0.99
        assert scaled.max() < 0.7
        assert nuclear_norm(plain) < 0.02
        assert nuclear_norm(scaled) > 0.5


@pytest.mark.parametrize(("choice", "right"), [("4 times", True), ("16 times", False)])
def test_the_question_is_answered_by_the_samples(visit, choice: str, right: bool) -> None:
    page = sound(visit("scale"))
    sound(by_key(page.radio, "predict_scale").set_value(choice).run())
    points = series(charts(page)["Variance of q·k"], "point", PLAIN)
    (answer,) = (each.value for each in page.markdown if "In the samples" in each.value)
    assert answer.startswith("**Yes.**" if right else "**No: 4 times.**")
    narrow, wide, factor = map(
        float, re.search(r"it is ([\d.]+) at .*? and ([\d.]+) at .*?\*\*([\d.]+)\*\*", answer).groups()
    )
    assert narrow == pytest.approx(math.sqrt(points[16]), rel=5e-3)
    assert wide == pytest.approx(math.sqrt(points[256]), rel=5e-3)
    assert factor == pytest.approx(math.sqrt(points[256] / points[16]), rel=5e-3)


def test_what_a_teacher_hides_and_locks(visit) -> None:
    page = sound(visit("scale", hide="panels~equation~experiments~question~downloads"))
    assert list(charts(page)) == ["Reading 8 random keys, d_k = 64", "Where q·k falls, d_k = 64"]
    assert not page.radio
    assert not page.latex
    page = sound(visit("scale", lock="d_k~panel", scale_panel="trained"))
    assert by_key(page.select_slider, "d_k").disabled
    assert by_key(page.button, "draw_row").disabled
    assert selector(page, "scale_panel").disabled
    assert selector(page, "scale_measure").disabled
    assert all(by_key(page.button, f"try_{i}").disabled for i in range(3))


def test_every_chart_has_a_name_of_its_own_for_who_does_not_see_it(lesson) -> None:
    names = [chart.alt for chart in charts(lesson).values()]
    assert len(set(names)) == 5
    assert all(20 < len(name) < 80 for name in names)  # it is in the label of each of the picture's buttons
