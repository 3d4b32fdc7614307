"""What reaches the end: the gradient by distance before training, and what a probe finds after it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from pages.learn.parts import why_not_rnns_choice as choice
from pages.learn.parts.why_not_rnns_learning import sizes
from pages.learn.parts.why_not_rnns_numbers import below
from pages.ui import chrome, link_table, theme
from viz_model.figures.comparison_curves import accuracy_curves, gradient_curves
from viz_model.figures.theme import Theme, format_number
from viz_model.training import comparison
from viz_model.training.comparison import FARTHEST, Bottleneck, Probe
from viz_model.training.lesson_recipes import FORGET_BIAS
from viz_model.training.studies import kept

STUDY = "first-token-50"
HEIGHT = 340


def gradient(words: Mapping[str, str]) -> Callable[[], None]:
    """The controls and the words; the picture, measured once a server, is drawn by what comes back."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="gradient_row"):
        st.slider(
            "Distance (tokens back)",
            0,
            FARTHEST,
            key="far",
            disabled=chrome.locked("bodies"),
            width=320,
            help="The line in the picture; below it the numbers there.",
        )
        choice.variants()
    picture = st.empty()
    picture.html(f'<div style="height:{HEIGHT + 120}px">Measuring the gradient of each network…</div>')
    choice.fill(words, "gradient")
    choice.fill(words, "gradient why")

    def draw() -> None:
        found = {_named(body): _gradient(body) for body in choice.on_show()}
        curves = {name: (range(len(sizes_)), sizes_) for name, sizes_ in found.items()}
        far = st.session_state["far"]
        with picture.container(key="gradient_picture"):

            def drawn(look: Theme) -> Any:
                return gradient_curves(curves, far=far, height=HEIGHT, theme=look)

            st.altair_chart(drawn(theme.current()), key="gradient_chart", theme=None)
            said = (
                f"{name} **{format_number(values[far]) if values[far] else 'none (exactly 0)'}**"
                for name, values in found.items()
            )
            choice.fill(words, "gradient said", far=far, values="; ".join(said))
            caption = "Size of the gradient, before training"
            below("gradient", curves, drawn, x="distance", y="gradient", caption=caption)

    return draw


def bottleneck(words: Mapping[str, str]) -> None:
    """What a linear map reads of each pair."""
    found = _bottleneck()
    what = _controls()
    chance = found.chance_number if what == "numbers" else found.chance_name
    probes = {(probe.body, probe.read_from): probe for probe in found.probes}
    curves = {_probe_name(probe): _values(probe, what) for probe in found.probes}
    pairs = {name: (range(1, len(values) + 1), values) for name, values in curves.items()}

    def draw(look: Theme) -> Any:
        return accuracy_curves(
            pairs,
            levels={"chance": chance},
            y_title=f"{what} read",
            x_title="pairs back (1 is the last)",
            legend_columns=1,  # the names are long, and a phone is narrow
            theme=look,
        )

    st.altair_chart(draw(theme.current()), key="bottleneck_chart", theme=None)
    thing = what[:-1]
    below("bottleneck", pairs, draw, x="pairs back", y="accuracy", caption=f"Share of {what} that a linear map reads")
    choice.fill(words, "bottleneck", n_pairs=found.n_pairs, what=thing, n=f"{found.n_examples:,}")
    last = {probe.body: _values(probe, what) for probe in found.probes if probe.read_from != "every vector"}
    keeps = probes["attention", "every vector"]
    choice.fill(
        words,
        "bottleneck said",
        thing=thing,
        lstm_last=format_number(last["lstm"][0]),
        lstm_first=format_number(last["lstm"][-1]),
        lstm_least=format_number(min(last["lstm"])),
        rnn_first=format_number(last["rnn"][-1]),
        cnn_first=format_number(last["cnn"][-1]),
        chance=format_number(chance),
        kept_least=format_number(min(_values(keeps, what))),
    )
    widths = {probe.body: probe.width for probe in found.probes if probe is not keeps}
    choice.fill(
        words,
        "bottleneck why",
        width=widths["attention"],
        own_first=format_number(last["attention"][-1]),
        n_tokens=keeps.width // widths["attention"],
        kept_width=f"{keeps.width:,}",
        lstm_width=widths["lstm"],
        rnn_width=widths["rnn"],
    )


def _controls() -> str:
    st.segmented_control(
        "Read",
        link_table.PROBED,
        key="probed",
        required=True,
        width="content",
        format_func={"numbers": "the numbers", "names": "the names"}.get,
        disabled=chrome.locked("bodies"),
    )
    found: str = st.session_state["probed"]
    return found


def _named(body: str) -> str:
    return choice.named(body, forget_bias=FORGET_BIAS if body == "lstm-forget" else 0.0, sees=sizes(STUDY)[body].sees)


def _probe_name(probe: Probe) -> str:
    return f"{choice.SHORT[probe.body]}, {probe.read_from}"


def _values(probe: Probe, what: str) -> tuple[float, ...]:
    return probe.numbers if what == "numbers" else probe.names


@st.cache_data(max_entries=8, show_spinner=False)
def _gradient(body: str) -> tuple[float, ...]:
    return comparison.gradient_at_start(body)


@st.cache_resource(max_entries=1, show_spinner=False)
def _bottleneck() -> Bottleneck:
    return Bottleneck.from_json(kept("bottleneck"))
