"""The sentence with its known links, and the map of the head that is measured on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages.learn.parts.self_attention_choice import Lesson
from pages.ui import chrome, downloads, pictures, session, theme
from viz_model.analysis.gold_links import link_hits, link_weights, most_read
from viz_model.display import Lens, shown
from viz_model.figures import attention_view, matrix_table
from viz_model.figures.relation_pictures import links_table
from viz_model.figures.sentence_arcs import sentence_arcs, sentence_arcs_html
from viz_model.figures.theme import format_number

LINES = 3  # links that are said in words


def arcs(lesson: Lesson) -> None:
    """The links as arcs, with the head's weight on each; the words alone where no links are known."""
    tokens, links, weights, hits = _links(lesson)
    with st.container(key="arcs"):
        st.html(sentence_arcs_html(tokens, links, weights, hits, chosen=lesson.chosen, theme=theme.current()))


def said(lesson: Lesson, words: Mapping[str, str]) -> None:
    """The chosen links in words, and what can be taken away."""
    with st.container(key="said"):
        if not lesson.links:
            encoding = lesson.run.reading.encoding
            in_pieces = len(set(encoding.words) - {None}) < len(encoding) - sum(encoding.special)
            st.markdown(words["pieces" if in_pieces else "no links"])
            return
        tokens, links, weights, hits = _links(lesson)
        for line in _said(lesson, weights, hits):
            st.markdown(line)
        with st.container(horizontal=True, key="under_arcs"):
            if st.button("As a table", key="arcs_table", icon=":material/table:", help="Each link and its weight."):
                _links_dialog(lesson)
            if chrome.shown("downloads"):
                about = downloads.caption(lesson.name, lesson.run.reading.text, ())
                chosen = lesson.chosen
                downloads.menu(
                    "links",
                    {
                        "reads": [tokens[query] for _, query, _ in links],
                        "is read": [tokens[key] for _, _, key in links],
                        "relation": [relation for relation, _, _ in links],
                        "layer": [lesson.layer] * len(links),
                        "head": [lesson.head] * len(links),
                        "weight": weights,
                        "largest of all words": hits,
                        "run": [about] * len(links),
                    },
                    downloads.Picture(
                        lambda look: sentence_arcs(tokens, links, weights, hits, chosen=chosen, theme=look),
                        "Known links of the sentence, and one head's weights",
                    ),
                    caption=f"{about} · layer {lesson.layer}, head {lesson.head}",
                )


def attention_map(lesson: Lesson, words: Mapping[str, str]) -> None:
    """All heads, each with its share of right answers, and the one on show as a map; a click changes it."""
    run = lesson.run
    seen = shown(run.trace, run.reading.encoding, Lens())
    payload = attention_view.pack(
        seen.weights,
        seen.queries,
        mask=seen.mask,
        layer=lesson.layer,
        head=lesson.head,
        query=lesson.query,
        key=lesson.key,
        view=st.session_state["view"],
        share=st.session_state["share"],
        roles=_roles(lesson),
        model=lesson.name,
        caption=downloads.caption(lesson.name, run.reading.text, ()),
        height=380,
    )
    if st.session_state["edits"]:
        st.caption(words["edits"])
    if lesson.score is None:
        st.markdown(words["map alone"])
    else:
        st.markdown(words["map"].format(right=_right(lesson.score.accuracy[lesson.layer][lesson.head])))
    pictures.attention("attention", payload, _choose)
    with st.container(horizontal=True, vertical_alignment="center", key="under_picture"):
        if lesson.score is not None:
            st.button(
                "Jump to the best head for this relation",
                key="jump",
                icon=":material/my_location:",
                on_click=session.put,
                kwargs={"follow": True},
                disabled=st.session_state["follow"] or chrome.locked("head") or chrome.locked("layer"),
                help=f"Layer {lesson.score.best[0]}, head {lesson.score.best[1]}; another relation brings its own.",
            )
        if st.button("As a table", key="as_table", icon=":material/table:", help="The numbers of the head on show."):
            _map_dialog(lesson)
        if chrome.shown("downloads"):
            downloads.trace_button(lesson.name, run, ())


def _links(lesson: Lesson) -> tuple[list[str], list[tuple[str, int, int]], list[float], list[bool]]:
    """Words, links by index of the words, the head's weight on each, and whether it is its word's largest."""
    trace, special = lesson.run.trace, lesson.run.reading.encoding.special
    at = [position for position, one in enumerate(special) if not one]
    ends = [link.ends(lesson.reading) for link in lesson.links]
    links = [(link.relation, at.index(q), at.index(k)) for link, (q, k) in zip(lesson.links, ends, strict=True)]
    weights = link_weights(trace, lesson.links, lesson.reading)[:, lesson.layer, lesson.head]
    hits = link_hits(trace, lesson.links, special, lesson.reading)[:, lesson.layer, lesson.head]
    return [trace.tokens[position] for position in at], links, weights.tolist(), hits.tolist()


def _said(lesson: Lesson, weights: list[float], hits: list[bool]) -> list[str]:
    """The chosen links in words."""
    trace, special = lesson.run.trace, lesson.run.reading.encoding.special
    lines = []
    for link, weight, hit in zip(lesson.links, weights, hits, strict=True):
        if link.relation != lesson.relation:
            continue
        query, key = link.ends(lesson.reading)
        reader, read = (chrome.literal(trace.tokens[i]) for i in (query, key))
        line = f"“{reader}” reads “{read}” with weight **{_weight(weight)}**: "
        if hit:
            line += "no other word gets as much."
        else:
            most = int(most_read(trace, special, query)[lesson.layer, lesson.head])
            other = float(trace.blocks[lesson.layer].attention.weights[0, lesson.head, query, most])
            line += f"“{chrome.literal(trace.tokens[most])}” gets {_weight(other)}."
        lines.append(line)
    if not lines:
        return [f"This sentence has no {lesson.relation} link: its other links are shown."]
    return lines[:LINES]


def _weight(weight: float) -> str:
    """As on the arcs: a small weight is as good as none."""
    return format_number(weight) if weight >= 0.001 else "less than 0.001"


def _roles(lesson: Lesson) -> list[list[str]] | None:
    if lesson.score is None:
        return None
    return [[_right(share) for share in layer] for layer in lesson.score.accuracy]


def _right(share: float) -> str:
    return f"right {share:.3f}"


@st.dialog("The links of the sentence", width="large")
def _links_dialog(lesson: Lesson) -> None:
    st.html(links_table(*_links(lesson), caption=f"Known links, weights of layer {lesson.layer}, head {lesson.head}"))


@st.dialog("The numbers of the picture", width="large")
def _map_dialog(lesson: Lesson) -> None:
    seen = shown(lesson.run.trace, lesson.run.reading.encoding, Lens())
    caption = f"Weights of layer {lesson.layer}, head {lesson.head}"
    st.html(
        matrix_table(seen.weights[lesson.layer][lesson.head], seen.queries, seen.keys, mask=seen.mask, caption=caption)
    )


def _choose(selection: dict[str, Any]) -> None:
    """A head or cell that was clicked: from now on the head stays, whatever the relation."""
    if chrome.locked("layer") or chrome.locked("head"):
        return
    names = ("layer", "head", "query", "key")
    session.put(follow=False, **{name: int(selection[name]) for name in names if selection.get(name) is not None})
