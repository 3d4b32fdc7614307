"""The same on a trained model's own queries and keys: one head's row, and every head without the scale and with it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from pages.learn.parts import scale_row
from pages.ui import chrome, downloads, link_table, models, runs, theme
from viz_model.analysis.head_scaling import HeadRow, HeadScaling, head_row, head_scaling
from viz_model.figures import matrix_table, tensor_heatmap
from viz_model.figures.scaling_curves import softmax_bars
from viz_model.figures.theme import Theme, format_number, theme_named

MOST_KEYS = 16  # bars of one row
CLEARLY = 2.0  # times what chance would make: a short text alone does not do that
MEASURES = {"variance": "Variance", "entropy": "Entropy", "gradient": "Gradient"}
COLUMNS = {
    "rms of q": "q_size",
    "rms of k": "k_size",
    "variance of q·k": "dots_variance",
    "variance of q·k / √d_k": "scores_variance",
    "entropy without": "dots_entropy",
    "entropy with": "scores_entropy",
    "gradient without": "dots_gradient",
    "gradient with": "scores_gradient",
}


def show(words: Mapping[str, str]) -> None:
    """The sentence and the head to look at; the head's row; all heads."""
    chosen = _choose()
    if chosen.run.trace.blocks[0].attention.mask[0, 0].sum(-1).max() < 2:
        st.markdown(words["one key"])
        return
    name = st.session_state["model"]
    found = head_scaling(chosen.run.trace)
    left, right = st.columns(2, gap="large")
    with left, st.container(key="scale_head"):
        _row(chosen, name, found, words)
    with right, st.container(key="scale_heads"):
        _heads(chosen, name, found, words)


def _choose() -> runs.Chosen:
    state = st.session_state
    with st.container(horizontal=True, vertical_alignment="bottom", key="sentence_row"):
        chrome.sentence("Any text. The pictures follow as you type.")
        models.select(disabled=chrome.locked("model"), width=300)
    chosen = runs.chosen()
    config, tokens = chosen.run.model.config, chosen.run.trace.tokens
    with st.container(horizontal=True, vertical_alignment="bottom", key="head_row"):
        for each, n in (("layer", config.n_layers), ("head", config.n_heads)):
            st.selectbox(each.capitalize(), range(n), key=each, disabled=chrome.locked(each), width=96)
        st.selectbox(
            "Word that reads",
            range(len(tokens)),
            key="query",
            format_func=lambda i: f"{tokens[i]} (position {i})",
            disabled=chrome.locked("word"),
            width=240,
        )
    if state["edits"]:
        st.caption("The edits of the workbench are not in force here: these are the model's own numbers.")
    return chosen


def _row(chosen: runs.Chosen, name: str, found: HeadScaling, words: Mapping[str, str]) -> None:
    tokens = chosen.run.trace.tokens
    row = head_row(chosen.run.trace, chosen.layer, chosen.head, chosen.query)
    n = scale_row.numbers(row)
    read = {side: chrome.literal(tokens[row.keys[int(n[f"{side}_key"])]]) for side in ("plain", "scaled")}
    told = words["head row" if len(row.keys) > 1 else "head row alone"].format(
        token=chrome.literal(tokens[chosen.query]), plain_token=read["plain"], scaled_token=read["scaled"], **n
    )

    def draw(look: Theme) -> dict[str, Any]:
        return _drawn(chosen.run.trace, chosen.layer, chosen.head, chosen.query, look)

    figure = _bars(name, chosen.text, chosen.layer, chosen.head, chosen.query, theme.current().name)
    st.vega_lite_chart(figure, key="head_bars", theme=None, alt=words["row alt"])
    if len(row.keys) > MOST_KEYS:
        st.caption(f"Bars: the {MOST_KEYS} keys of {len(row.keys)} with the largest weights.")
    st.markdown(told)
    at = (chosen.layer, chosen.head)
    times = float(found.dots_variance[at]) / found.d_head
    # Of dots of random vectors whose components have this head's sizes.
    chance = found.d_head * float(found.q_size[at] * found.k_size[at]) ** 2
    st.markdown(
        words["head"].format(
            head=f"layer {chosen.layer}, head {chosen.head}",
            d_head=found.d_head,
            variance=format_number(float(found.dots_variance[at])),
            scaled_variance=format_number(float(found.scores_variance[at])),
            times=format_number(times),
            q=format_number(float(found.q_size[at])),
            k=format_number(float(found.k_size[at])),
            chance=format_number(chance),
        )
        + " "
        + words["beyond chance" if float(found.dots_variance[at]) > CLEARLY * chance else "within chance"]
    )
    with st.container(horizontal=True, key="under_head"):
        if st.button("As a table", key="head_table", icon=":material/table:", help="Every open key of this word."):
            _row_dialog(row, tokens, chosen)
        if chrome.shown("downloads"):
            about = downloads.caption(name, chosen.run.reading.text, ())
            columns = scale_row.columns([tokens[i] for i in row.keys], row)
            where = {"layer": chosen.layer, "head": chosen.head, "query": chosen.query}
            more = {key: [value] * len(row.keys) for key, value in {"run": about, **where}.items()}
            picture = downloads.Picture(draw, "Weights of one word")
            downloads.menu("head-row", more | columns, picture, caption=about)


