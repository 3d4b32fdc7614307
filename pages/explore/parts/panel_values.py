"""Value-weighted attention: what each link really carries into the residual stream."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.explore.parts.sentence import Bench
from pages.explore.parts.taking import take_map
from pages.ui import theme
from viz_model.analysis import value_weighted_norms
from viz_model.figures import tensor_heatmap
from viz_model.figures.theme import Theme

LONGEST = 128


def show(bench: Bench) -> None:
    tokens = bench.trace.tokens[:LONGEST]
    layer = bench.run.model.stack.layers[bench.layer].attention
    sizes = value_weighted_norms(layer, bench.attention)[0, bench.head, :LONGEST, :LONGEST]
    if len(bench.trace.tokens) > LONGEST:
        st.caption(f"The first {LONGEST} of {len(bench.trace.tokens)} positions.")
    title = f"Size of weight × value through W_O, layer {bench.layer}, head {bench.head}"

    def draw(look: Theme) -> Any:
        axes = ("query (reads)", "key (is read)")
        return tensor_heatmap(sizes.numpy(), tokens, tokens, signed=False, axes=axes, title=title, theme=look)

    st.plotly_chart(draw(theme.current()), key="values", theme=None, config={"displayModeBar": False})
    take_map("values", bench, draw, title, tokens, tokens, sizes.numpy())
