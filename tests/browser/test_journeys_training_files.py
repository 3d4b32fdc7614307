"""Live training and files: one's own text, a run that is kept and taken up, files that are none."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import viz_model as vm
from tests.browser.reading import becomes, wait_for_link
from tests.browser.training import VIEW, frames, newest_step, press, reaches
from tests.browser.watching import no_traceback, painted, settled
from viz_model.training.saved import read_run

HEBREW = "בראשית ברא אלהים את השמים ואת הארץ והארץ היתה תהו ובהו וחשך על פני תהום " * 60
CHINESE = "天地玄黃，宇宙洪荒。日月盈昃，辰宿列張。寒來暑往，秋收冬藏。閏餘成歲，律呂調陽。雲騰致雨，露結為霜。" * 60
SMALL = "recipe=steps%3D30~n_layers%3D1~batch_size%3D8"


@pytest.mark.parametrize(
    ("text", "encoding", "asked", "direction"),
    [
        (HEBREW, "utf-8-sig", "objective=masked&tokenizer=byte-bpe", "rtl"),
        (CHINESE, "utf-8", "objective=prefix&tokenizer=unigram", "ltr"),
    ],
    ids=["hebrew", "chinese"],
)
def test_ones_own_text_in_any_script(
    live, tmp_path: Path, text: str, encoding: str, asked: str, direction: str
) -> None:
    page = live()
    file = tmp_path / "mine.txt"
    file.write_text(text, encoding=encoding)
    page.goto(page.url.split("?")[0] + f"?v=1&task=own-text&source=yours&{asked}&{SMALL}")
    settled(page)
    page.locator("input[type=file]").first.set_input_files(file)
    expect(page.get_by_text(file.name)).to_be_visible()
    settled(page)
    press(page, "Start")
    page.wait_for_selector(f"{VIEW}[data-painted]", timeout=120_000)  # before it there was no run of this task
    reaches(page, "done")
    tokens = page.locator(VIEW).evaluate("root => root.view.recording.films[0].queries")
    assert sum(token.strip("␣") in text for token in tokens) > 20
    passage = page.locator(f"{VIEW} [data-part=passage] p").first  # where the words have no room beside the map
    assert passage.get_attribute("dir") == direction
    words = passage.locator("bdi")
    assert words.all_inner_texts() == tokens
    left, right = (words.nth(i).bounding_box()["x"] for i in (1, 2))
    assert (left < right) == (direction == "ltr")
    words.nth(2).hover()
    expect(page.locator(f"{VIEW} [data-part=line]")).to_have_text(f"query 2{tokens[2]}")
    page.locator(f"{VIEW} [data-part=slider]").focus()
    page.keyboard.press("Home")
    expect(page.locator(f"{VIEW}[data-step='0']")).to_have_count(1)
    no_traceback(page)


def test_train_save_load_and_open_in_the_workbench(live, tmp_path: Path) -> None:
    page = live("task=copy&recipe=steps%3D60")
    press(page, "Start")
    reaches(page, "done")
    settled(page)
    with page.expect_request("**/take/**") as asked, page.expect_download() as download:
        page.get_by_role("button", name="Save the run").click()
    kept = tmp_path / "copy.safetensors"
    download.value.save_as(kept)
    saved = read_run(kept.read_bytes())
    assert saved.snapshots[-1].step == 60

    other = live("task=sort")
    load(other, kept)
    becomes(other, lambda: newest_step(other), 60)
    expect(other.locator(f"{VIEW} [data-part=state]")).to_have_text("loaded")
    late = page.request.get(asked.value.url)  # after many scripts of another: a browser far away asks as late
    assert late.body() == kept.read_bytes()
    press(other, "Open in the workbench")
    wait_for_link(other, text=saved.task.probe()[0].text)
    painted(other)
    with other.expect_download() as traced:
        other.get_by_role("button", name="Trace (NPZ)").click()
    with np.load(BytesIO(Path(traced.value.path()).read_bytes())) as arrays:
        labels = json.loads(str(arrays["labels"]))
        shown = {name: arrays[name] for name in arrays.files if name != "labels"}
    trace = vm.run(saved.model, labels["text"])
    for i, block in enumerate(trace.blocks):
        weights = next(values for name, values in shown.items() if name.endswith(f"{i}.attention.weights"))
        np.testing.assert_allclose(weights, block.attention.weights.numpy(), atol=1e-6)
    np.testing.assert_allclose(shown["logits"], trace.logits.numpy(), atol=1e-6)


def load(page: Page, file: Path) -> None:
    press(page, "Load")
    page.get_by_test_id("stPopoverBody").locator("input[type=file]").set_input_files(file)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x80\x04\x95 something", "a pickle"),
        (b"PK\x03\x04 something", "a zip archive"),
        (b"\x00" * 5000, "damaged"),
    ],
)
def test_a_bad_file_says_what_it_is_and_the_run_on_show_stays(live, tmp_path: Path, content: bytes, said: str) -> None:
    page = live()
    before = newest_step(page), frames(page)
    bad = tmp_path / "bad.safetensors"
    bad.write_bytes(content)
    load(page, bad)
    told = page.get_by_test_id("stAlert").filter(has_text="was not loaded")
    expect(told).to_have_count(2)  # on the page, and where the file was given
    expect(told.last).to_contain_text(said)
    assert (newest_step(page), frames(page)) == before
    no_traceback(page)
