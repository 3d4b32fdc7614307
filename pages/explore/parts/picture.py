"""The attention view on the bench: all heads, the chosen one large, the choice back into the state."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from pages.explore.parts.sentence import Bench
from pages.ui import chrome, downloads, pictures, runs, session
from viz_model.analysis import head_roles
from viz_model.display import Shown, place_of, shown
from viz_model.edits import AblateHead
from viz_model.figures import attention_view, matrix_table


def show(bench: Bench) -> None:
    seen = bench.shown
    if len(seen.queries) > attention_view.LONGEST or len(seen.keys) > attention_view.LONGEST:
        session.note("The range is longer than a picture holds.")
    before = None
    if bench.edits:
        before = shown(bench.before.trace, bench.run.reading.encoding, bench.lens).weights[bench.layer][bench.head]
    payload = attention_view.pack(
        seen.weights,
        seen.queries,
        None if seen.keys == seen.queries else seen.keys,
        mask=seen.mask,
        layer=bench.layer,
        head=bench.head,
        query=place_of(bench.query, seen.rows),
        key=place_of(bench.key, seen.columns),
        view=st.session_state["view"],
        share=st.session_state["share"],
        roles=_roles(bench.name, bench.run.reading.text, bench.edits, bench.text_b),
        before=before,
        model=bench.name,
        caption=downloads.caption(bench.name, bench.run.reading.text, bench.edits),
    )
    pictures.attention("attention", payload, partial(_choose, seen=seen))
    said = []
    if bench.lens.hide_specials and seen.hidden_mass:
        said.append(f"Special tokens are hidden: they hold {seen.hidden_mass:.1%} of the weight, on average.")
        said.append(
            "What is visible was scaled to sum to 1." if bench.lens.renormalise else "Rows sum to what is left."
        )
    if bench.lens.merge_words:
        said.append("Sub-words are merged: keys summed, queries averaged.")
    if len(seen.keys) != len(seen.queries):
        said.append(
            f"Positions {seen.rows[0].start} to {seen.rows[-1].stop - 1} are shown; the last column holds the rest."
        )
    if AblateHead(bench.layer, bench.head).code in bench.edits:
        said.append("This head is silenced: its weights are as before, its output is zero. Look at later layers.")
    if said:
        st.caption(" ".join(said))
    with st.container(horizontal=True, key="under_picture"):
        if chrome.shown("downloads"):
            downloads.trace_button(bench.name, bench.run, bench.edits)
        if st.button("As a table", key="as_table", icon=":material/table:", help="The numbers of the chosen head."):
            _table(bench)


@st.dialog("The numbers of the picture", width="large")
def _table(bench: Bench) -> None:
    seen = bench.shown
    caption = f"Weights of layer {bench.layer}, head {bench.head}"
    st.html(
        matrix_table(seen.weights[bench.layer][bench.head], seen.queries, seen.keys, mask=seen.mask, caption=caption)
    )


@st.cache_data(max_entries=64, show_spinner=False)
def _roles(name: str, text: str, edits: tuple[str, ...], text_b: str) -> list[list[str]]:
    run = runs.run(name, text, edits, text_b if edits else "")
    return [[score.role for score in layer] for layer in head_roles(run.trace, special=run.reading.encoding.special)]


def _choose(selection: dict[str, Any], seen: Shown) -> None:
    """What was clicked, from rows and columns to positions; the 'rest' column is no position."""
    chosen = {name: int(selection[name]) for name in ("layer", "head") if selection.get(name) is not None}
    for name, groups in (("query", seen.rows), ("key", seen.columns)):
        place = selection.get(name)
        if place is not None and 0 <= int(place) < len(groups) and len(groups[int(place)]):
            chosen[name] = groups[int(place)].start
    session.put(**chosen)
