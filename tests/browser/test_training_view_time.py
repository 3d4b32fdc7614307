"""Time in the training view, in a real Chromium: scrubbed, played, followed; by keys and pointer, and as a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.apps.training_cases import FILM, STEPS, TRACK, part, shown, whole
from tests.browser.mounting import ROOT, Mounted
from viz_model.figures.theme import DARK, LIGHT
from viz_model.figures.training_view import Film, export_html

Mount = Callable[..., Mounted]


@pytest.fixture
def mount(new_page: Callable[..., Page], tmp_path: Path) -> Mount:
    return lambda **options: Mounted(new_page, tmp_path, **options)


def test_the_keyboard_scrubs_and_shows_the_frame_of_that_step(mount: Mount) -> None:
    view = mount()
    view.feed(whole(layer=1, head=1))
    view.page.focus("[data-part=slider]")
    at = 11
    assert view.step == STEPS[at]
    for key, move in (("Home", -99), ("ArrowRight", 1), ("ArrowRight", 1), ("PageUp", 10), ("ArrowLeft", -1)):
        view.page.keyboard.press(key)
        at = min(11, max(0, at + move))
        assert view.step == STEPS[at], key
        for query, key_ in ((0, 3), (3, 1)):
            assert view.weight(query, key_) == shown(FILM.frames[at, 1, 1, query, key_])
    expect(view.page.locator("[data-part=line]")).to_have_text("query 3q3 reads key 1k1")
    view.page.focus("[data-part=plots]")
    view.page.keyboard.press("PageDown")
    assert view.step == STEPS[0]
    view.page.keyboard.press("End")
    assert view.step == STEPS[11]


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_nothing_plays_by_itself_and_play_shows_every_picture(mount: Mount, motion: str) -> None:
    view = mount(reduced_motion=motion)
    view.feed(whole())
    view.page.wait_for_timeout(700)
    assert view.step == STEPS[-1]
    moving = view.page.locator("[data-part=chosen]").evaluate("node => getComputedStyle(node).transitionDuration")
    assert (moving == "0s") == (motion == "reduce")
    view.page.click("[data-choice='4×']")
    view.data("step")
    requests: list[str] = []
    view.page.on("request", lambda request: requests.append(request.url))
    view.page.evaluate(
        """root => {
            const node = document.querySelector(root);
            window.steps = [];
            new MutationObserver(() => steps.at(-1) !== node.dataset.step && steps.push(node.dataset.step))
                .observe(node, { attributeFilter: ["data-step"] });
        }""",
        ROOT,
    )
    view.page.focus("[data-part=plots]")
    view.page.keyboard.press(" ")
    expect(view.page.locator("[data-part=play]")).to_have_text("Pause")
    expect(view.page.locator("[data-part=play]")).to_have_text("Play")
    assert [int(step) for step in view.page.evaluate("steps")] == STEPS
    assert requests == []
    assert view.told == []


def test_a_pause_stays_where_it_is(mount: Mount) -> None:
    view = mount()
    view.feed(whole())
    view.page.click("[data-part=play]")
    view.page.wait_for_function(f"Number(document.querySelector('{ROOT}').dataset.step) > 0")
    view.page.click("[data-part=play]")
    step = view.step
    assert step < STEPS[-1]
    view.page.wait_for_timeout(600)
    assert view.step == step


def test_a_live_run_is_followed_until_the_person_scrubs_back(mount: Mount) -> None:
    view = mount()
    view.feed(part(0, 12))
    live = view.page.locator("[data-part=live]")
    newest = max(step for step in STEPS if step < 12)
    assert view.step == newest
    view.page.focus("[data-part=slider]")
    view.page.keyboard.press("ArrowLeft")
    expect(live).to_have_attribute("aria-pressed", "false")
    held = view.step
    assert held < newest
    view.feed(part(10, 20))
    assert view.step == held
    live.click()
    assert view.step == max(step for step in STEPS if step < 20)
    view.feed(part(18, 31))
    assert view.step == STEPS[-1]
    expect(live).to_have_attribute("aria-pressed", "true")
    view.page.focus("[data-part=slider]")
    view.page.keyboard.press("Home")
    view.page.keyboard.press("End")
    expect(live).to_have_attribute("aria-pressed", "true")
    view.feed(whole(state="done"))
    expect(live).to_be_hidden()


def test_the_curves_show_the_numbers_pointed_at_and_move_the_time(mount: Mount) -> None:
    view = mount()
    view.feed(whole())
    left, right = view.view("[view.charts.left, view.charts.right]")
    box = view.page.locator("[data-part=plots]").bounding_box()
    assert box is not None
    x, y = box["x"] + left, box["y"] + 60

    def at(step: int) -> tuple[float, float]:
        return x + (right - left) * step / 30, y

    view.page.mouse.move(*at(17))
    view.data("step")
    assert view.view("view.pointedStep") == 17
    assert view.step == STEPS[-1]
    view.page.mouse.move(*at(9))
    view.page.mouse.down()
    assert view.step == min(STEPS, key=lambda step: (abs(step - 9), step))
    view.page.mouse.move(*at(2))
    view.page.mouse.up()
    assert view.step == 2
    view.page.mouse.move(*at(25))
    assert view.step == 2


def test_the_arrow_keys_read_the_cells(mount: Mount) -> None:
    view = mount()
    view.feed(whole())
    view.page.focus("[data-part=frame]")
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight"):
        view.page.keyboard.press(key)
    weight = shown(FILM.frames[-1, 0, 0, 2, 1])
    expect(view.page.locator("[data-part=number]")).to_have_text(weight)
    assert view.step == STEPS[-1]
    expect(view.page.locator("[data-part=spoken]")).to_have_text(f"Query 2 “q2” reads key 1 “k1”: {weight}.")
    view.page.keyboard.press("Escape")
    expect(view.page.locator("[data-part=number]")).to_have_text("")


def test_one_sentence_is_spoken_when_things_rest(mount: Mount) -> None:
    view = mount()
    view.feed(whole(title="A run"))
    spoken = view.page.locator("[data-part=spoken]")
    expect(spoken).to_contain_text("seed 0, recorded. At step 30 of 30, loss")
    view.page.focus("[data-part=slider]")
    view.page.keyboard.press("Home")
    view.page.keyboard.press("ArrowRight")
    assert "At step 30" in spoken.inner_text()
    expect(spoken).to_contain_text(f"At step {STEPS[1]} of 30")
    expect(spoken).to_contain_text(f"Layer 0, head 0: meant {TRACK.roles['meant'][1, 0, 0]:.2f}")
    value = view.page.locator("[data-part=slider]").get_attribute("aria-valuetext")
    assert value == f"step {STEPS[1]}"


def pixel(view: Mounted, query: float, key: float) -> str:
    """The large map's colour at a place of its cells."""
    return view.view(
        f"""(() => {{
            const {{ left, top, cell }} = view.map, dpr = devicePixelRatio;
            const at = [(left + {key} * cell.w) * dpr, (top + {query} * cell.h) * dpr];
            const [r, g, b] = view.parts.base.getContext("2d").getImageData(...at, 1, 1).data;
            return "#" + [r, g, b].map((part) => part.toString(16).padStart(2, "0")).join("");
        }})()"""
    )


