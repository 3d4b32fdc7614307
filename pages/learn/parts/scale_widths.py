"""Variance, entropy and gradient at every width, samples beside theory; and the question that the samples answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from pages.learn.parts.scale_row import Drawn
from pages.ui import chrome, downloads, theme
from viz_model.analysis.scaling import N_KEYS, WIDTHS, ScalingSamples, sample_scaling, seeded
from viz_model.analysis.scaling_theory import ScalingTheory, scaling_theory
from viz_model.figures import matrix_table
from viz_model.figures.scaling_curves import entropy_curve, gradient_curve, variance_curve
from viz_model.figures.theme import Theme, format_number, theme_named

START, END = 16, 256
FACTORS = (1, 2, 4, 16)  # to choose from
CHOICES = ["not at all", "2 times", "4 times", "16 times"]
CURVES = ("variance", "entropy", "gradient")


def show(drawn: Drawn, words: Mapping[str, str]) -> Callable[[], None]:
    """A place for the three curves, and the function that draws them into it."""
    place = st.container(key="scale_widths")

    def fill() -> None:
        with place:
            with st.spinner("Drawing queries and keys of every width…"):
                found, expected = samples(drawn.seed), theory()
            for name, column in zip(CURVES, st.columns(3, gap="medium"), strict=True):
                with column:
                    told = words[name].format(**_numbers(drawn, found, expected, name))
                    figure = _drawn(name, drawn.d_k, drawn.seed, theme.current())
                    st.vega_lite_chart(figure, key=f"curve_{name}", theme=None, alt=words[f"{name} alt"])
                    st.markdown(told)
            st.markdown(words["widths"].format(n_keys=found.n_keys))
            with st.container(horizontal=True, key="under_widths"):
                if st.button("As a table", key="widths_table", icon=":material/table:", help="Samples and theory."):
                    _dialog(found, expected)
                if chrome.shown("downloads"):
                    downloads.menu(
                        "widths",
                        _columns(drawn.seed, found, expected),
                        *(
                            downloads.Picture(partial(_drawn, name, drawn.d_k, drawn.seed), name.capitalize())
                            for name in CURVES
                        ),
                        caption=f"Random queries and keys, seed {drawn.seed}; d_k = {drawn.d_k} marked",
                    )

    return fill


def how_much_wider(drawn: Drawn, words: Mapping[str, str]) -> tuple[str, str]:
    """By how much the standard deviation of the sampled dots grows from START to END."""
    found = samples(drawn.seed)
    narrow, wide = (math.sqrt(found.dots_variance[WIDTHS.index(width)]) for width in (START, END))
    right = min(range(len(FACTORS)), key=lambda i: abs(FACTORS[i] - wide / narrow))
    return CHOICES[right], words["answer"].format(
        start=START,
        end=END,
        narrow=format_number(narrow),
        wide=format_number(wide),
        factor=format_number(wide / narrow),
        components=END // START,
        root=f"{math.sqrt(END / START):g}",
    )


@st.cache_resource(max_entries=16, show_spinner=False)
def samples(seed: int, n_keys: int = N_KEYS) -> ScalingSamples:
    return sample_scaling(WIDTHS, generator=seeded(seed), n_keys=n_keys)


@st.cache_resource(max_entries=4, show_spinner=False)
def theory(n_keys: int = N_KEYS) -> ScalingTheory:
    return scaling_theory(WIDTHS, n_keys)


def _drawn(name: str, d_k: int, seed: int, look: Theme) -> dict[str, Any]:
    return _curve(name, d_k, seed, look.name)


@st.cache_data(max_entries=128, show_spinner=False)
def _curve(name: str, d_k: int, seed: int, look: str) -> dict[str, Any]:
    found, expected, appearance = samples(seed), theory(), theme_named(look)
    if name == "variance":
        return variance_curve(
            found.d_k, found.dots_variance, found.scores_variance, chosen=d_k, theme=appearance
        ).to_dict()
    if name == "entropy":
        return entropy_curve(
            found.d_k,
            found.dots_entropy,
            found.scores_entropy,
            n_keys=found.n_keys,
            dots_theory=expected.dots_entropy,
            scores_theory=expected.scores_entropy,
            chosen=d_k,
            theme=appearance,
        ).to_dict()
    return gradient_curve(
        found.d_k,
        found.dots_gradient,
        found.scores_gradient,
        dots_theory=expected.dots_gradient,
        scores_theory=expected.scores_gradient,
        chosen=d_k,
        theme=appearance,
    ).to_dict()


def _numbers(drawn: Drawn, found: ScalingSamples, expected: ScalingTheory, name: str) -> dict[str, str]:
    """What is said of one curve at the chosen width."""
    at = WIDTHS.index(drawn.d_k)
    named = {"plain": f"dots_{name}", "scaled": f"scores_{name}"}
    told = {key: format_number(float(getattr(found, field)[at])) for key, field in named.items()}
    told |= {f"{key}_theory": format_number(float(getattr(expected, field)[at])) for key, field in named.items()}
    off = np.abs(found.dots_variance / expected.dots_variance - 1)
    return told | {
        "d_k": str(drawn.d_k),
        "root": drawn.root,
        "n": f"{int(found.n_dots[at]):,}",
        "off": f"{off.max():.1%}",
        "off_at": str(WIDTHS[int(off.argmax())]),
        "n_keys": str(found.n_keys),
        "even": format_number(math.log(found.n_keys)),
        "most": format_number(1 - 1 / found.n_keys),
        "share": format_number(float(found.dots_gradient[at] / found.scores_gradient[at])),
    }


@st.dialog("Samples and theory at every width", width="large")
def _dialog(found: ScalingSamples, expected: ScalingTheory) -> None:
    for name in CURVES:
        fields = (f"dots_{name}", f"scores_{name}")
        values = np.stack([getattr(given, field) for field in fields for given in (found, expected)], 1)
        st.html(
            matrix_table(
                values,
                [str(width) for width in WIDTHS],
                ["q·k", "theory", "q·k / √d_k", "theory"],
                corner="d_k",
                caption=f"{name.capitalize()}, with {found.n_keys} keys",
            )
        )


def _columns(seed: int, found: ScalingSamples, expected: ScalingTheory) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {"d_k": list(WIDTHS), "seed": [seed] * len(WIDTHS)}
    columns |= {"keys": [found.n_keys] * len(WIDTHS), "dots": found.n_dots.tolist()}
    for name in CURVES:
        for given, of in (("q·k", "dots"), ("q·k / √d_k", "scores")):
            columns[f"{name} of {given}"] = getattr(found, f"{of}_{name}").tolist()
            columns[f"{name} of {given}, theory"] = getattr(expected, f"{of}_{name}").tolist()
    return columns
