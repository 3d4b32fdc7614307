"""Files to take away: at an address of the session's own, made when asked for, for as long as its page is open."""

from __future__ import annotations

import gc
import json

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match

from pages.ui import files
from tests.pages.seeing import component, offered, sound


def ask(address: str, method: str = "GET") -> Response:
    """What the server answers at the address, by its own routes."""
    scope = {"type": "http", "method": method, "path": f"/{address}", "headers": [], "query_string": b""}
    (route,) = files.routes()
    match, found = route.matches(scope)
    assert match is Match.FULL
    return files.take(Request(scope | found))


def address(page, key: str = "download_trace") -> str:
    found: str = json.loads(component(page, key).json)["address"]
    return found


def test_a_file_is_there_whenever_its_address_is_asked(visit) -> None:
    page = sound(visit("workbench"))
    where = address(page)
    first = ask(where)
    assert (first.status_code, first.media_type) == (200, "application/octet-stream")
    assert first.headers["content-disposition"] == "attachment; filename*=utf-8''trace-english-causal.npz"
    assert first.headers["cache-control"] == "no-store"
    for _ in range(3):
        sound(visit("workbench"))
        sound(page.run())
    assert address(page) == where
    assert ask(where).body == first.body
    assert ask(where, "HEAD").body == b""


def test_what_another_page_offered_is_gone_in_a_plain_sentence(visit) -> None:
    page = sound(visit("workbench"))
    where = address(page)
    page.switch_page("../learn/the_cat_sat.py").run()
    for method in ("GET", "HEAD"):
        gone = ask(where, method)
        assert (gone.status_code, bytes(gone.body).decode()) == (404, files.GONE)
    assert "download_trace" not in offered(page)


def test_nobody_has_anothers_files_and_nobodys_outlive_the_session(visit) -> None:
    one, other = sound(visit("workbench")), sound(visit("workbench"))
    where = address(one)
    shelf = where.split("/")[1]
    assert shelf != address(other).split("/")[1]
    assert len(shelf) >= 20
    del one
    gc.collect()
    assert ask(where).status_code == 404


def test_a_file_that_cannot_be_made_is_said_in_a_plain_sentence(visit, caplog: pytest.LogCaptureFixture) -> None:
    page = sound(visit("workbench"))

    def fails() -> bytes:
        raise MemoryError("no room")

    shelf = page.session_state["shelf"]
    shelf.files["x"] = files.File(fails, "הקובץ 1.csv", "text/csv")
    where = f"take/{shelf.address}/x"
    assert ask(where, "HEAD").headers["content-disposition"].endswith("%D7%94%D7%A7%D7%95%D7%91%D7%A5%201.csv")
    failed = ask(where)
    assert (failed.status_code, bytes(failed.body).decode()) == (500, files.FAILED)
    assert "no room" in caplog.text


@pytest.mark.parametrize("base", ["", "glass", "/a/b/"])
def test_the_address_is_below_the_apps_own_path(monkeypatch: pytest.MonkeyPatch, base: str) -> None:
    monkeypatch.setattr(files.st, "get_option", lambda name: base if name == "server.baseUrlPath" else None)
    (route,) = files.routes()
    below = f"/{base.strip('/')}" if base else ""
    scope = {"type": "http", "method": "GET", "path": f"{below}/take/shelf/key"}
    assert route.matches(scope)[0] is Match.FULL
