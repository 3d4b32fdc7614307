"""A sentence and the attention view, nothing else: what the picture itself costs, with the app's own cached runs."""

from __future__ import annotations

import sys
from pathlib import Path

import streamlit as st

sys.path.insert(0, str(Path(__file__).parents[3]))

from pages.ui import warm_up
from viz_model import load, run
from viz_model.figures import attention_view

st.set_page_config(layout="wide")
mount = st.components.v2.component(
    "attention_view", js=attention_view.script(), css=attention_view.style(), html=attention_view.skeleton()
)


@st.cache_resource
def model() -> object:
    return load("english-causal")


st.text_input("Sentence", value="The cat sat on the mat", key="text", live="200ms")
trace = run(model(), st.session_state["text"])
weights = [block.attention.weights[0].numpy() for block in trace.blocks]
mask = trace.blocks[0].attention.mask[0, 0].numpy()
mount(data=attention_view.pack(weights, trace.tokens, mask=mask), key="view")
warm_up.settle()
