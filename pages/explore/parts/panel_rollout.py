"""Attention rollout through the layers."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.explore.parts.sentence import Bench
from pages.explore.parts.taking import take_map
from pages.ui import theme
from viz_model.analysis import rollout
from viz_model.figures import attention_heatmap
from viz_model.figures.theme import Theme


def show(bench: Bench) -> None:
    flow = rollout(bench.trace)
    tokens = bench.trace.tokens
    layer = bench.layer
    shares, mask = flow[layer, 0].numpy(), bench.attention.mask[0, 0].numpy()
    title = f"Rollout up to layer {layer}, heads averaged"

    def draw(look: Theme) -> Any:
        return attention_heatmap(shares, tokens, tokens, mask=mask, title=title, theme=look)

    st.plotly_chart(draw(theme.current()), key="rollout", theme=None, config={"displayModeBar": False})
    take_map("rollout", bench, draw, title, tokens, tokens, shares)
