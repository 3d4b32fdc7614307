"""Teacher forcing against free running: the right words given, or the model's own."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.learn.parts.encoder_decoder_choice import Lesson, Words
from pages.ui import chrome, downloads, runs, theme
from viz_model.analysis.translation import MODEL, forced_words
from viz_model.figures.comparison_tables import curves_table
from viz_model.figures.curves import curve
from viz_model.figures.theme import Theme, format_number
from viz_model.figures.translation_tables import guesses_table
from viz_model.training.cheating import FreeRunning
from viz_model.training.studies import kept


def show(lesson: Lesson, words: Words) -> None:
    """The sentence on show word by word, then what was measured on held-out sentences."""
    st.markdown(words["forcing"])
    _sentence(lesson, words)
    trained, longer = measured().groups
    curves = {
        "reading the right words": ([i + 1 for i in longer.position], longer.forced),
        "reading its own": ([i + 1 for i in longer.position], longer.free),
    }

    def draw(look: Theme) -> Any:
        title = f"{longer.n_texts} held-out sentences, longer than trained"
        return curve(curves, x_title="French word", y_title="share right", title=title, theme=look)

    st.altair_chart(draw(theme.current()), key="forcing_curves", theme=None)
    st.markdown(
        words["forcing measured"].format(
            n_trained=trained.n_texts,
            whole_trained=format_number(trained.whole),
            n=longer.n_texts,
            forced=format_number(longer.forced_tokens),
            free=format_number(longer.free_tokens),
            whole=format_number(longer.whole),
            lost=format_number(1 - longer.forced_tokens),
            more=format_number(longer.forced_tokens - longer.free_tokens),
        )
    )
    with st.container(horizontal=True, key="under_forcing"):
        if st.button("As a table", key="forcing_table", icon=":material/table:", help="Each point of both curves."):
            _curves_dialog()
        if chrome.shown("downloads"):
            downloads.menu(
                "forcing",
                {
                    "French word": [i + 1 for i in longer.position],
                    "sentences": longer.n,
                    "right words read": longer.forced,
                    "own words read": longer.free,
                },
                downloads.Picture(draw, "Teacher forcing and free running"),
                caption=MODEL,
            )


@st.cache_resource(max_entries=1, show_spinner=False)
def measured() -> FreeRunning:
    return FreeRunning.from_json(kept("free-running"))


@st.cache_resource(max_entries=64, show_spinner=False)
def forced(text: str, french: tuple[str, ...], causal: bool = True) -> tuple[str, ...]:
    return forced_words(runs.model(MODEL), text, french, causal=causal)


def _sentence(lesson: Lesson, words: Words) -> None:
    found = lesson.writing
    if found.known is None:
        st.markdown(words["forcing unknown"])
        return
    right = (*found.known.french, "[EOS]")
    said = forced(lesson.text, found.known.french)
    st.html(
        guesses_table(
            right,
            [("reading the right words", said), ("reading its own", found.written)],
            caption="The likeliest next word at each place",
        )
    )
    wrong_forced = sum(one != other for one, other in zip(right, said, strict=True))
    own = (*found.written, *[""] * len(right))[: len(right)]
    wrong_free = sum(one != other for one, other in zip(right, own, strict=True))
    name = "forcing same" if not wrong_forced and not wrong_free else "forcing differs"
    st.markdown(words[name].format(n=len(right), forced=wrong_forced, free=wrong_free))


@st.dialog("Right words by position", width="large")
def _curves_dialog() -> None:
    for group in measured().groups:
        x = [i + 1 for i in group.position]
        curves = {
            "reading the right words": (x, group.forced),
            "reading its own": (x, group.free),
            "sentences": (x, group.n),
        }
        st.html(curves_table(curves, x_title="French word", caption=f"Share right, {group.group}"))
