"""Value-weighted attention: what each link really carries into the residual stream."""

from __future__ import annotations

import streamlit as st

from pages.explore.parts.sentence import Bench
from pages.ui import theme
from viz_model.analysis import value_weighted_norms
from viz_model.figures import tensor_heatmap

LONGEST = 128


def show(bench: Bench) -> None:
    tokens = bench.trace.tokens[:LONGEST]
    layer = bench.run.model.stack.layers[bench.layer].attention
    sizes = value_weighted_norms(layer, bench.attention)[0, bench.head, :LONGEST, :LONGEST]
    if len(bench.trace.tokens) > LONGEST:
        st.caption(f"The first {LONGEST} of {len(bench.trace.tokens)} positions.")
    figure = tensor_heatmap(
        sizes.numpy(),
        tokens,
        tokens,
        signed=False,
        axes=("query (reads)", "key (is read)"),
        title=f"Size of weight × value through W_O, layer {bench.layer}, head {bench.head}",
        theme=theme.current(),
    )
    st.plotly_chart(figure, key="values", theme=None, config={"displayModeBar": False})
