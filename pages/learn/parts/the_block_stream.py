"""The residual stream from the embedding to the last block: how long its vectors are, and what each sublayer adds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages.learn.parts.the_block_choice import Lesson
from pages.ui import chrome, downloads, runs, theme
from viz_model.analysis import ResidualNorms, residual_norms
from viz_model.figures import matrix_table
from viz_model.figures.block_tables import additions_table
from viz_model.figures.depth_curves import stream_norms
from viz_model.figures.theme import Theme, format_number

AFTER = {"resid_cross": "attention", "resid_mid": "attention", "resid_post": "feed-forward"}


def show(lesson: Lesson, words: Mapping[str, str]) -> None:
    """Lengths along the stream, and what each sublayer added at the chosen word."""
    found = _norms(lesson.name, lesson.run.reading.text)
    residual = lesson.run.model.config.residual
    places = ["embedding", *(f"layer {each.layer} {AFTER[each.name]}" for each in found.places[1:])]
    own = [place.norms[lesson.query] for place in found.places]
    largest = max(found.additions, key=lambda one: one.share[lesson.query])
    st.markdown(
        words["stream"].format(
            word=lesson.word,
            first=format_number(own[0]),
            last=format_number(own[-1]),
            sublayer=largest.sublayer.replace("_", "-"),
            layer=largest.layer,
            share=format_number(largest.share[lesson.query]),
            alike_first=format_number(found.places[0].alike),
            alike_last=format_number(found.places[-1].alike),
        )
    )
    norms = [place.norms for place in found.places]

    def draw(look: Theme) -> Any:
        return stream_norms(places, norms, lesson.tokens, lesson.query, height=320, theme=look)

    st.altair_chart(draw(theme.current()), key="stream_chart", theme=None)
    with st.container(horizontal=True, key="under_picture"):
        if st.button("As a table", key="as_table", icon=":material/table:", help="Every word's length at every place."):
            _stream_dialog(norms, places, list(lesson.tokens))
        if chrome.shown("downloads"):
            rows = [(i, p) for i in range(len(places)) for p in range(len(lesson.tokens))]
            downloads.menu(
                "stream",
                {
                    "place": [places[i] for i, _ in rows],
                    "position": [p for _, p in rows],
                    "token": [lesson.tokens[p] for _, p in rows],
                    "norm": [norms[i][p] for i, p in rows],
                },
                downloads.Picture(draw, "Length of the vector along the residual stream"),
                caption=downloads.caption(lesson.name, lesson.run.reading.text, ()),
            )
    st.markdown(words["additions"])
    caption = f"What each sublayer adds at “{lesson.tokens[lesson.query]}” (position {lesson.query})"
    st.html(additions_table(found.additions, lesson.query, residual=residual, caption=caption))


@st.cache_data(max_entries=32, show_spinner=False)
def _norms(name: str, text: str) -> ResidualNorms:
    run = runs.run(name, text)
    return residual_norms(run.model, run.trace)


@st.dialog("The numbers of the picture", width="large")
def _stream_dialog(norms: Any, places: list[str], tokens: list[str]) -> None:
    st.html(matrix_table(norms, places, tokens, corner="place ↓  word →", caption="Length of the vector"))
