"""Below the picture, one panel at a time: query-key terms, lens, rollout, attribution, generation, tokens."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from pages.explore.parts import (
    panel_attribution,
    panel_generate,
    panel_lens,
    panel_rollout,
    panel_terms,
    panel_tokens,
    panel_values,
)
from pages.explore.parts.sentence import Bench
from pages.ui import chrome, session

TITLES = {
    "query-key": "Query · key",
    "lens": "Logit lens",
    "rollout": "Rollout",
    "values": "Value-weighted",
    "attribution": "Attribution",
    "generate": "Generate",
    "tokens": "Tokens",
}
PANELS = {
    "query-key": panel_terms.show,
    "lens": panel_lens.show,
    "rollout": panel_rollout.show,
    "values": panel_values.show,
    "attribution": panel_attribution.show,
    "generate": panel_generate.show,
    "tokens": panel_tokens.show,
}


def show(bench: Bench, words: Mapping[str, str]) -> None:
    if not chrome.shown("panels"):
        return
    st.segmented_control(
        "Look closer",
        session.PANELS,
        key="panel",
        format_func=TITLES.get,
        required=True,
        disabled=chrome.locked("panel"),
    )
    panel = st.session_state["panel"]
    if panel in words:
        st.markdown(words[panel])
    PANELS[panel](bench)
