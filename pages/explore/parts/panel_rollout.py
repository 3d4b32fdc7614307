"""Attention rollout through the layers."""

from __future__ import annotations

import streamlit as st

from pages.explore.parts.sentence import Bench
from pages.ui import theme
from viz_model.analysis import rollout
from viz_model.figures import attention_heatmap


def show(bench: Bench) -> None:
    flow = rollout(bench.trace)
    tokens = bench.trace.tokens
    layer = bench.layer
    figure = attention_heatmap(
        flow[layer, 0].numpy(),
        tokens,
        tokens,
        mask=bench.attention.mask[0, 0].numpy(),
        title=f"Rollout up to layer {layer}, heads averaged",
        theme=theme.current(),
    )
    st.plotly_chart(figure, key="rollout", theme=None, config={"displayModeBar": False})
