"""The logit lens: what the model would say after each layer."""

from __future__ import annotations

import streamlit as st

from pages.explore.parts.sentence import Bench
from pages.ui import theme
from viz_model.analysis import logit_lens
from viz_model.figures import logit_lens as draw

WIDEST = 24


def show(bench: Bench) -> None:
    n = len(bench.trace.tokens)
    first = max(0, min(bench.query - WIDEST // 2, n - WIDEST))
    logits = logit_lens(bench.run.model, bench.trace)[:, 0, first : first + WIDEST]
    probabilities = logits.softmax(-1)
    best = probabilities.max(-1)
    token = bench.run.model.tokenizer.token
    said = [[token(int(i)) for i in row] for row in best.indices]
    figure = draw(bench.trace.tokens[first : first + WIDEST], said, best.values.numpy(), theme=theme.current())
    if n > WIDEST:
        st.caption(f"Positions {first} to {min(first + WIDEST, n) - 1} of {n}, around the chosen query.")
    st.plotly_chart(figure, key="lens", theme=None, config={"displayModeBar": False})
