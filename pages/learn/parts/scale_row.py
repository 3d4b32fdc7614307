"""One drawn row: its dots, both softmaxes, and how dots and scores are distributed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import streamlit as st

from pages.ui import chrome, downloads, link_table, session, theme
from viz_model.analysis.scaling import SampledRow, sample_dots, sample_row, seeded
from viz_model.figures import matrix_table
from viz_model.figures.scaling_curves import score_distribution, softmax_bars
from viz_model.figures.theme import format_number, theme_named

N_KEYS = 8
MOST_DOTS, MOST_NUMBERS = 20_000, 8_000_000  # dots in the distribution; numbers that are drawn for them
SEEDS = 1_000


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """What the page is about in this run."""

    d_k: int
    seed: int
    row: SampledRow

    @property
    def root(self) -> str:
        """What the dots are divided by, as a sentence writes it."""
        root = math.sqrt(self.d_k)
        return f"√{self.d_k} = {root:g}" if root.is_integer() else f"√{self.d_k} = {format_number(root)}"


def choose() -> Drawn:
    """Draws the controls, and the row that they ask for."""
    state, off = st.session_state, chrome.locked("d_k")
    with st.container(horizontal=True, vertical_alignment="bottom", key="d_k_row"):
        st.select_slider(
            "d_k: components of a query and of a key, 1 to 1024",
            options=link_table.WIDTHS,
            key="d_k",
            help="Arrow keys move it too. GPT-2 and the original Transformer have 64 in each head.",
            disabled=off,
            width="stretch",
        )
        st.button(
            "Draw again",
            key="draw_row",
            icon=":material/casino:",
            help="Other random queries and keys.",
            on_click=session.put,
            kwargs={"scale_seed": (state["scale_seed"] + 1) % SEEDS},
            disabled=off,
        )
    d_k, seed = state["d_k"], state["scale_seed"]
    return Drawn(d_k, seed, row_of(d_k, seed))


@st.cache_resource(max_entries=64, show_spinner=False)
def row_of(d_k: int, seed: int) -> SampledRow:
    return sample_row(d_k, generator=seeded(seed), n_keys=N_KEYS)


@st.cache_resource(max_entries=32, show_spinner=False)
def dots_of(d_k: int, seed: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Many dots of random queries and keys."""
    return sample_dots(d_k, min(MOST_DOTS, MOST_NUMBERS // d_k), generator=seeded(seed))


def show(drawn: Drawn, words: Mapping[str, str]) -> None:
    """The row as bars and numbers, and beside it where dots and scores fall."""
    left, right = st.columns(2, gap="large")
    with left, st.container(key="scale_row"):
        _row(drawn, words)
    with right, st.container(key="scale_spread"):
        _spread(drawn, words)
    with st.container(key="scale_numbers"):
        _numbers(drawn)


def _row(drawn: Drawn, words: Mapping[str, str]) -> None:
    row = drawn.row
    st.vega_lite_chart(
        _bars(drawn.d_k, drawn.seed, theme.current().name), key="row_bars", theme=None, alt=words["row alt"]
    )
    st.markdown(words["row one" if drawn.d_k == 1 else "row"].format(root=drawn.root, **numbers(row)))


def _numbers(drawn: Drawn) -> None:
    row, keys = drawn.row, [str(i) for i in range(N_KEYS)]
    st.html(
        matrix_table(
            np.stack([row.dots, row.scores, row.dots_weights, row.scores_weights]),
            ["q·k", "q·k / √d_k", "softmax of q·k", "softmax of q·k / √d_k"],
            keys,
            corner="key",
            caption=f"The row in numbers, d_k = {drawn.d_k}",
        )
    )
    if chrome.shown("downloads"):
        about = {"d_k": [drawn.d_k] * N_KEYS, "seed": [drawn.seed] * N_KEYS}
        downloads.menu(
            "row",
            about | columns(keys, row),
            downloads.Picture(lambda look: _bars(drawn.d_k, drawn.seed, look.name), "Weights of one query"),
            caption=f"Random queries and keys, seed {drawn.seed}",
        )


def _spread(drawn: Drawn, words: Mapping[str, str]) -> None:
    dots = dots_of(drawn.d_k, drawn.seed)
    spread = float(dots.std())
    told = words["spread"].format(
        n=f"{dots.size:,}",
        spread=format_number(spread),
        root=drawn.root,
        scaled=format_number(spread / math.sqrt(drawn.d_k)),
        outside=f"{int((np.abs(dots) > 4).sum()):,}",
        outside_scaled=f"{int((np.abs(dots) / math.sqrt(drawn.d_k) > 4).sum()):,}",
    )
    st.vega_lite_chart(
        _distribution(drawn.d_k, drawn.seed, theme.current().name),
        key="distribution",
        theme=None,
        alt=words["spread alt"],
    )
    st.markdown(told)
    if drawn.d_k <= 4:
        st.markdown(words["not normal"])
    with st.container(horizontal=True, key="under_spread"):
        if st.button("As a table", key="spread_table", icon=":material/table:", help="How many dots fall where."):
            _spread_dialog(drawn)
        if chrome.shown("downloads"):
            downloads.menu(
                "dots",
                {
                    "d_k": [drawn.d_k] * dots.size,
                    "seed": [drawn.seed] * dots.size,
                    "q·k": dots.tolist(),
                    "q·k / √d_k": (dots / math.sqrt(drawn.d_k)).tolist(),
                },
                downloads.Picture(lambda look: _distribution(drawn.d_k, drawn.seed, look.name), "Where q·k falls"),
                caption=f"{dots.size:,} dots of random queries and keys, seed {drawn.seed}",
            )


@st.dialog("How many dots fall where", width="large")
def _spread_dialog(drawn: Drawn) -> None:
    dots = dots_of(drawn.d_k, drawn.seed)
    edges = (-np.inf, -16.0, -8.0, -4.0, -2.0, 0.0, 2.0, 4.0, 8.0, 16.0, np.inf)
    shares = [np.histogram(given, edges)[0] / dots.size for given in (dots, dots / math.sqrt(drawn.d_k))]
    places = [f"{low:g} to {high:g}" for low, high in pairwise(edges[1:-1])]
    places = [f"below {edges[1]:g}", *places, f"above {edges[-2]:g}"]
    st.html(
        matrix_table(
            np.stack(shares, 1),
            places,
            ["q·k", "q·k / √d_k"],
            corner="number",
            caption=f"Share of {dots.size:,} dots, d_k = {drawn.d_k}",
        )
    )


def numbers(row: Any) -> dict[str, str]:
    """What sentences say of a row (drawn, or of a trained head): largest weights, entropies and gradients."""
    n = len(row.dots)
    return {
        "low": format_number(float(row.dots.min())),
        "high": format_number(float(row.dots.max())),
        "plain": format_number(float(row.dots_weights.max())),
        "plain_key": str(int(row.dots_weights.argmax())),
        "scaled": format_number(float(row.scores_weights.max())),
        "scaled_key": str(int(row.scores_weights.argmax())),
        "plain_gradient": format_number(row.dots_gradient),
        "scaled_gradient": format_number(row.scores_gradient),
        "plain_entropy": format_number(row.dots_entropy),
        "scaled_entropy": format_number(row.scores_entropy),
        "n_keys": str(n),
        "most_gradient": format_number(1 - 1 / n),
        "even": format_number(math.log(n)),
    }


def columns(keys: list[str], row: Any) -> dict[str, list[Any]]:
    """A row as columns of a CSV."""
    return {
        "key": keys,
        "q·k": row.dots.tolist(),
        "q·k / √d_k": row.scores.tolist(),
        "softmax of q·k": row.dots_weights.tolist(),
        "softmax of q·k / √d_k": row.scores_weights.tolist(),
    }


@st.cache_data(max_entries=64, show_spinner=False)
def _bars(d_k: int, seed: int, look: str) -> dict[str, Any]:
    row = row_of(d_k, seed)
    keys = [str(i) for i in range(N_KEYS)]
    title = f"Reading {N_KEYS} random keys, d_k = {d_k}"
    return softmax_bars(keys, row.dots_weights, row.scores_weights, title=title, theme=theme_named(look)).to_dict()


@st.cache_data(max_entries=64, show_spinner=False)
def _distribution(d_k: int, seed: int, look: str) -> dict[str, Any]:
    title = f"Where q·k falls, d_k = {d_k}"
    return score_distribution(dots_of(d_k, seed), d_k=d_k, title=title, theme=theme_named(look)).to_dict()
