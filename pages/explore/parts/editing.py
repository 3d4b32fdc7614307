"""Changing the run: buttons that add an edit for the chosen head and link, what is in force, undo and clear."""

from __future__ import annotations

import streamlit as st

from pages.explore.parts.sentence import Bench
from pages.ui import chrome, session
from viz_model.edit_codes import parse_edit
from viz_model.edits import AblateHead, Edit, KnockOut, PatchHead, SetWeight, UniformHead

# Measured on the bundled model: in layer 2, head 2, the word before the verb reads its subject.
SUBJECT = {
    "model": "english-causal",
    "text": "The keys to the old cabinet",
    "layer": 2,
    "head": 2,
    "query": 6,
    "key": 2,
}
WITH_SUBJECT = {**SUBJECT, "edits": ()}
SILENCED = {**SUBJECT, "edits": (AblateHead(layer=2, head=2).code,)}
BLIND = {**SUBJECT, "edits": (UniformHead(layer=2, head=2).code,)}


def show(bench: Bench) -> None:
    if not chrome.shown("edits"):
        return
    layer, head, query, key = bench.layer, bench.head, bench.query, bench.key
    off = chrome.locked("edits")
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="edit_buttons"):
        st.markdown(f"**Change layer {layer}, head {head}:**", width="content")
        _button("Silence head", AblateHead(layer, head), "The head's output becomes zero.", off)
        _button(
            "Cut link", KnockOut(layer, head, query, key), "As if this key were masked; the row is scaled to 1.", off
        )
        _button("Make uniform", UniformHead(layer, head), "It reads all the keys it may equally.", off)
        with st.popover("Set weight", disabled=off):
            value = st.slider("Weight of the chosen link", 0.0, 1.0, 0.5, 0.05, key="new_weight")
            masked = not bool(bench.attention.mask[0, 0, query, key])
            why = "This key is masked: it may not be read." if masked else "The rest of the row shares what is left."
            _button("Set it", SetWeight(layer, head, query, key, value), why, off or masked)
        _button(
            "Take from second",
            PatchHead(layer, head, source=""),
            "Puts in what this head computed on the second sentence (under 'How to look').",
            off or not bench.text_b.strip(),
        )
        if st.session_state["edits"]:  # those that do not fit this text can be undone too
            st.button(
                "Undo", key="undo", on_click=session.put, kwargs={"edits": st.session_state["edits"][:-1]}, disabled=off
            )
            st.button("Clear edits", key="clear", on_click=session.put, kwargs={"edits": ()}, disabled=off)
    if bench.edits:
        said = "; ".join(in_words(code, bench) for code in bench.edits)
        st.caption(f"In force: {chrome.literal(said)}.")


def in_words(code: str, bench: Bench) -> str:
    """An edit as a person would say it."""
    edit = parse_edit(code)
    where = f"layer {edit.layer}, head {edit.head}"
    tokens = bench.trace.tokens
    if isinstance(edit, KnockOut):
        query = "every word" if edit.query is None else tokens[edit.query]
        return f"{query} may not read {tokens[edit.key]} in {where}"
    if isinstance(edit, SetWeight):
        return f"{tokens[edit.query]} reads {tokens[edit.key]} with {edit.value:g} in {where}"
    said = {"ablate": "silenced", "uniform": "made uniform", "patch": "taken from the second sentence"}
    return f"{where} {said[edit.name]}"


def _button(label: str, edit: Edit, why: str, disabled: bool) -> None:
    st.button(label, key=f"edit_{edit.name}", help=why, on_click=_add, args=(edit.code,), disabled=disabled)


def _add(code: str) -> None:
    if code not in st.session_state["edits"]:
        session.put(edits=(*st.session_state["edits"], code))
