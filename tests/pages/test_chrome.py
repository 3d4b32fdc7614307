"""What surrounds the pictures: a teacher's link hides, locks and presents; text stays text."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages.ui import chrome, link_locks, link_table
from tests.pages.seeing import by_key, calculation, link_of, notes, offered, panes, selector, sound

ROOT = Path(__file__).parents[2]
LESSON = {"mode": "sentence"}


def has(elements: object, key: str) -> bool:
    return any(each.key == key for each in elements)


def has_text(elements: object, text: str) -> bool:
    return any(text in each.value for each in elements)


# Of every name: a page, its link, and whether the part is there.
PARTS: dict[str, tuple[str, dict[str, str], Callable[[AppTest], bool]]] = {
    "link": ("workbench", {}, lambda page: has(page.get("bidi_component"), "copy_link")),
    "idea": ("workbench", {}, lambda page: has_text(page.markdown, "Every head of every layer")),
    "equation": ("workbench", {}, lambda page: bool(page.latex)),
    "what_if": ("", {}, lambda page: has(page.toggle, "scaled")),
    "downloads": ("workbench", {}, lambda page: "download_trace" in offered(page)),
    "edits": ("workbench", {}, lambda page: has(page.button, "edit_ablate")),
    "panels": ("workbench", {}, lambda page: has(page.button_group, "panel")),
    "experiments": ("workbench", {}, lambda page: has(page.button, "try_0")),
    "question": ("workbench", {}, lambda page: has(page.radio, "predict_workbench")),
}
CONTROLS: dict[str, tuple[str, dict[str, str], Callable[[AppTest], bool]]] = {
    "text": ("workbench", {}, lambda page: by_key(page.text_input, "text").disabled),
    "model": ("workbench", {}, lambda page: by_key(page.selectbox, "model").disabled),
    "layer": ("", LESSON, lambda page: by_key(page.selectbox, "layer").disabled),
    "head": ("", LESSON, lambda page: by_key(page.selectbox, "head").disabled),
    "mode": ("", {}, lambda page: selector(page, "mode").disabled),
    "step": ("", {}, lambda page: selector(page, "step").disabled and by_key(page.button, "next").disabled),
    "word": ("", {}, lambda page: selector(page, "word").disabled),
    "what_if": ("", {}, lambda page: by_key(page.toggle, "causal").disabled),
    "edits": ("workbench", {}, lambda page: by_key(page.button, "edit_ablate").disabled),
    "panel": ("workbench", {}, lambda page: selector(page, "panel").disabled),
    "relation": ("sentence", {}, lambda page: selector(page, "relation").disabled),
    "d_k": ("scale", {}, lambda page: by_key(page.select_slider, "d_k").disabled),
    "bodies": ("recurrence", {"comparison": "costs"}, lambda page: selector(page, "counted").disabled),
    "beam": ("translation", {"translation_part": "beam"}, lambda page: by_key(page.slider, "beam_width").disabled),
    "position": ("positions", {}, lambda page: by_key(page.slider, "pe_position").disabled),
    "task": ("live", {}, lambda page: by_key(page.selectbox, "task").disabled),
    "recipe": ("live", {}, lambda page: by_key(page.number_input, "seed").disabled),
    "training": ("live", {}, lambda page: by_key(page.button, "start").disabled),
    "experiments": ("workbench", {}, lambda page: by_key(page.button, "try_0").disabled),
    "question": ("workbench", {}, lambda page: by_key(page.radio, "predict_workbench").disabled),
}


def test_the_tables_here_name_every_part_and_control() -> None:
    assert set(PARTS) == set(link_locks.HIDEABLE)
    assert set(CONTROLS) == set(link_locks.LOCKABLE)


@pytest.mark.parametrize("name", PARTS)
def test_hide_leaves_out_that_part_alone(visit, name: str) -> None:
    path, link, is_there = PARTS[name]
    assert is_there(sound(visit(path, **link)))
    page = sound(visit(path, hide=name, **link))
    assert not is_there(page)
    for other, (its_path, _, other_is_there) in PARTS.items():
        if other != name and its_path == path:
            assert other_is_there(page), other
    assert link_of(page)["hide"] == name


@pytest.mark.parametrize("name", CONTROLS)
def test_lock_fixes_that_control_alone(visit, name: str) -> None:
    path, link, is_fixed = CONTROLS[name]
    assert not is_fixed(sound(visit(path, **link)))
    page = sound(visit(path, lock=name, **link))
    assert is_fixed(page)
    for other, (its_path, its_link, other_is_fixed) in CONTROLS.items():
        # The experiments go with whatever they would change: they have a test of their own.
        if other not in (name, "experiments") and (its_path, its_link) == (path, link):
            assert not other_is_fixed(page), other


@pytest.mark.parametrize(
    ("path", "lock", "fixed"),
    [
        ("workbench", "text", {0, 1, 2}),
        ("workbench", "edits", {0, 1, 2}),
        ("workbench", "panel", set()),
        ("", "what_if", {0, 1, 2}),
        ("", "word", {2}),
        ("", "question", set()),
    ],
)
def test_an_experiment_is_locked_with_what_it_would_change(visit, path: str, lock: str, fixed: set[int]) -> None:
    page = sound(visit(path, lock=lock))
    assert {i for i in range(3) if by_key(page.button, f"try_{i}").disabled} == fixed


def test_the_numbers_of_the_textbook_are_locked_with_its_rules(visit) -> None:
    def editable(page) -> bool:
        return any(item.get("editable") for item in calculation(page).header["items"])

    assert editable(sound(visit("", step="dots")))
    assert not editable(sound(visit("", step="dots", lock="what_if")))


def test_several_names_go_together_and_stay_across_pages(visit) -> None:
    page = sound(visit("workbench", hide="idea~question", lock="text~model"))
    page.switch_page("../learn/the_cat_sat.py").run()
    selector(page, "mode").set_value("sentence").run()
    assert not page.radio
    assert by_key(page.text_input, "text").disabled
    assert by_key(page.selectbox, "model").disabled
    assert not by_key(page.selectbox, "head").disabled


@pytest.mark.parametrize(
    ("key", "known", "good"),
    [
        ("hide", link_locks.HIDEABLE, "edits"),
        ("lock", link_locks.LOCKABLE, "edits"),
        ("block_variants", link_table.BLOCK_VARIANTS, "neither"),
    ],
)
def test_a_name_that_no_page_knows_is_refused_and_the_others_hold(visit, key: str, known, good: str) -> None:
    page = sound(visit("block", block_part="start", **{key: f"{good}~idae"}))
    (note,) = notes(page)
    assert note == f"The link's {key} does not know idae; it knows {', '.join(known)}."
    assert link_of(page)[key] == good
    assert page.session_state[key] == (good,)
    assert notes(page.run()) == []


def test_a_list_of_which_nothing_is_known_is_the_usual_one(visit) -> None:
    page = sound(visit("block", block_part="start", block_variants="idae"))
    (note,) = notes(page)
    assert note.startswith("The link's block_variants does not know idae; it knows pre-norm, ")
    assert page.session_state["block_variants"] == link_table.BLOCK_VARIANTS
    assert "block_variants" not in link_of(page)


def test_every_list_of_a_link_is_either_known_or_read_word_by_word() -> None:
    """A list that is neither would drop what it does not know without a word."""
    lists = {key for key, entry in link_table.TABLE.items() if isinstance(entry.default, tuple)}
    assert {key for key in lists if not link_table.TABLE[key].known} == {"edits", "changes", "recipe"}


def test_locked_edits_of_a_link_stay_in_force(visit) -> None:
    page = sound(visit("workbench", lock="edits", edits="ablate_0_0"))
    assert by_key(page.button, "undo").disabled
    assert by_key(page.button, "clear").disabled
    assert has_text(page.caption, "silenced")


def test_present_is_large_and_without_the_menu(visit) -> None:
    def dressed(page: AppTest) -> str:
        return "".join(each for each in panes(page) if "block-container" in each)

    page = sound(visit("workbench", present="1"))
    assert "font-size: 20px" in dressed(page)
    assert '[data-testid="stSidebar"]' in dressed(page)
    assert "font-size: 20px" not in dressed(visit("workbench"))
    assert link_of(page) == {"v": "1", "present": "1"}


SAFE = " \"%',/;=?@^"  # CommonMark may escape these, and none of them alone starts anything within a line


@given(st.text(max_size=40))
def test_literal_text_leaves_no_mark_that_markdown_could_read(text: str) -> None:
    literal = chrome.literal(text)
    assert re.sub(r"\\(.)", r"\1", literal, flags=re.DOTALL) == text
    bare = re.sub(r"\\.", "", literal, flags=re.DOTALL)
    assert not set(bare) & (set(string.punctuation) - set(SAFE))


def test_every_page_has_prose_for_what_it_says() -> None:
    assert {"idea", "equation"} <= set(chrome.prose("workbench"))
    assert {f"step {name}" for name in link_table.STEPS} <= set(chrome.prose("the_cat_sat"))


def teachers_names(function: str) -> set[str]:
    """The names that pages pass to chrome.shown or chrome.locked; {key} stands for the names that a loop gives it."""
    names = set()
    for path in (ROOT / "pages").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in (function, f"chrome.{function}"):
                argument, *others = node.args
                if others:  # display.shown is another
                    continue
                names |= {argument.value} if isinstance(argument, ast.Constant) else {"layer", "head"}
    return names


def test_the_names_of_a_teachers_link_are_the_names_that_pages_ask_for() -> None:
    assert teachers_names("shown") == set(link_locks.HIDEABLE)
    assert teachers_names("locked") == set(link_locks.LOCKABLE)
