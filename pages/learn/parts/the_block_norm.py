"""A norm of the block: all words before and after it, and the chosen word's numbers written out."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

from pages.learn.parts.the_block_choice import Lesson
from pages.ui import chrome, downloads, session, theme
from viz_model.analysis import NormSite, norm_parts, norm_sites, norm_statistics
from viz_model.figures import matrix_table, tensor_heatmap
from viz_model.figures.block_tables import norm_table
from viz_model.figures.theme import Theme, format_number

MOST = 24  # words in the maps
SUBLAYERS = {"norm_attention": "attention", "norm_feed_forward": "feed-forward", "final_norm": "the last block"}
STATISTICS = ("mean", "variance", "mean, divided", "variance, divided", "mean, out", "variance, out")


def show(lesson: Lesson, words: Mapping[str, str]) -> None:
    """A norm's input and output for all words, and for the chosen one every number between the two."""
    sites = {
        site.name: site for site in norm_sites(lesson.run.model, lesson.run.trace) if site.layer in (lesson.layer, None)
    }
    if not sites:
        st.markdown(words["no norm"])
        return
    site = _site(lesson, sites)
    statistics, parts = norm_statistics(site), norm_parts(site.module, site.before[0, lesson.query])
    st.markdown(
        words[f"{parts.kind} norm"].format(
            word=lesson.word,
            mean=format_number(statistics.mean_before[lesson.query]),
            variance=format_number(statistics.variance_before[lesson.query]),
            low=format_number(min(statistics.variance_before)),
            high=format_number(max(statistics.variance_before)),
            mean_after=format_number(_quiet(statistics.mean_normalised[lesson.query])),
            variance_after=format_number(statistics.variance_normalised[lesson.query]),
        )
    )
    first = max(0, min(lesson.query - MOST // 2, len(lesson.tokens) - MOST))
    tokens = list(lesson.tokens[first : first + MOST])
    if len(lesson.tokens) > MOST:
        st.caption(f"Words {first} to {first + MOST - 1} of {len(lesson.tokens)}, around the chosen one.")
    drawn = []
    for column, title, values in zip(
        st.columns(2, gap="medium"), ("before", "after"), (site.before, site.after), strict=True
    ):
        shown = values[0, first : first + MOST].numpy()
        drawn.append(downloads.Picture(partial(_map, shown, tokens, title), title))
        with column:
            figure = drawn[-1].draw(theme.current())
            st.plotly_chart(figure, key=f"norm_{title}", theme=None, config={"displayModeBar": False})
    if chrome.shown("downloads"):
        downloads.menu(
            f"{site.name}_{lesson.query}",
            {name: getattr(parts, name) for name in ("before", "normalised", "gain", "bias", "after")},
            *drawn,
            caption=f"{downloads.caption(lesson.name, lesson.run.reading.text, ())} · {site.name}",
        )
    st.markdown(words["norm table"].format(word=lesson.word))
    left, right = st.columns(2, gap="large")
    with left:
        caption = f"“{lesson.tokens[lesson.query]}”, entry by entry"
        st.html(norm_table(parts, site.after[0, lesson.query].numpy(), caption=caption))
    with right:
        numbers = [
            *(statistics.mean_before, statistics.variance_before),
            *([_quiet(x) for x in statistics.mean_normalised], statistics.variance_normalised),
            *(statistics.mean_after, statistics.variance_after),
        ]
        rows = [[column[p] for column in numbers] for p in range(len(lesson.tokens))]
        st.html(
            matrix_table(rows, lesson.tokens, STATISTICS, corner="word", caption="Every word: before, divided, out")
        )


def _map(shown: Any, tokens: list[str], title: str, look: Theme) -> Any:
    names = [str(i) for i in range(shown.shape[1])]
    return tensor_heatmap(shown, tokens, names, axes=("word", "dimension"), title=title, theme=look)


def _site(lesson: Lesson, sites: Mapping[str, NormSite]) -> NormSite:
    """The norm on show; one that this model lacks gives way to its first."""
    if st.session_state["block_norm"] not in sites:
        session.put(block_norm=next(iter(sites)))
    when = "before" if lesson.run.model.config.norm_place == "pre" else "after"
    st.segmented_control(
        "Norm",
        list(sites),
        key="block_norm",
        format_func=lambda name: f"{'after' if name == 'final_norm' else when} {SUBLAYERS[name]}",
        required=True,
        disabled=chrome.locked("panel"),
        label_visibility="collapsed",
    )
    return sites[st.session_state["block_norm"]]


def _quiet(x: float) -> float:
    """A mean of 1e-17 is what rounding leaves of 0."""
    return 0.0 if abs(x) < 1e-9 else x
