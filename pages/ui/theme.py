"""The viewer's theme, light or dark, for figures that are drawn on the server."""

from __future__ import annotations

import streamlit as st

from viz_model.figures.theme import Theme, theme_named


def current() -> Theme:
    """Light or dark, as the viewer's browser says."""
    return theme_named(st.context.theme.type)
