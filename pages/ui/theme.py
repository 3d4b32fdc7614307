"""The viewer's theme, light or dark, for figures that are drawn on the server."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from viz_model.figures.theme import Theme, theme_named

_WATCH = Path(__file__).parents[2] / "assets" / "theme_watch" / "theme_watch.js"
_watch = st.components.v2.component("theme_watch", js=_WATCH.read_text(encoding="utf-8"))


def current() -> Theme:
    """Light or dark, as the viewer's browser says."""
    return theme_named(st.context.theme.type)


def follow() -> None:
    """Draws the page again when the viewer turns it light or dark; until then its charts have the other colours."""
    _watch(key="theme_watch", on_turned_change=lambda: None)
