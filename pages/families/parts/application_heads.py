"""The attention picture of an application: all heads, the one on show chosen by measurement until it is clicked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from pages.ui import chrome, downloads, pictures, runs, session
from viz_model.analysis.right_reading import HeadReading, HeadReadings
from viz_model.figures import attention_view, matrix_table
from viz_model.training.studies import kept


@st.cache_resource(max_entries=1, show_spinner=False)
def _readings() -> HeadReadings:
    return HeadReadings.from_json(kept("application-heads"))


def readings(model: str) -> tuple[HeadReading, ...]:
    """How much of its attention each head gave to what is known to be right, on held-out texts."""
    return _readings().of(model)


def keep_within(model: str) -> None:
    """Moves the head that was asked for into those of the model, with a note; before the page's notes are drawn."""
    state, config = st.session_state, runs.model(model).config
    stack = getattr(config, "decoder", config)
    if state["app_layer"] < 0 or state["app_head"] < 0:  # a layer or a head alone names none
        session.put(app_layer=-1, app_head=-1)
        return
    session.keep_within("app_layer", 0, stack.n_layers - 1, "layers")
    session.keep_within("app_head", 0, stack.n_heads - 1, "heads")


def head_on_show(best: tuple[int, int]) -> tuple[int, int]:
    """The head that was clicked; before that, the best one."""
    layer, head = st.session_state["app_layer"], st.session_state["app_head"]
    return best if layer < 0 or head < 0 else (layer, head)


def draw(
    weights: Sequence[Any],
    queries: Sequence[str],
    keys: Sequence[str] | None,
    *,
    at: tuple[int, int],
    cell: tuple[int, int],
    mask: Any = None,
    roles: Sequence[Sequence[float]] | None = None,
    model: str,
    text: str,
    title: str = "",
) -> None:
    """The picture, its table and its numbers. weights: [layer][head, query, key]; cell: (query, key) chosen."""
    payload = attention_view.pack(
        weights,
        queries,
        keys,
        mask=mask,
        layer=at[0],
        head=at[1],
        query=cell[0],
        key=cell[1],
        view=st.session_state["view"],
        share=st.session_state["share"],
        roles=None if roles is None else [[f"{share:.3f}" for share in row] for row in roles],
        model=model,
        title=title,
        caption=downloads.caption(model, text, ()),
        height=380,
    )
    pictures.attention("attention", payload, _choose)
    with st.container(horizontal=True, vertical_alignment="center", key="under_picture"):
        if st.button("As a table", key="as_table", icon=":material/table:", help="The numbers of the head on show."):
            _table(weights[at[0]][at[1]], queries, keys or queries, mask, at)
        if chrome.shown("downloads"):
            pairs = [(q, k) for q in range(len(queries)) for k in range(len(keys or queries))]
            one = np.asarray(weights[at[0]][at[1]])
            downloads.csv_button(
                f"attention-{model}",
                {
                    "query": [queries[q] for q, _ in pairs],
                    "key": [(keys or queries)[k] for _, k in pairs],
                    "layer": [at[0]] * len(pairs),
                    "head": [at[1]] * len(pairs),
                    "weight": [float(one[q, k]) for q, k in pairs],
                },
            )


@st.dialog("The numbers of the picture", width="large")
def _table(weights: Any, queries: Sequence[str], keys: Sequence[str], mask: Any, at: tuple[int, int]) -> None:
    st.html(matrix_table(weights, queries, keys, mask=mask, caption=f"Weights of layer {at[0]}, head {at[1]}"))


def _choose(selection: dict[str, Any]) -> None:
    if chrome.locked("layer") or chrome.locked("head"):
        return
    session.put(app_layer=int(selection["layer"]), app_head=int(selection["head"]))
