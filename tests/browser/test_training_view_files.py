"""What the training view gives to download, read back."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page

from tests.browser.apps.training_cases import cut, film_of, track_of
from tests.browser.mounting import ROOT, Mounted
from viz_model.figures.training_view import pack

TRACK = track_of(31, 12, name="induction, seed 0")
MASK = np.tril(np.ones((3, 5), bool))
FILM = replace(
    film_of(TRACK, queries=3, keys=5), mask=MASK, queries=['say "hi"', "a,b", "שלום"], keys=["<s>", "猫", "x", "y", "z"]
)
OPTIONS = {"title": "Induction", "caption": "two layers, seed 0", "layer": 1, "head": 2, "metric": "tokens right"}


@pytest.fixture
def view(new_page: Callable[..., Page], tmp_path: Path) -> Mounted:
    mounted = Mounted(new_page, tmp_path, accept_downloads=True)
    other = track_of(20, 5, name="induction, seed 1")
    split = int((TRACK.picture_step < 20).sum())
    # In two pieces: what is saved is all that the browser has, not what it last got.
    films = [[replace(FILM, frames=frames)] for frames in (FILM.frames[:split], FILM.frames[split:])]
    common = {**OPTIONS, "total_steps": 60, "state": "running", "compare": [other]}
    mounted.feed(pack("run", cut(TRACK, 0, 20), films[0], **common))
    mounted.feed(pack("run", cut(TRACK, 20, 31), films[1], first_row=20, first_picture=split, **common))
    return mounted


def table(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8"), newline="")))


def test_the_csv_of_the_curves_holds_every_step_and_every_head(view: Mounted) -> None:
    name, content = view.save("CSV of the curves")
    assert name == "induction-seed-0-curves.csv"
    rows = table(content)
    assert [int(row["step"]) for row in rows] == list(range(31))
    pictures = {int(step): i for i, step in enumerate(TRACK.picture_step)}
    for step, row in enumerate(rows):
        assert np.float32(row["loss"]) == TRACK.loss[step]
        assert (row["gradient_norm"] == "") == bool(np.isnan(TRACK.gradient_norm[step]))
        if step:
            assert np.float32(row["learning_rate"]) == TRACK.learning_rate[step]
        assert (row["accuracy"] == "") == (step not in pictures)
        if (i := pictures.get(step)) is not None:
            assert np.float32(row["accuracy"]) == TRACK.accuracy[i]
            assert np.float32(row["meant: layer 1 head 2"]) == TRACK.roles["meant"][i, 1, 2]
            assert np.float32(row["the token before: layer 0 head 1"]) == TRACK.roles["the token before"][i, 0, 1]


def test_the_csv_of_a_head_is_of_the_step_that_is_shown(view: Mounted) -> None:
    view.page.focus("[data-part=slider]")
    view.page.keyboard.press("Home")
    view.page.keyboard.press("ArrowRight")
    step = int(TRACK.picture_step[1])
    assert view.step == step
    name, content = view.save("CSV of this head")
    assert name == f"induction-seed-0-self-layer-1-head-2-step-{step}.csv"
    rows = table(content)
    assert len(rows) == 15
    for row in rows:
        query, key = int(row["query_index"]), int(row["key_index"])
        assert (row["query"], row["key"], row["step"]) == (FILM.queries[query], FILM.keys[key], str(step))
        assert (row["weight"] == "") == (not MASK[query, key])
        if row["weight"]:
            assert round(float(row["weight"]) * 255) == FILM.frames[1, 1, 2, query, key]


def test_pictures_carry_title_names_axes_and_caption(view: Mounted) -> None:
    name, drawing = view.save("SVG")
    assert name == "induction-seed-0-step-30.svg"
    svg = ElementTree.fromstring(drawing)
    words = {each.text for each in svg.iter("{http://www.w3.org/2000/svg}text")}
    assert {"Induction", "query ↓", "key →", "layer ↓  head →", "step", "loss", "accuracy", "gradient norm"} <= words
    assert {"<s>", 'say "hi"', "שלום", "Layer 1 · Head 2 · step 30", "masked", "seed 0", "seed 1"} <= words
    caption = "two layers, seed 0 · induction, seed 0 · running, 30 of 60 steps"
    assert any(word and word.startswith(caption) for word in words)
    assert not list(svg.iter("{http://www.w3.org/2000/svg}image"))
    assert any(each.get("stroke-dasharray") for each in svg.iter("{http://www.w3.org/2000/svg}path"))
    name, picture = view.save("PNG")
    assert name == "induction-seed-0-step-30.png"
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(picture[16:20], "big") >= 2000


def test_the_saved_page_plays_all_that_the_browser_had(
    view: Mounted, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    name, saved = view.save("HTML")
    assert name == "induction-seed-0.html"
    (tmp_path / name).write_bytes(saved)
    page = new_page(offline=True)
    page.goto((tmp_path / name).as_uri())
    page.wait_for_selector(f"{ROOT}[data-painted]")
    again = Mounted.__new__(Mounted)
    again.page = page
    assert (again.data("frames"), again.step) == ("12", 30)
    assert page.locator("h1").inner_text() == "Induction"
    held = "(({ rows, films, roles, compare }) => JSON.stringify([rows, films, roles, compare, [...films[0].right]]))"
    assert again.view(f"{held}(view.recording)") == view.view(f"{held}(view.recording)")
    page.focus("[data-part=slider]")
    page.keyboard.press("Home")
    assert again.weight(2, 1) == f"{np.float32(FILM.frames[0, 1, 2, 2, 1] / 255):.2f}"
    page.click("[data-part=save]")
    assert "HTML page, offline" not in page.locator("[role=menuitem]").all_inner_texts()