@pytest.mark.parametrize(("scheme", "theme"), [("light", LIGHT), ("dark", DARK)])
def test_the_exported_page_is_whole_offline_in_light_and_dark(
    new_page: Callable[..., Page], tmp_path: Path, scheme: str, theme: Any
) -> None:
    frames = np.zeros_like(FILM.frames)
    frames[:, 0, 0, 1, 0] = 255
    mask = np.tril(np.ones((4, 4), bool))
    tokens = ["<s>", "שלום", "</script>", "猫"]
    film = Film("self", frames, tokens, tokens, mask, FILM.right)
    path = tmp_path / "run.html"
    path.write_text(export_html(whole(films=[film]), "A run", "made up"), encoding="utf-8")
    page = new_page(scheme=scheme, offline=True)
    requests: list[str] = []
    page.goto(path.as_uri())
    page.wait_for_selector(f"{ROOT}[data-painted]")
    page.on("request", lambda request: requests.append(request.url))
    view = Mounted.__new__(Mounted)
    view.page = page
    assert pixel(view, 1.2, 0.2) == theme.attention[-1]
    assert pixel(view, 2.5, 0.2) == theme.attention[0]
    assert pixel(view, 2 + 2.5 / view.view("view.map.cell.h"), 2.5) == theme.key
    assert view.weight(1, 0) == "1.00"
    assert page.locator("[data-part=line]").inner_text() == "query 1שלום reads key 0<s>"
    assert view.weight(1, 2) == "masked"
    page.click("[data-part=right-on]")
    assert pixel(view, 2 + 2.5 / view.view("view.map.cell.h"), 2.5) == theme.attention[0]
    page.focus("[data-part=slider]")
    page.keyboard.press("Home")
    assert view.step == 0
    assert requests == []
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == f"rgb({', '.join(str(int(theme.background[i : i + 2], 16)) for i in (1, 3, 5))})"
