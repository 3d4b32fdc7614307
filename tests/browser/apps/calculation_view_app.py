"""A page with the calculation view alone: `?case=` and `?step=` pick the picture, edits and selection are echoed."""

from __future__ import annotations

import numpy as np
import streamlit as st

from viz_model.figures.calculation_view import Lit, Matrix, Operator, Rule, pack, script, style

st.set_page_config(layout="wide")

TIMES, EQUALS = Operator("×"), Operator("=")
SENTENCES = {
    "textbook": ["The", "cat", "sat"],
    "sentence": [
        *("The", "government", "is", "considering", "closing", "schools"),
        *("in", "the", "small", "town", "today", "."),
    ],
    "scripts": ["שלום", "עולם", "👩‍👩‍👧‍👦", "naïve", "\n", " ", "<script>", "donaudampfschifffahrtsgesellschaft"],
    "long": [f"word{i}" if i % 3 else "the" for i in range(64)],
}


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def dots(words: list[str], d_head: int, q: np.ndarray, k: np.ndarray, reader: int) -> bytes:
    items = [
        Matrix("q", q[reader : reader + 1], [words[reader]], role="query", of=words[reader]), TIMES,
        Matrix("K^T", k.T, None, words, role="key", note="one column a token"), EQUALS,
        Matrix("dots", q[reader : reader + 1] @ k.T, [words[reader]], words, role="signed"),
    ]  # fmt: skip
    return pack(
        items, step="dots", rule=Rule("matmul", "dots", ("q", "K^T")), summary="Dot products of one query with each key"
    )


def project(words: list[str], x: np.ndarray, w: np.ndarray, lit: bool) -> bytes:
    items = [
        Matrix("X", x, words, lit=Lit(rows=(1,)) if lit else None, editable=x.size < 20), TIMES,
        Matrix("W_Q", w, role="signed", editable=x.size < 20), EQUALS,
        Matrix("Q", x @ w, words, role="query", lit=Lit(rows=(1,)) if lit else None),
    ]  # fmt: skip
    rule = Rule("matmul", "Q", ("X", "W_Q"))
    return pack(
        items, step="project", rule=rule, summary="Queries", focus="offer", selected=st.session_state.get("chosen")
    )


def weights(words: list[str], scores: np.ndarray, closed: bool) -> bytes:
    n = len(words)
    masked = np.triu(np.ones((n, n), dtype=bool), 1)
    masked[0] |= closed
    w = np.where(masked, 0, softmax(np.where(masked, -1e9, scores)))
    items = [
        Operator("softmax"), Matrix("scores", scores, words, words, role="signed", masked=masked), EQUALS,
        Matrix("weights", w, words, words, role="attention", masked=masked),
    ]  # fmt: skip
    return pack(items, step="softmax", rule=Rule("row", "weights", ("scores",)), summary="Softmax of the masked scores")


def mix(words: list[str], scores: np.ndarray, v: np.ndarray) -> bytes:
    w = softmax(scores)
    items = [
        Matrix("weights", w, words, words, role="attention"), TIMES, Matrix("V", v, words, role="value"), EQUALS,
        Matrix("heads", w @ v, words),
    ]  # fmt: skip
    return pack(
        items, step="mix", rule=Rule("matmul", "heads", ("weights", "V")), summary="Weighted sums of the values"
    )


def scale(words: list[str], scores: np.ndarray, d_head: int) -> bytes:
    items = [
        Matrix("dots", scores, words, words, role="signed"), Operator("÷ √d_k", "divided by the root of d k"), EQUALS,
        Matrix("scores", scores / d_head**0.5, words, words, role="signed"),
    ]  # fmt: skip
    return pack(items, step="scale", rule=Rule("elementwise", "scores", ("dots",)), summary="Scaling")


def picture(case: str, step: str) -> bytes:
    words = SENTENCES[case]
    small = len(words) < 4
    d_model, d_head = (4, 4) if small else (64, 16)
    draw = np.random.default_rng(0)
    x, w, k, v = (
        draw.normal(size=shape)
        for shape in ((len(words), d_model), (d_model, d_head), (len(words), d_head), (len(words), d_head))
    )
    w /= d_model**0.5
    if small:
        x, w, k, v = x.round(1), w.round(1), k.round(1), v.round(1)
    for (name, row, column), value in st.session_state.get("edits", {}).items():
        {"X": x, "W_Q": w}[name][row, column] = value
    q = x @ w
    scores = q @ k.T
    if case == "scripts":
        d_head, q, k, v = 4, q[:, :4], k[:, :4], v[:, :4]
    makers = {
        "dots": lambda: dots(words, d_head, q, k, 1),
        "project": lambda: project(words, x, w, lit=not small),
        "softmax": lambda: weights(words, scores / d_head**0.5, closed=False),
        "closed": lambda: weights(words, scores / d_head**0.5, closed=True),
        "mix": lambda: mix(words, scores / d_head**0.5, v),
        "scale": lambda: scale(words, scores, d_head),
    }
    return makers[step]()


def on_edit() -> None:
    edit = st.session_state["view"].edit
    st.session_state.setdefault("edits", {})[edit["matrix"], edit["row"], edit["column"]] = edit["value"]


def on_cell() -> None:
    cell = st.session_state["view"].cell
    st.session_state["chosen"] = (cell["matrix"], cell["row"], cell["column"])


step = st.selectbox("step", ["dots", "project", "softmax", "closed", "mix", "scale"], key="step", bind="query-params")
view = st.components.v2.component("calculation_view", js=script(), css=style())
data = picture(st.query_params.get("case", "textbook"), step)
result = view(key="view", data=data, on_cell_change=on_cell, on_edit_change=on_edit)
st.text(f"cell: {result.cell}")
st.text(f"edits: {st.session_state.get('edits', {})}")
