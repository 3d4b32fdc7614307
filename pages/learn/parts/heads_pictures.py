"""The atlas of the model's heads, and the map of the one on show on a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages.learn.parts.heads_choice import Lesson
from pages.ui import chrome, downloads, pictures, session
from viz_model.analysis.atlas import RULE, Atlas
from viz_model.analysis.gold_links import READINGS
from viz_model.display import Lens, shown
from viz_model.figures import attention_view, matrix_table
from viz_model.figures.atlas_drawing import atlas_drawing
from viz_model.figures.atlas_picture import atlas_grid, atlas_table
from viz_model.figures.theme import format_number


def show(lesson: Lesson, words: Mapping[str, str]) -> None:
    """The atlas beside the map; the map alone where there is no atlas."""
    if lesson.atlas is None:
        _attention_map(lesson, words)
        return
    left, right = st.columns([4, 3], gap="medium")
    with left:
        _atlas(lesson, lesson.atlas, words)
    with right:
        _attention_map(lesson, words)


def _atlas(lesson: Lesson, found: Atlas, words: Mapping[str, str]) -> None:
    """Every head with its role, a click chooses one; how a head gets its name; the numbers."""
    caption = words["atlas caption"].format(model=lesson.name, n_texts=f"{found.n_texts:,}")
    with st.container(key="atlas_pane"):
        pictures.head_atlas(
            "head_atlas", atlas_grid(found.heads, selected=(lesson.layer, lesson.head), caption=caption), _pick
        )
    st.markdown(words["atlas"])
    readings = [
        f"**({reading})**: {said}."
        for reading, said in READINGS.items()
        if any(f"({reading})" in "; ".join((one.role, *one.finds)) for one in found.heads)
    ]
    if readings:
        st.markdown(" ".join(readings))
    with st.container(horizontal=True, vertical_alignment="center", key="under_atlas"):
        if st.button("As a table", key="atlas_table", icon=":material/table:", help="Every head in numbers."):
            _atlas_dialog(found, lesson.name)
        if chrome.shown("downloads"):
            heads, at = found.heads, (lesson.layer, lesson.head)
            picture = downloads.Picture(lambda look: atlas_drawing(heads, selected=at, theme=look), "Every head's role")
            downloads.menu("heads", _columns(found, lesson.name), picture, caption=caption)
        with st.popover("How a head gets its name", icon=":material/rule:"):
            st.markdown(RULE)
            st.markdown(
                words["uniform"].format(
                    entropy=format_number(found.uniform_entropy), distance=format_number(found.uniform_distance)
                )
            )


def _attention_map(lesson: Lesson, words: Mapping[str, str]) -> None:
    """The chosen head on the sentence."""
    run = lesson.run
    seen = shown(run.trace, run.reading.encoding, Lens())
    payload = attention_view.pack(
        seen.weights,
        seen.queries,
        mask=seen.mask,
        layer=lesson.layer,
        head=lesson.head,
        query=lesson.query,
        key=lesson.key,
        view=st.session_state["view"],
        share=st.session_state["share"],
        roles=_roles(lesson.atlas),
        model=lesson.name,
        caption=downloads.caption(lesson.name, run.reading.text, ()),
        height=340,
    )
    with st.container(key="map_pane"):
        pictures.attention("attention", payload, _choose)
    st.markdown(words["map"])
    if st.session_state["edits"]:
        st.caption(words["edits"])
    with st.container(horizontal=True, vertical_alignment="center", key="under_picture"):
        if st.button("As a table", key="as_table", icon=":material/table:", help="The numbers of the head on show."):
            _map_dialog(lesson)
        if chrome.shown("downloads"):
            downloads.trace_button(lesson.name, run, ())


def _roles(found: Atlas | None) -> list[list[str]] | None:
    if found is None:
        return None
    return [[found.at(layer, head).role for head in range(found.n_heads)] for layer in range(found.n_layers)]


def _columns(found: Atlas, name: str) -> dict[str, list[object]]:
    fields = ("layer", "head", "role", "score", "chance", "entropy", "evenness", "distance")
    columns: dict[str, list[object]] = {"model": [name] * len(found.heads)}
    columns |= {field: [getattr(one, field) for one in found.heads] for field in fields}
    return {**columns, "finds best of all heads": [", ".join(one.finds) for one in found.heads]}


@st.dialog("Every head in numbers", width="large")
def _atlas_dialog(found: Atlas, name: str) -> None:
    st.html(
        atlas_table(
            found.heads,
            entropy=found.uniform_entropy,
            distance=found.uniform_distance,
            caption=f"{name}, {found.n_words:,} words in {found.n_texts:,} held-out texts",
        )
    )


@st.dialog("The numbers of the picture", width="large")
def _map_dialog(lesson: Lesson) -> None:
    seen = shown(lesson.run.trace, lesson.run.reading.encoding, Lens())
    weights = seen.weights[lesson.layer][lesson.head]
    st.html(matrix_table(weights, seen.queries, seen.keys, mask=seen.mask, caption=f"Weights of {lesson.called}"))


def _pick(chosen: dict[str, Any]) -> None:
    """A head that was picked in the atlas."""
    if not (chrome.locked("layer") or chrome.locked("head")):
        session.put(layer=int(chosen["layer"]), head=int(chosen["head"]))


def _choose(selection: dict[str, Any]) -> None:
    """What was clicked in the map; a locked control stays as it is."""
    locks = {"layer": "layer", "head": "head", "query": "word", "key": "word"}
    session.put(
        **{
            name: int(selection[name])
            for name, lock in locks.items()
            if selection.get(name) is not None and not chrome.locked(lock)
        }
    )
