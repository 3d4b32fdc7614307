"""Below the picture, one panel at a time: query-key terms, lens, rollout, attribution, generation, tokens."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

import streamlit as st

from pages.explore.parts.sentence import Bench
from pages.ui import chrome, link_table

TITLES = {
    "query-key": "Query · key",
    "lens": "Logit lens",
    "rollout": "Rollout",
    "values": "Value-weighted",
    "attribution": "Attribution",
    "generate": "Generate",
    "tokens": "Tokens",
}
# Modules, imported when first looked at: some bring a plotting library, which the first picture need not wait for.
PANELS = {
    "query-key": "panel_terms",
    "lens": "panel_lens",
    "rollout": "panel_rollout",
    "values": "panel_values",
    "attribution": "panel_attribution",
    "generate": "panel_generate",
    "tokens": "panel_tokens",
}


def show(bench: Bench, words: Mapping[str, str]) -> None:
    if not chrome.shown("panels"):
        return
    st.segmented_control(
        "Look closer",
        link_table.PANELS,
        key="panel",
        format_func=TITLES.get,
        required=True,
        disabled=chrome.locked("panel"),
    )
    panel = st.session_state["panel"]
    if panel in words:
        st.markdown(words[panel])
    import_module(f"pages.explore.parts.{PANELS[panel]}").show(bench)
