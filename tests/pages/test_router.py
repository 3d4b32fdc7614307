"""Every page of the menu runs, by its own link, and takes from the link what it says."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]


def table() -> list[tuple[str, str, str]]:
    """Script, title and path of every page, read from the router without running it."""
    tree = ast.parse((ROOT / "pages" / "ui" / "router.py").read_text(encoding="utf-8"))
    (pages,) = (
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PAGES"
    )
    return [(script, title, path) for rows in pages.values() for script, title, _, path in rows]


def link_of(path: str) -> str:
    """The landing page has the shortest link."""
    return "" if path == table()[0][2] else path


def sound(page: AppTest) -> AppTest:
    assert [error.message for error in page.exception] == []
    return page


@pytest.mark.parametrize(("script", "title", "path"), table(), ids=lambda value: value)
def test_every_page_runs_by_its_link(visit, script: str, title: str, path: str) -> None:
    assert (ROOT / "pages" / script).is_file()
    page = sound(visit(link_of(path)))
    assert [each.value for each in page.title] == [title]
    assert not page.info


def test_every_page_script_is_in_the_menu() -> None:
    folders = {path for path in (ROOT / "pages").iterdir() if path.is_dir()} - {ROOT / "pages" / "ui"}
    scripts = {path.relative_to(ROOT / "pages").as_posix() for folder in folders for path in folder.glob("[!_]*.py")}
    assert scripts == {script for script, _, _ in table()}


def test_the_state_comes_from_the_link_and_goes_back_into_it(visit) -> None:
    page = sound(visit("workbench", v="1", text="the dog", layer="1", head="2"))
    assert page.session_state["text"] == "the dog"
    assert (page.session_state["layer"], page.session_state["head"]) == (1, 2)
    written = {name: value if isinstance(value, str) else value[0] for name, value in page.query_params.items()}
    assert written == {"v": "1", "text": "the dog", "layer": "1", "head": "2"}


@pytest.mark.parametrize("value", ["-1", "1e9", "two", "", "9" * 400, "<script>", "٣"])
def test_a_bad_value_falls_back_and_says_so(visit, value: str) -> None:
    page = sound(visit("workbench", layer=value))
    assert page.session_state["layer"] == 0
    assert [each.value for each in page.info if "layer" in each.value]
