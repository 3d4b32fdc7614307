"""The body's attention on one sentence before fine-tuning and after it, head by head."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from pages.families.parts.fine_tuning_curves import measured
from pages.ui import chrome, downloads, session, theme
from viz_model.analysis.few_examples import Looked
from viz_model.figures import attention_heatmap, matrix_table, tensor_heatmap
from viz_model.figures.theme import Theme, format_number

PLOT = {"displayModeBar": False}


def show(words: Mapping[str, str]) -> None:
    found = measured()
    looked, moved = found.attention, found.attention.moved()
    st.subheader("Attention before and after", anchor=False)
    layer, head = _head(moved)
    before, after = (np.array(part)[layer, head] for part in (looked.before, looked.after))
    with st.container(key="tuned_attention"):
        left, right = st.columns(2, gap="large")
        drawn = []
        for column, name, weights in ((left, "before", before), (right, "after", after)):
            title = f"Layer {layer}, head {head}, {name} fine-tuning"
            drawn.append(downloads.Picture(partial(_map, weights, looked.tokens, title), title))
            with column:
                st.plotly_chart(drawn[-1].draw(theme.current()), key=f"tuned_{name}", theme=None, config=PLOT)
        st.markdown(_told(looked, before, after, float(moved[layer, head]), found.labels, words))
        left, right = st.columns([2, 3], gap="large")
        drawn.append(downloads.Picture(partial(_moved, moved), "Share of attention that moved"))
        with left:
            st.plotly_chart(drawn[-1].draw(theme.current()), key="moved", theme=None, config=PLOT)
        with right:
            by_layer = moved.mean(1)
            most = int(by_layer.argmax())
            shares = ", ".join(f"layer {i} **{format_number(share)}**" for i, share in enumerate(by_layer))
            st.markdown(words["moved"].format(shares=shares, most=most, steps=found.steps, n=looked.n_examples))
        with st.container(horizontal=True, key="under_attention"):
            if st.button("As a table", key="moved_table", icon=":material/table:", help="The row of the begin token."):
                _dialog(looked, before, after, layer, head)
            if chrome.shown("downloads"):
                columns = _columns(looked, before, after, layer, head)
                about = downloads.caption(found.body, looked.text, ())
                downloads.menu("fine-tuning-attention", columns, *drawn, caption=about)


def experiments() -> list[tuple[str, str, dict[str, Any]]]:
    moved = measured().attention.moved()
    layer, head = (int(i) for i in np.unravel_index(moved.argmax(), moved.shape))
    still = tuple(int(i) for i in np.unravel_index(moved.argmin(), moved.shape))
    return [
        ("Eight examples", "What the pretrained body knows when it has hardly been told anything.", {"tuned_with": 8}),
        ("Five hundred and twelve", "As many examples as there are here: does a fresh start come near?",
         {"tuned_with": 512}),
        ("The head that moved most", f"Layer {layer}, head {head}. The one that moved least is layer {still[0]}, "
         f"head {still[1]}.", {"tuned_layer": layer, "tuned_head": head}),
    ]  # fmt: skip


def keep_head() -> None:
    """Moves the head that was asked for into those that there are, with a note; before the page's notes are drawn."""
    n_layers, n_heads = measured().attention.moved().shape
    session.keep_within("tuned_layer", 0, n_layers - 1, "layers")
    session.keep_within("tuned_head", 0, n_heads - 1, "heads")


def _head(moved: np.ndarray[Any, Any]) -> tuple[int, int]:
    state = st.session_state
    with st.container(horizontal=True, vertical_alignment="bottom", key="tuned_head_row"):
        for name, lock, n in zip(("tuned_layer", "tuned_head"), ("layer", "head"), moved.shape, strict=True):
            st.selectbox(lock.capitalize(), range(n), key=name, disabled=chrome.locked(lock), width=96)
    return state["tuned_layer"], state["tuned_head"]


def _map(weights: Any, tokens: tuple[str, ...], title: str, look: Theme) -> Any:
    return attention_heatmap(weights, tokens, tokens, title=title, theme=look)


def _moved(moved: np.ndarray[Any, Any], look: Theme) -> Any:
    rows, columns = ([str(i) for i in range(n)] for n in moved.shape)
    title = "Share of attention that moved"
    return tensor_heatmap(
        moved, rows, columns, signed=False, bound=1.0, axes=("layer", "head"), title=title, theme=look
    )


def _told(
    looked: Looked, before: Any, after: Any, moved: float, labels: tuple[str, ...], words: Mapping[str, str]
) -> str:
    reads = [int(part[0].argmax()) for part in (before, after)]
    likeliest = int(np.argmax(looked.says))
    return words["row"].format(
        begin=chrome.literal(looked.tokens[0]),
        first=chrome.literal(looked.tokens[reads[0]]),
        first_weight=format_number(before[0, reads[0]]),
        second=chrome.literal(looked.tokens[reads[1]]),
        second_weight=format_number(after[0, reads[1]]),
        moved=format_number(moved),
        n=looked.n_examples,
        label=labels[likeliest],
        chance=format_number(looked.says[likeliest]),
    )


@st.dialog("What the begin token reads", width="large")
def _dialog(looked: Looked, before: Any, after: Any, layer: int, head: int) -> None:
    st.html(
        matrix_table(
            np.stack([before[0], after[0], after[0] - before[0]], 1),
            looked.tokens,
            ["before", "after", "change"],
            corner="key",
            caption=f"“{looked.text}”: layer {layer}, head {head}",
        )
    )


def _columns(looked: Looked, before: Any, after: Any, layer: int, head: int) -> dict[str, list[Any]]:
    tokens = looked.tokens
    pairs = [(i, j) for i in range(len(tokens)) for j in range(len(tokens))]
    return {
        "text": [looked.text] * len(pairs),
        "layer": [layer] * len(pairs),
        "head": [head] * len(pairs),
        "query": [tokens[i] for i, _ in pairs],
        "key": [tokens[j] for _, j in pairs],
        "before": [float(before[i, j]) for i, j in pairs],
        "after": [float(after[i, j]) for i, j in pairs],
    }
