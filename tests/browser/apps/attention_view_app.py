"""The attention view on made-up weights: `?case=` names them, `&again=1` adds a second sentence."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import streamlit as st

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.browser.apps.attention_cases import CASES, made_up
from viz_model.figures import attention_view

st.set_page_config(layout="wide")
mount = st.components.v2.component(
    "attention_view", js=attention_view.script(), css=attention_view.style(), html=attention_view.skeleton()
)


def take_selection() -> None:
    chosen = st.session_state["view"]["selection"]
    if chosen:
        st.session_state["chosen"] = chosen


case = st.query_params.get("case", "sat")
weights, queries, keys, options = made_up(CASES[case])
# A second sentence of another length under the same mount.
if st.query_params.get("again") and st.toggle("other sentence", key="other"):
    weights, queries, keys, options = made_up(CASES["sat"])
    st.session_state.pop("chosen", None)
options |= st.session_state.get("chosen", {})
st.session_state["runs"] = st.session_state.get("runs", 0) + 1
payload = attention_view.pack(np.asarray(weights), queries, keys, **options)
mount(data=payload, key="view", on_selection_change=take_selection)
st.caption(f"run {st.session_state['runs']}, selection {st.session_state.get('chosen')}")
