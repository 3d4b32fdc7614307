"""Files to take away: made when asked for, at an address of our own that is good for as long as the session's page.

Streamlit lets go of a file that was made on a click when two more scripts have ended, of whatever session: with eight
viewers who train and 300 ms to the server and back, three clicks of four gave nothing. Here nothing is kept that could
be let go too early: the address names what makes the file.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import quote
from weakref import WeakValueDictionary

import streamlit as st
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

GONE = "This file is gone: reload the page, then ask for it again."
FAILED = "This file could not be made; the server's log says why."


@dataclass(frozen=True, slots=True)
class File:
    make: Callable[[], bytes | str]
    name: str
    mime: str


@dataclass(slots=True, eq=False, weakref_slot=True)
class _Shelf:
    """What a session's page offers, by the key of its button. Its address is the session's secret."""

    address: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    page: str = ""
    files: dict[str, File] = field(default_factory=dict)


_shelves: WeakValueDictionary[str, _Shelf] = WeakValueDictionary()  # each ends with its session


def offer(key: str, file: File | None) -> str:
    """The address of the file from the page's own, '' for none: the button of this key gives nothing now."""
    shelf = _shelf()
    if file is None:
        shelf.files.pop(key, None)
        return ""
    shelf.files[key] = file
    return f"take/{shelf.address}/{quote(key, safe='')}"


def turn_to(page: str) -> None:
    """What another page offered is let go, and whatever its files were to be made of."""
    shelf = _shelf()
    if shelf.page != page:
        shelf.page = page
        shelf.files.clear()


def take(request: Request) -> Response:
    """The file at an address; asked by HEAD, only whether it is there. Runs beside the server's loop, in a thread."""
    shelf = _shelves.get(request.path_params["shelf"])
    file = shelf.files.get(request.path_params["key"]) if shelf is not None else None
    if file is None:
        return PlainTextResponse(GONE, 404)
    headers = {
        "Content-Disposition": f"attachment; filename*=utf-8''{quote(file.name, safe='')}",
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }
    if request.method == "HEAD":
        return Response(media_type=file.mime, headers=headers)
    try:
        made = file.make()
    except Exception:
        logging.getLogger(__name__).exception("the file %s", file.name)
        return PlainTextResponse(FAILED, 500)
    return Response(made, media_type=file.mime, headers=headers)


def routes() -> list[Route]:
    """Where the server gives the files, also where it is served below a path of another."""
    below = str(st.get_option("server.baseUrlPath")).strip("/")
    return [Route(f"{'/' + below if below else ''}/take/{{shelf}}/{{key}}", take)]


def _shelf() -> _Shelf:
    if "shelf" not in st.session_state:
        st.session_state["shelf"] = _Shelf()
    shelf: _Shelf = st.session_state["shelf"]
    _shelves[shelf.address] = shelf
    return shelf
