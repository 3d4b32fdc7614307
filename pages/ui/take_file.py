"""The button that takes a file away."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from pages.ui import files

_FOLDER = Path(__file__).parents[2] / "assets" / "take_file"
_take_file = st.components.v2.component(
    "take_file",
    html='<div class="take-file"><button type="button"><i aria-hidden="true">download</i><span></span></button>'
    '<span role="status"></span></div>',
    css=(_FOLDER / "take_file.css").read_text(encoding="utf-8"),
    js=(_FOLDER / "take_file.js").read_text(encoding="utf-8"),
)


def button(
    label: str,
    make: Callable[[], bytes | str],
    file: str,
    *,
    mime: str,
    key: str,
    about: str | None,
    ready: bool = True,
) -> None:
    """A file that is made when it is asked for; `about` says in one line what it is, or why it is not ready.

    `make` is called outside of the page's run: it must know all that it needs.
    """
    address = files.offer(key, files.File(make, file, mime) if ready else None)
    _take_file(key=key, data={"label": label, "address": address, "file": file, "about": about or ""}, width="content")
