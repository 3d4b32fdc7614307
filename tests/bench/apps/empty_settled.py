"""The empty page on a server whose collector was settled once, as the app does it: Streamlit's own rerun is left."""

import sys
from pathlib import Path

import streamlit as st

sys.path.insert(0, str(Path(__file__).parents[3]))

from pages.ui import warm_up

st.set_page_config(layout="wide")
st.text_input("Sentence", key="text", live="200ms")
st.session_state["runs"] = st.session_state.get("runs", 0) + 1
st.write(f"run {st.session_state['runs']}")
warm_up.settle()
