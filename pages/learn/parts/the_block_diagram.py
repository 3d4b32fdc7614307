"""The block drawn from the model's config, and the tensor on the arrow that is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Any

import streamlit as st

from pages.learn.parts.the_block_choice import Lesson, place_on_show
from pages.ui import chrome, downloads, pictures, session, theme
from viz_model.figures import matrix_table, tensor_heatmap
from viz_model.figures.block_diagram import block_diagram
from viz_model.figures.block_plan import BlockPlan, block_plan
from viz_model.figures.theme import Theme, format_number

MOST = 24  # words in the map
DIMENSIONS = 6  # of a sum that are written out
SUMS = {"resid_mid": ("resid_pre", "attention.out"), "resid_post": ("resid_mid", "feed_forward.out")}


def show(lesson: Lesson, words: Mapping[str, str]) -> None:
    """The diagram at the left, what lies on its chosen arrow at the right."""
    own, config = lesson.run.model.config.norm_place, lesson.run.model.config
    place = place_on_show(lesson)
    plan = block_plan(replace(config, norm_place=place), n=len(lesson.tokens))
    left, right = st.columns([400, 640], gap="large")
    with left, st.container(key="block_column"):
        if place == own:
            arrow = _chosen(plan)
            drawing = block_diagram(
                plan, chosen=arrow, statistics=_said(lesson, plan), selectable=not chrome.locked("panel")
            )
        else:
            drawing = block_diagram(plan)
        pictures.block("block", drawing, lambda name: session.put(block_arrow=name))
        _under(lesson, plan, place == own)
    with right:
        if place == own:
            _tensor(lesson, plan, arrow, words)
        else:
            st.markdown(words[f"other {place}"].format(model=chrome.literal(lesson.name)))


def _chosen(plan: BlockPlan) -> str:
    """The arrow that is lit; where this block has no arrow of that name, the one that enters."""
    try:
        return plan.arrow(st.session_state["block_arrow"]).name
    except ValueError:
        return plan.enters.name


def _tensor(lesson: Lesson, plan: BlockPlan, name: str, words: Mapping[str, str]) -> None:
    """The tensor as a map, words down and dimensions across, and what it is."""
    values = _values(lesson, name)
    first = max(0, min(lesson.query - MOST // 2, len(values) - MOST))
    shown, tokens = values[first : first + MOST], list(lesson.tokens[first : first + MOST])
    other = plan.arrow(name).also
    st.markdown(
        words[f"arrow {name}"].format(
            name=f"**{name}**",
            word=lesson.word,
            layer=lesson.layer,
            norm=format_number(_lengths(lesson, name)[lesson.query]),
            d_model=values.shape[1],
        )
        + (f" Here it is also {', '.join(f'**{each}**' for each in other)}." if other else "")
    )
    if len(values) > MOST:
        st.caption(f"Words {first} to {first + len(shown) - 1} of {len(values)}, around the chosen one.")
    dimensions = [str(i) for i in range(values.shape[1])]
    title = f"{name}, layer {lesson.layer}"

    def draw(look: Theme) -> Any:
        return tensor_heatmap(shown, tokens, dimensions, axes=("word", "dimension"), title=title, theme=look)

    st.plotly_chart(draw(theme.current()), key="block_tensor", theme=None, config={"displayModeBar": False})
    with st.container(horizontal=True, key="under_picture"):
        if st.button("As a table", key="as_table", icon=":material/table:", help="The numbers of the map."):
            _table(shown, tokens, dimensions, f"{name} of layer {lesson.layer}")
        if chrome.shown("downloads"):
            columns: dict[str, Any] = {"position": range(len(values)), "token": lesson.tokens}
            columns |= {f"d{i}": values[:, i].tolist() for i in range(values.shape[1])}
            picture = downloads.Picture(draw, title)
            downloads.menu(name.replace(".", "_"), columns, picture, caption=_about(lesson))
            downloads.trace_button(lesson.name, lesson.run, ())
    _sum(lesson, plan, name, words)


def _sum(lesson: Lesson, plan: BlockPlan, name: str, words: Mapping[str, str]) -> None:
    """The sum that the chosen arrow is, at the chosen word; a stream that is no plain sum has none."""
    if plan.norm_after or not plan.residual or name not in SUMS:
        return
    rows = [_values(lesson, each)[lesson.query, :DIMENSIONS] for each in (*SUMS[name], name)]
    caption = words["the sum"].format(word=lesson.tokens[lesson.query])
    names = [SUMS[name][0], f"+ {SUMS[name][1]}", f"= {name}"]
    st.html(matrix_table(rows, names, [f"d{i}" for i in range(DIMENSIONS)], corner="", caption=caption))


def _under(lesson: Lesson, plan: BlockPlan, live: bool) -> None:
    """What can be taken from the diagram: its lengths at every word, and its drawing."""
    with st.container(horizontal=True, key="under_block"):
        if live:
            names = [each.name for each in plan.arrows]
            norms = [_lengths(lesson, name) for name in names]
            if st.button("As a table", key="arrows_table", icon=":material/table:", help="Every arrow's lengths."):
                _arrows_dialog(norms, names, list(lesson.tokens))
        if not chrome.shown("downloads"):
            return
        columns: dict[str, Any] = {"position": range(len(lesson.tokens)), "token": lesson.tokens}
        columns |= dict(zip(names, norms, strict=True)) if live else {}
        said = _said(lesson, plan) if live else None
        picture = downloads.Picture(lambda look: block_diagram(plan, statistics=said, theme=look), "One block")
        about = _about(lesson) if live else f"{lesson.name}, had it been {place_on_show(lesson)}-norm"
        downloads.menu("block", columns if live else {}, picture, caption=about)


@st.dialog("The numbers of the picture", width="large")
def _arrows_dialog(norms: list[list[float]], names: list[str], tokens: list[str]) -> None:
    st.html(matrix_table(norms, names, tokens, corner="tensor ↓  word →", caption="Length of every word's vector"))


@st.dialog("The numbers of the picture", width="large")
def _table(values: Any, tokens: list[str], dimensions: list[str], caption: str) -> None:
    st.html(matrix_table(values, tokens, dimensions, corner="word ↓  dimension →", caption=caption))


def _values(lesson: Lesson, name: str) -> Any:
    """The tensor of the first text at this name of the block's trace, [position, d_model]."""
    return attrgetter(name)(lesson.run.trace.blocks[lesson.layer])[0].numpy()


def _about(lesson: Lesson) -> str:
    """What stands below its pictures in their files."""
    return f"{downloads.caption(lesson.name, lesson.run.reading.text, ())} · layer {lesson.layer}"


def _lengths(lesson: Lesson, name: str) -> list[float]:
    found: list[float] = attrgetter(name)(lesson.run.trace.blocks[lesson.layer])[0].norm(dim=-1).tolist()
    return found


def _said(lesson: Lesson, plan: BlockPlan) -> dict[str, str]:
    """What stands beside the arrows: the length at the chosen word."""
    return {each.name: f"norm {format_number(_lengths(lesson, each.name)[lesson.query])}" for each in plan.arrows}
