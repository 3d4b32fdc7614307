"""Fine-tuning: the sentence, the curves and the maps say what was measured, recomputed here from the file."""

from __future__ import annotations

import json
from statistics import mean
from typing import Any

import numpy as np
import pytest
from pyarrow import ipc
from streamlit.testing.v1 import AppTest

from pages.ui import link_table
from tests.pages.seeing import by_key, link_of, notes, offered, plotly_values, sound
from viz_model.figures.theme import format_number
from viz_model.training.studies import FOLDER

NAMES = {"full": "fine-tuned, all weights", "frozen": "fine-tuned, the head alone", "scratch": "from scratch"}


@pytest.fixture(scope="module")
def study() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / "fine-tuning.json").read_text(encoding="utf-8"))
    return found


def means(study: dict[str, Any], way: str) -> dict[int, float]:
    (curve,) = (one for one in study["curves"] if one["way"] == way)
    return {n: mean(row) for n, row in zip(study["sizes"], curve["accuracy"], strict=True)}


def said(page: AppTest) -> str:
    return "\n".join(each.value for each in page.markdown)


def share(value: float) -> str:
    return f"{format_number(100 * value)} %"


def rows(page: AppTest) -> list[dict[str, Any]]:
    (chart,) = (each.proto for each in page.get("vega_lite_chart"))
    return [row for each in chart.datasets for row in ipc.open_stream(each.data.data).read_all().to_pylist()]


@pytest.mark.parametrize("n", link_table.TUNED_WITH)
def test_the_sentence_is_the_measurements(visit, study, n: int) -> None:
    page = sound(visit("fine-tuning", tuned_with=str(n)))
    assert notes(page) == []
    reached = {way: means(study, way)[n] for way in NAMES}
    text = said(page)
    for way in NAMES:
        assert f"**{share(reached[way])}**" in text
    enough = [m for m, found in means(study, "scratch").items() if found >= reached["full"]]
    if enough:
        assert f"**{enough[0]}** examples" in text
        assert ("“little data” holds" in text) == (enough[0] >= 4 * n)
    else:
        assert f"is not reached even with {study['sizes'][-1]} examples" in text
        assert ("“little data” holds" in text) == (study["sizes"][-1] >= 4 * n)


def test_the_curves_are_means_and_their_bands_the_extremes(visit, study) -> None:
    found = rows(sound(visit("fine-tuning")))
    for way, name in NAMES.items():
        points = {row["x"]: row["y"] for row in found if row.get("curve") == name and row.get("top") is None}
        assert points == pytest.approx({float(n): y for n, y in means(study, way).items()})
        (curve,) = (one for one in study["curves"] if one["way"] == way)
        bands = {row["x"]: (row["y"], row["top"]) for row in found if row.get("curve") == name and row.get("top")}
        for n, accuracy in zip(study["sizes"], curve["accuracy"], strict=True):
            assert bands[n] == pytest.approx((min(accuracy), max(accuracy)))


def test_quick_is_what_was_measured(visit, study) -> None:
    text = said(sound(visit("fine-tuning")))
    full, longer = means(study, "full")[64], mean(study["longer"])
    assert ("“Quick” holds as well" in text) == (full > longer)
    assert f"times the steps ({share(longer)})" in text
    assert f"({share(full)})" in text


def test_the_chosen_number_stands_in_the_picture(visit) -> None:
    assert any(row.get("name") == "128 examples" for row in rows(sound(visit("fine-tuning", tuned_with="128"))))


@pytest.mark.parametrize(("layer", "head"), [(0, 0), (2, 3)])
def test_the_maps_are_the_heads_before_and_after(visit, study, layer: int, head: int) -> None:
    page = sound(visit("fine-tuning", tuned_layer=str(layer), tuned_head=str(head)))
    looked = study["attention"]
    before, after = (np.array(looked[side]) for side in ("before", "after"))
    shown = [plotly_values(page, key) for key in ("tuned_before", "tuned_after", "moved")]
    np.testing.assert_allclose(shown[0], before[layer, head], atol=1e-6)
    np.testing.assert_allclose(shown[1], after[layer, head], atol=1e-6)
    moved = np.abs(after - before).sum(-1).mean(-1) / 2
    np.testing.assert_allclose(shown[2], moved, atol=1e-6)
    text = said(page)
    assert f"a share of **{format_number(moved[layer, head])}**" in text
    assert f"(**{format_number(after[layer, head, 0].max())}**) after" in text
    assert f"Layer {moved.mean(1).argmax()} changed most" in text


def test_a_head_that_is_not_there_gives_way(visit) -> None:
    page = sound(visit("fine-tuning", tuned_layer="60", tuned_head="60"))
    n_layers, n_heads = plotly_values(page, "moved").shape
    assert (page.session_state["tuned_layer"], page.session_state["tuned_head"]) == (n_layers - 1, n_heads - 1)
    assert [note.split(";")[1] for note in notes(page)] == [
        f" 60 was asked for, {n_layers - 1} is shown.",
        f" 60 was asked for, {n_heads - 1} is shown.",
    ]


def test_what_is_asked_stands_before_the_picture_with_an_example_of_each_kind(visit, study) -> None:
    page = sound(visit("fine-tuning"))
    (asked,) = (each.value.replace("\\", "") for each in page.markdown if "one or several?**" in each.value)
    for label in ("one", "several"):
        text = next(text for text, found in study["shown"] if found == label)
        assert f"“{text}” **{label}**" in asked


def test_the_experiments_set_the_page(visit, study) -> None:
    page = sound(visit("fine-tuning"))
    by_key(page.button, "try_0").click().run()
    assert link_of(sound(page))["tuned_with"] == "8"
    by_key(page.button, "try_1").click().run()
    assert link_of(sound(page))["tuned_with"] == "512"
    by_key(page.button, "try_2").click().run()
    looked = study["attention"]
    moved = np.abs(np.array(looked["after"]) - np.array(looked["before"])).sum(-1).mean(-1)
    found = (page.session_state["tuned_layer"], page.session_state["tuned_head"])
    assert found == np.unravel_index(moved.argmax(), moved.shape)


def test_the_prediction_is_answered_from_the_measurement(visit, study) -> None:
    page = sound(visit("fine-tuning"))
    asked = by_key(page.radio, "predict_fine_tuning")
    reached = means(study, "full")[64]
    enough = [n for n, found in means(study, "scratch").items() if found >= reached]
    right = str(max(enough[0], 64)) if enough else "not even with 512"
    for choice in asked.options:
        by_key(page.radio, "predict_fine_tuning").set_value(choice).run()
        assert ("**Yes.**" in said(page)) == (choice == right)


def test_a_bad_value_gives_one_note(visit) -> None:
    page = sound(visit("fine-tuning", tuned_with="65"))
    assert notes(page) == [
        "The link's tuned_with was not read (expected one of 8, 16, 32, 64, 128, 256, 512); the usual value is shown."
    ]


def test_what_is_hidden_and_locked(visit) -> None:
    page = sound(visit("fine-tuning", hide="downloads~experiments~question~equation", lock="recipe~layer~head"))
    assert not offered(page)
    assert not page.radio
    assert by_key(page.selectbox, "tuned_layer").disabled
    assert by_key(page.selectbox, "tuned_head").disabled


def test_examples_of_both_labels_are_shown(visit, study) -> None:
    text = said(sound(visit("fine-tuning")))
    for sentence, label in study["shown"]:
        assert f"{sentence.rstrip('.')}" in text.replace("\\", "")
        assert f"**{label}**" in text
    assert {label for _, label in study["shown"]} == {"one", "several"}
