"""Greedy writing against beam search: the tree, its scores, and what the length penalty changes."""

from __future__ import annotations

import math

import streamlit as st

from pages.learn.parts.encoder_decoder_choice import Lesson, Words
from pages.ui import chrome, downloads, runs, theme
from viz_model.analysis.translation import MODEL, ids_of
from viz_model.beam import BeamNode, BeamTree, beam_search, length_factor
from viz_model.figures.beam_picture import Branch, beam_in_words, beam_picture
from viz_model.figures.svg_parts import framed_image
from viz_model.figures.theme import format_number
from viz_model.figures.translation_tables import Hypothesis, hypotheses_table, tree_table

WIDEST = 5
CERTAIN = 0.9  # the probability of a whole sentence above which nothing else is worth a look
ALIKE = 1e-9  # totals that are the same hypothesis's


def show(lesson: Lesson, words: Words) -> None:
    """Controls, tree, verdict, hypotheses."""
    state, off = st.session_state, chrome.locked("beam")
    with st.container(horizontal=True, vertical_alignment="bottom", key="beam_row"):
        st.slider("Width: hypotheses kept", 1, WIDEST, key="beam_width", disabled=off, width=260)
        st.slider("Length penalty", 0.0, 3.0, step=0.1, key="beam_penalty", disabled=off, width=260)
        st.toggle("With pruned candidates", key="beam_pruned", disabled=off)
    tree = searched(lesson.text, state["beam_width"], state["beam_penalty"])
    greedy = searched(lesson.text, 1, state["beam_penalty"])
    branches = _branches(lesson, tree)
    pruned = state["beam_pruned"]
    svg = beam_picture(branches, pruned=pruned, theme=theme.current())
    with st.container(key="beam_tree"):
        st.html(framed_image(svg, said=beam_in_words(branches), label="The tree of the beam search", name="glass-beam"))
    st.markdown(words["tree"].format(width=tree.width, n=len(tree.nodes)))
    _verdict(lesson, words, tree, greedy)
    _hypotheses(lesson, tree, greedy)
    st.markdown(words["penalty"])
    with st.container(horizontal=True, key="under_beam"):
        if st.button("As a table", key="beam_table", icon=":material/table:", help="Every candidate of the tree."):
            _dialog(lesson, tree)
        if chrome.shown("downloads"):
            about = downloads.caption(MODEL, lesson.text, ())
            downloads.menu(
                "beam",
                {
                    "node": [node.index for node in tree.nodes],
                    "parent": ["" if node.parent is None else node.parent for node in tree.nodes],
                    "word": [node.depth + 1 for node in tree.nodes],
                    "token": [one.token for one in branches],
                    "log probability": [node.log_probability for node in tree.nodes],
                    "sum": [node.total for node in tree.nodes],
                    "score": [node.score for node in tree.nodes],
                    "kept": [int(node.kept) for node in tree.nodes],
                    "finished": [int(node.finished) for node in tree.nodes],
                    "run": [about] * len(tree.nodes),
                },
                downloads.Picture(
                    lambda look: beam_picture(branches, pruned=pruned, theme=look), "The tree of the beam search"
                ),
                caption=f"{about} · width {tree.width}, length penalty {tree.length_penalty:g}",
            )


@st.dialog("The candidates", width="large")
def _dialog(lesson: Lesson, tree: BeamTree) -> None:
    rows = [
        (
            node.depth + 1,
            " ".join(_french(lesson, tree, tree.nodes[node.parent])) if node.parent is not None else "[BOS]",
            lesson.model.target_tokenizer.token(node.token),
            node.log_probability,
            node.score,
            node.kept,
        )
        for node in tree.nodes
    ]
    st.html(tree_table(rows, caption=f"Width {tree.width}, length penalty {tree.length_penalty:g}"))


@st.cache_resource(max_entries=64, show_spinner=False)
def searched(text: str, width: int, penalty: float) -> BeamTree:
    model = runs.model(MODEL)
    ids, start, end = ids_of(model, text)
    most = min(64, 2 * ids.shape[1] + 6)
    return beam_search(model, ids, target_ids=start, width=width, n=most, stop=end, length_penalty=penalty)


def _branches(lesson: Lesson, tree: BeamTree) -> list[Branch]:
    best = {node.index for node in tree.path(tree.best)}
    return [
        Branch(
            token=lesson.model.target_tokenizer.token(node.token),
            parent=node.parent,
            depth=node.depth,
            probability=math.exp(node.log_probability),
            score=node.score,
            kept=node.kept,
            finished=node.finished,
            best=node.index in best,
        )
        for node in tree.nodes
    ]


def _french(lesson: Lesson, tree: BeamTree, node: BeamNode) -> tuple[str, ...]:
    """The words of a hypothesis, without the end token."""
    found = tuple(map(lesson.model.target_tokenizer.token, tree.ids(node)))
    return found[:-1] if node.finished else found


def _verdict(lesson: Lesson, words: Words, tree: BeamTree, greedy: BeamTree) -> None:
    mine, own = (_french(lesson, one, one.best) for one in (tree, greedy))
    numbers = {
        "beam": chrome.literal(" ".join(mine)),
        "greedy": chrome.literal(" ".join(own)),
        "beam_score": format_number(tree.best.score),
        "greedy_score": format_number(greedy.best.score),
        "width": tree.width,
    }
    if tree.width == 1:
        st.markdown(words["width 1"].format(**numbers))
    elif mine == own:
        st.markdown(words["beam same"].format(**numbers))
        if (probability := math.exp(tree.best.total)) > CERTAIN:
            st.markdown(words["beam certain"].format(probability=format_number(probability)))
    elif tree.best.score > greedy.best.score + ALIKE:
        st.markdown(words["beam better"].format(**numbers))
    else:
        st.markdown(words["beam worse"].format(**numbers))
    known = lesson.writing.known
    if known is not None and mine != own:
        right = {(True, False): "beam right", (False, True): "greedy right"}.get(
            (mine == known.french, own == known.french), "neither right"
        )
        st.markdown(words[right].format(known=chrome.literal(" ".join(known.french))))


def _hypotheses(lesson: Lesson, tree: BeamTree, greedy: BeamTree) -> None:
    known, own = lesson.writing.known, greedy.ids(greedy.best)
    found = [(tree, node) for node in (*tree.finished, *tree.open)]
    if own not in [tree.ids(node) for _, node in found]:
        found.append((greedy, greedy.best))
    rows = []
    for one, node in found:
        french = _french(lesson, one, node)
        rows.append(
            Hypothesis(
                text=" ".join(french) + ("" if node.finished else " …"),
                length=node.depth + 1,
                total=node.total,
                factor=length_factor(node.depth + 1, tree.length_penalty),
                score=node.score,
                right=None if known is None else french == known.french,
                greedy=one.ids(node) == own,
            )
        )
    caption = f"Hypotheses, best score first. Width {tree.width}, length penalty {tree.length_penalty:g}"
    st.html(hypotheses_table(rows, caption=caption))
