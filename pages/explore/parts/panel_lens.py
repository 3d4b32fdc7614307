"""The logit lens, and which parts of the model wrote the answer into the residual stream."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.explore.parts.sentence import Bench
from pages.explore.parts.taking import about
from pages.ui import chrome, downloads, theme
from viz_model.analysis import logit_lens, residual_terms
from viz_model.figures import logit_lens as draw
from viz_model.figures.term_list import term_list
from viz_model.figures.theme import Theme
from viz_model.prediction import predict

WIDEST = 24  # positions in the picture


def show(bench: Bench) -> None:
    tokens, token = bench.trace.tokens, bench.run.model.tokenizer.token
    first = max(0, min(bench.query - WIDEST // 2, len(tokens) - WIDEST))
    probabilities = logit_lens(bench.run.model, bench.trace)[:, 0, first : first + WIDEST].softmax(-1)
    best = probabilities.max(-1)
    says, shares = [[token(i) for i in row] for row in best.indices.tolist()], best.values.numpy()
    read = tokens[first : first + WIDEST]
    layers = ["embedding", *(f"layer {i}" for i in range(len(bench.trace.blocks)))]

    def drawn(look: Theme) -> Any:
        return draw(says, shares, positions=read, layers=layers, theme=look)

    if len(tokens) > WIDEST:
        st.caption(f"Positions {first} to {first + WIDEST - 1} of {len(tokens)}, around the chosen query.")
    st.plotly_chart(drawn(theme.current()), key="lens", theme=None, config={"displayModeBar": False})
    if chrome.shown("downloads"):
        cells = [(i, j) for i in range(len(layers)) for j in range(len(read))]
        columns = {
            "after": [layers[i] for i, _ in cells],
            "position": [first + j for _, j in cells],
            "having read": [read[j] for _, j in cells],
            "says next": [says[i][j] for i, j in cells],
            "probability": [float(shares[i, j]) for i, j in cells],
        }
        downloads.menu("lens", columns, downloads.Picture(drawn, "Logit lens"), caption=about(bench))
    _answer(bench)


def _answer(bench: Bench) -> None:
    """The logit of the model's own answer as a sum over the parts of the model."""
    found = predict(bench.run.model, bench.trace, bench.run.reading.encoding, bench.query)
    answer = int(found.distribution.order[0])
    terms = residual_terms(bench.run.model, bench.trace, position=found.position, token=answer)
    said = bench.run.model.tokenizer.token(answer)
    st.markdown(
        f"**Who wrote “{chrome.literal(said)}”?** Its logit at position {found.position} is a sum: what each part of "
        "the model added to the residual stream, read through the unembedding with the norm's scale held fixed."
    )
    logit = float(bench.trace.logits[0, found.position, answer])
    st.html(
        term_list([(_name(t.kind, t.layer, t.head), t.value) for t in terms], logit, caption="Parts, largest first")
    )


def _name(kind: str, layer: int | None, head: int | None) -> str:
    name = kind.replace("_", " ")
    if head is not None:
        return f"layer {layer} head {head}"
    return name if layer is None else f"layer {layer} {name}"
