"""The picture components, mounted: what they get, and what the person chose in them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from pages.ui import link_table, session
from viz_model.figures import attention_view, block_diagram, calculation_view, steps_view, training_view

_attention = st.components.v2.component(
    "attention_view", html=attention_view.skeleton(), css=attention_view.style(), js=attention_view.script()
)
_calculation = st.components.v2.component(
    "calculation_view", css=calculation_view.style(), js=calculation_view.script()
)
_training = st.components.v2.component(
    "training_view", html=training_view.skeleton(), css=training_view.style(), js=training_view.script()
)

_block_diagram = st.components.v2.component("block_diagram", html=block_diagram.SKELETON, js=block_diagram.script())

_steps = st.components.v2.component(
    "steps_view", html='<div class="steps-view"></div>', css=steps_view.style(), js=steps_view.script()
)

_HEADS = Path(__file__).parents[2] / "assets" / "head_atlas"
_head_atlas = st.components.v2.component(
    "head_atlas",
    html='<div class="head-atlas"></div>',
    css=(_HEADS / "head_atlas.css").read_text(encoding="utf-8"),
    js=(_HEADS / "head_atlas.js").read_text(encoding="utf-8"),
)


def attention(
    key: str,
    payload: bytes,
    on_choose: Callable[[dict[str, Any]], None],
) -> None:
    """The attention view; before the next run `on_choose` gets {layer, head, query, key}.

    Map or arcs, and the share of the links, as set in the picture itself, go into the state.
    """

    def chosen() -> None:
        selection = _value(key, "selection")
        if isinstance(selection, dict):
            on_choose(selection)

    def looked() -> None:
        look = _value(key, "look")
        if not isinstance(look, dict):
            return
        if look.get("view") in link_table.VIEWS:
            session.put(view=look["view"])
        if isinstance(look.get("share"), int | float):
            session.put(share=min(max(float(look["share"]), 0.0), 1.0))

    _attention(key=key, data=payload, on_selection_change=chosen, on_look_change=looked)


def calculation(
    key: str,
    payload: bytes,
    on_cell: Callable[[dict[str, Any]], None],
    on_edit: Callable[[dict[str, Any]], None] | None = None,
) -> None:
    """The calculation view; `on_cell` gets {matrix, row, column}, `on_edit` the same with a value."""

    def cell() -> None:
        if isinstance(value := _value(key, "cell"), dict):
            on_cell(value)

    def edit() -> None:
        if on_edit is not None and isinstance(value := _value(key, "edit"), dict):
            on_edit(value)

    _calculation(key=key, data=payload, on_cell_change=cell, on_edit_change=edit)


def training(
    key: str, payload: bytes, on_look: Callable[[dict[str, Any]], None], on_missing: Callable[[], None]
) -> None:
    """The training view; `on_look` gets {kind, layer, head}, `on_missing` is told where the browser lacks a part."""

    def looked() -> None:
        if isinstance(value := _value(key, "look"), dict):
            on_look(value)

    _training(key=key, data=payload, on_look_change=looked, on_missing_change=on_missing)


def head_atlas(key: str, table: str, on_pick: Callable[[dict[str, Any]], None]) -> None:
    """The atlas of heads (`atlas_grid`) as a grid to choose from; `on_pick` gets {layer, head}."""

    def picked() -> None:
        if isinstance(value := _value(key, "picked"), dict):
            on_pick(value)

    _head_atlas(key=key, data=table, on_picked_change=picked)


def block(key: str, drawing: str, on_arrow: Callable[[str], None]) -> None:
    """The block's diagram (`block_diagram`, selectable); `on_arrow` gets the name of the arrow that was pressed."""

    def pressed() -> None:
        if isinstance(value := _value(key, "arrow"), str):
            on_arrow(value)

    _block_diagram(key=key, data=drawing, on_arrow_change=pressed)


def steps(key: str, payload: str, on_tick: Callable[[int], None]) -> None:
    """The bodies' vectors as they are computed, to be played; `on_tick` gets the step at which it stands."""

    def moved() -> None:
        if isinstance(value := _value(key, "tick"), int):
            on_tick(value)

    _steps(key=key, data=payload, on_tick_change=moved)


def _value(key: str, name: str) -> Any:
    result = st.session_state.get(key)
    return None if result is None else result.get(name)