def _heads(chosen: runs.Chosen, name: str, found: HeadScaling, words: Mapping[str, str]) -> None:
    st.segmented_control(
        "Of every head",
        link_table.SCALE_MEASURES,
        key="scale_measure",
        format_func=MEASURES.get,
        required=True,
        label_visibility="collapsed",
        disabled=chrome.locked("panel"),
    )
    measure = st.session_state["scale_measure"]
    plain, scaled = (np.asarray(getattr(found, f"{of}_{measure}")) for of in ("dots", "scores"))
    # One scale for both maps, so that equal greys are equal numbers.
    bound = {"entropy": found.even_entropy, "gradient": 1.0, "variance": float(max(plain.max(), scaled.max()))}[measure]
    rows, columns = ([str(i) for i in range(n)] for n in plain.shape)

    def draw(title: str, values: Any, look: Theme) -> Any:
        axes = ("layer", "head")
        return tensor_heatmap(values, rows, columns, signed=False, bound=bound, axes=axes, title=title, theme=look)

    drawn = []
    for side, values in (("without", plain), ("with", scaled)):
        title = f"{MEASURES[measure]} {side} the division"
        drawn.append(downloads.Picture(partial(draw, title, values), title))
        figure = drawn[-1].draw(theme.current())
        st.plotly_chart(figure, key=f"heads_{side}", theme=None, config={"displayModeBar": False})
    st.markdown(
        words[f"heads {measure}"].format(
            model=name,
            n=plain.size,
            n_queries=f"{found.n_queries:,}",
            plain=format_number(float(plain.mean())),
            scaled=format_number(float(scaled.mean())),
            even=format_number(found.even_entropy),
            d_head=found.d_head,
            above=int((plain > found.d_head).sum()),
        )
    )
    if not found.trained_scaled:
        st.markdown(words["trained unscaled"])
    with st.container(horizontal=True, key="under_heads"):
        if st.button("As a table", key="heads_table", icon=":material/table:", help="Every head in numbers."):
            _heads_dialog(found, name)
        if chrome.shown("downloads"):
            about = downloads.caption(name, chosen.run.reading.text, ())
            downloads.menu("heads-scale", _columns(found, about), *drawn, caption=about)


@st.cache_data(max_entries=64, show_spinner=False)
def _bars(name: str, text: str, layer: int, head: int, query: int, look: str) -> dict[str, Any]:
    return _drawn(runs.run(name, text).trace, layer, head, query, theme_named(look))


def _drawn(trace: Any, layer: int, head: int, query: int, look: Theme) -> dict[str, Any]:
    row = head_row(trace, layer, head, query)
    most = np.maximum(row.dots_weights, row.scores_weights).argsort()[::-1][:MOST_KEYS]
    kept = np.sort(most)
    figure = softmax_bars(
        [trace.tokens[i] for i in row.keys[kept]],
        row.dots_weights[kept],
        row.scores_weights[kept],
        title=f"What “{trace.tokens[query][:24]}” reads: layer {layer}, head {head}",
        theme=look,
    )
    return figure.to_dict()


@st.dialog("The row in numbers", width="large")
def _row_dialog(row: HeadRow, tokens: Any, chosen: runs.Chosen) -> None:
    st.html(
        matrix_table(
            np.stack([row.dots, row.scores, row.dots_weights, row.scores_weights], 1),
            [tokens[i] for i in row.keys],
            ["q·k", "q·k / √d_k", "softmax of q·k", "softmax of q·k / √d_k"],
            corner="key",
            caption=f"“{tokens[chosen.query]}” reads: layer {chosen.layer}, head {chosen.head}",
        )
    )


@st.dialog("Every head in numbers", width="large")
def _heads_dialog(found: HeadScaling, name: str) -> None:
    n_layers, n_heads = found.dots_variance.shape
    st.html(
        matrix_table(
            np.stack([getattr(found, field).ravel() for field in COLUMNS.values()], 1),
            [f"layer {i}, head {j}" for i in range(n_layers) for j in range(n_heads)],
            list(COLUMNS),
            corner="head",
            caption=f"{name}: means over {found.n_queries:,} queries; d_k = {found.d_head}",
        )
    )


def _columns(found: HeadScaling, about: str) -> dict[str, list[Any]]:
    n_layers, n_heads = found.dots_variance.shape
    columns: dict[str, list[Any]] = {
        "run": [about] * (n_layers * n_heads),
        "layer": [i for i in range(n_layers) for _ in range(n_heads)],
        "head": [*range(n_heads)] * n_layers,
    }
    return columns | {title: getattr(found, field).ravel().tolist() for title, field in COLUMNS.items()}
