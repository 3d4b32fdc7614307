"""What the last output of a stack of convolutions sees: by its formula, by its wiring, by changing tokens."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from pages.learn.parts import why_not_rnns_choice as choice
from pages.learn.parts.why_not_rnns_numbers import show
from pages.ui import chrome, downloads, theme
from viz_model.analysis.convolution_field import ConvolutionField, convolution_field
from viz_model.figures.comparison_tables import curves_table
from viz_model.figures.field_picture import field_html, field_picture

LAYERS, DILATIONS = (1, 2, 3, 4), (1, 2, 3)
GAPS = {1: "1: side by side", 2: "2: doubling", 3: "3: tripling"}


def field(words: Mapping[str, str]) -> None:
    """The cone of what is read, the tokens that move the output, and the two numbers."""
    off = chrome.locked("bodies")
    with st.container(horizontal=True, vertical_alignment="bottom", key="field_row"):
        st.segmented_control("Layers", LAYERS, key="field_layers", required=True, width="content", disabled=off)
        st.segmented_control(
            "Gaps grow by",
            DILATIONS,
            key="field_dilation",
            format_func=GAPS.get,
            required=True,
            wrap=True,
            width="content",
            disabled=off,
        )
    found = _field(st.session_state["field_layers"], st.session_state["field_dilation"])
    drawn = found.n, found.n_layers, found.cone, found.influence
    with st.container(key="field_picture"):
        st.html(field_html(*drawn, theme=theme.current()))
    agree = "field agree" if found.formula == found.measured else "field differ"
    choice.fill(words, "field said", formula=found.formula, measured=found.measured, agree=words[agree])
    choice.fill(words, "field")
    back = list(range(found.n - 1, -1, -1))
    with st.container(horizontal=True, key="under_field"):
        caption = "How far the last output moves when a token is changed"
        if st.button("As a table", key="table_field", icon=":material/table:", help="The numbers of this picture."):
            moved = {"moves the last output": (back, found.influence)}
            show(caption, curves_table(moved, x_title="tokens back", caption=caption, none="not at all"))
        if chrome.shown("downloads"):
            n = len(back)
            downloads.menu(
                "receptive-field",
                {
                    "layers": [found.n_layers] * n,
                    "gaps grow by": [st.session_state["field_dilation"]] * n,
                    "tokens back": back,
                    "moves the last output": found.influence,
                    "sees, by the formula": [found.formula] * n,
                },
                downloads.Picture(lambda look: field_picture(*drawn, theme=look), "What the last output sees"),
                caption=caption,
            )


@st.cache_resource(max_entries=12, show_spinner=False)
def _field(n_layers: int, dilation: int) -> ConvolutionField:
    return convolution_field(n_layers, dilation)
