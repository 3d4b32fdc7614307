"""Untrained stacks of 2 to 24 layers, with and without norms and residual connections: the gradient's size by layer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from pages.ui import chrome, downloads, link_table, session, theme
from viz_model.analysis import GradientByDepth
from viz_model.figures import matrix_table
from viz_model.figures.depth_curves import depth_curves
from viz_model.figures.theme import Theme, format_number
from viz_model.training import depth
from viz_model.training.studies import kept

SEED = 0


def show(_: None, words: Mapping[str, str]) -> None:
    """Untrained stacks: the gradient at each layer of one depth, live, and its fall over all depths, as recorded."""
    state, off = st.session_state, chrome.locked("panel")
    with st.container(horizontal=True, vertical_alignment="bottom", key="depth_row"):
        st.slider("Layers", 2, 24, key="block_depth", disabled=off, width=260)
        st.toggle(
            "Small start",
            key="block_small",
            disabled=off,
            help="What enters the residual stream starts the smaller, the deeper the stack. Off: each matrix by its "
            "own width alone. Without a residual connection both are the same.",
        )
    chosen = variants(off)
    n_layers, small = state["block_depth"], state["block_small"]
    gradients = {name: gradient(name, n_layers, small) for name in chosen}
    st.markdown(words["start"].format(n_layers=n_layers, said=said_of(gradients)))
    left, right = st.columns(2, gap="large")
    with left:
        series = {name: (range(n_layers + 1), one.stream) for name, one in gradients.items()}
        title = f"Live: gradient in a stack of {n_layers} layers"

        def draw(look: Theme) -> Any:
            return depth_curves(series, title=title, known=link_table.BLOCK_VARIANTS, theme=look)

        st.altair_chart(draw(theme.current()), key="start_chart", theme=None)
        take_away(
            "gradient",
            "Norm of the gradient by layer",
            {name: one.stream for name, one in gradients.items()},
            "layer",
            range(n_layers + 1),
            draw,
        )
    with right:
        falls = {name: _falls(name, small) for name in chosen}

        def draw_falls(look: Theme) -> Any:
            return depth_curves(
                {name: (depth.DEPTHS, values) for name, values in falls.items()},
                x_title="layers in the stack",
                y_title="first layer / last",
                title=f"Recorded, seed {SEED}: first layer / last",
                known=link_table.BLOCK_VARIANTS,
                theme=look,
            )

        st.altair_chart(draw_falls(theme.current()), key="falls_chart", theme=None)
        what = "Gradient at the first layer over that at the last"
        take_away("first-over-last", what, falls, "layers", depth.DEPTHS, draw_falls)
    st.markdown(words["flat" if small else "explodes"].format(**_figures()))


def variants(off: bool) -> list[str]:
    """The variants on show: pills, whose list the state holds as words."""
    known = [name for name in link_table.BLOCK_VARIANTS if name in st.session_state["block_variants"]]
    st.session_state["variant_pills"] = known or list(link_table.BLOCK_VARIANTS)
    st.pills(
        "Blocks",
        link_table.BLOCK_VARIANTS,
        key="variant_pills",
        selection_mode="multi",
        wrap=True,
        disabled=off,
        on_change=lambda: session.put(block_variants=_in_order(st.session_state["variant_pills"])),
    )
    return list(st.session_state["variant_pills"])


def _in_order(names: Sequence[str]) -> tuple[str, ...]:
    """As the table has them; all where none is left."""
    return tuple(name for name in link_table.BLOCK_VARIANTS if name in names) or link_table.BLOCK_VARIANTS


def take_away(
    name: str,
    title: str,
    columns: Mapping[str, Sequence[float]],
    what: str,
    rows: Sequence[int],
    draw: Callable[[Theme], Any],
) -> None:
    """The numbers of a chart as a table, and what can be taken of it."""
    with st.container(horizontal=True):
        if st.button("As a table", key=f"table_{name}", icon=":material/table:", help="The numbers of the chart."):
            _table(title, columns, what, rows)
        if chrome.shown("downloads"):
            given = {what: list(rows), **{key: list(values) for key, values in columns.items()}}
            downloads.menu(name, given, downloads.Picture(draw, title), caption=f"{title}; seed {SEED}")


@st.dialog("The numbers of the picture", width="large")
def _table(title: str, columns: Mapping[str, Sequence[float]], what: str, rows: Sequence[int]) -> None:
    values = [[column[i] for column in columns.values()] for i in range(len(rows))]
    st.html(matrix_table(values, [str(row) for row in rows], list(columns), corner=what, caption=title))


def said_of(gradients: Mapping[str, GradientByDepth]) -> str:
    """First layer over last, in words."""
    return ", ".join(f"{name} **{format_number(one.first_to_last)}**" for name, one in gradients.items())


def _falls(name: str, small: bool) -> list[float]:
    """First layer over last at each depth, as recorded."""
    small = small or not depth.depth_recipe(name, 2).residual  # without residual connections both are one
    found = {
        one.n_layers: one.gradient.first_to_last
        for one in recorded().starts
        if (one.variant, one.small_start, one.seed) == (name, small, SEED)
    }
    return [found[n] for n in depth.DEPTHS]


def _figures() -> dict[str, str]:
    """What the recorded stacks of 24 layers say, over all seeds: smallest and largest of first layer over last."""
    deepest = [one for one in recorded().starts if one.n_layers == depth.DEPTHS[-1]]

    def ends(name: str, **wanted: bool) -> tuple[str, str]:
        ratios = [
            one.gradient.first_to_last
            for one in deepest
            if one.small_start == wanted["small"] and (one.variant == name or name == "residual")
            if name != "residual" or depth.depth_recipe(one.variant, 2).residual
        ]
        return format_number(min(ratios)), format_number(max(ratios))

    low, high = ends("residual", small=True)
    bare_low, bare_high = ends("no norm", small=False)
    gone_low, gone_high = ends("neither", small=True)
    alone_low, alone_high = ends("pre-norm, no residual", small=True)
    return {
        "n": str(depth.DEPTHS[-1]),
        **{"low": low, "high": high, "bare_low": bare_low, "bare_high": bare_high},
        **{"gone_low": gone_low, "gone_high": gone_high, "alone_low": alone_low, "alone_high": alone_high},
    }


@st.cache_data(max_entries=256, show_spinner=False)
def gradient(variant: str, n_layers: int, small_start: bool) -> GradientByDepth:
    """One batch's gradient in an untrained stack."""
    return depth.gradient_at_start(depth.depth_recipe(variant, n_layers), seed=SEED, small_start=small_start)


@st.cache_resource(max_entries=1, show_spinner=False)
def recorded() -> depth.DepthResults:
    return depth.DepthResults.from_json(kept("depth"))
