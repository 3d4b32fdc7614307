"""What the lesson is about in this run: a sentence, a model, a relation, a reading, and the head on show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from pages.ui import chrome, link_table, models, runs, session
from viz_model.analysis.gold_links import GoldLink, Reading, gold_links, readings
from viz_model.analysis.held_out_relations import MEASURED, HeldOutSentences
from viz_model.analysis.relations import RelationScore, RelationTable
from viz_model.training.studies import kept

EXAMPLES = ("The cat sat on the mat", "The government is considering closing schools")
KEYS = {"text": "The keys to the cabinet are on the table", "relation": "subject-verb"}
DUE = {**KEYS, "model": "english-causal", "reading": "due"}
EXPERIMENTS = [
    (
        "Who is the subject?",
        "“keys” or “cabinet”? Just before “are” comes, this head reads the word that “are” will agree with.",
        {**DUE, "follow": False, "layer": 2, "head": 2, "query": 5, "key": 2},
    ),
    (
        "The best head is not always right",
        "Over many sentences this head finds the subject most often. Here it reads the noun that stands nearer.",
        {**DUE, "follow": True},
    ),
    (
        "Look ahead",
        "A model that may read to the right: now the subject looks for its verb.",
        {**KEYS, "model": "english-masked", "reading": "ahead", "follow": True},
    ),
]


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """What the whole page looks at."""

    name: str  # of the model
    run: runs.Run
    links: tuple[GoldLink, ...]  # of the sentence; none where the grammar does not make it
    relation: str
    reading: Reading
    table: RelationTable | None  # of this model, where it was measured
    layer: int
    head: int
    query: int
    key: int

    @property
    def score(self) -> RelationScore | None:
        """The relation's row, read as chosen."""
        return self.table.find(self.relation, self.reading) if self.table is not None else None

    @property
    def chosen(self) -> tuple[bool, ...]:
        """Which of the links are of the relation."""
        return tuple(link.relation == self.relation for link in self.links)


def choose(words: Mapping[str, str]) -> Lesson:
    """Draws the controls and runs the model on what they say."""
    _sentence()
    chosen = runs.chosen()
    name, run = st.session_state["model"], chosen.run
    encoding = run.reading.encoding
    measured = table(name) if name in MEASURED else None
    if measured is None:
        session.note(words["not measured"])
    links = gold_links(encoding)
    possible = readings(is_causal=getattr(run.model, "is_causal", False))
    _relation(links, possible, words)
    relation, reading = st.session_state["relation"], st.session_state["reading"]
    layer, head, query = chosen.layer, chosen.head, chosen.query
    key = session.keep_within("key", 0, len(encoding) - 1, "positions")
    if st.session_state["follow"]:
        score = measured.find(relation, reading) if measured is not None else None
        if score is not None:
            layer, head = score.best
        here = next((link for link in links if link.relation == relation), None)
        if here is not None:
            query, key = here.ends(reading)
    return Lesson(name, run, links, relation, reading, measured, layer, head, query, key)


@st.cache_resource(max_entries=4, show_spinner=False)
def held_out() -> tuple[str, ...]:
    """The sentences that the tables were measured on."""
    return HeldOutSentences.from_json(kept("held-out-sentences")).sentences


@st.cache_resource(max_entries=4, show_spinner=False)
def table(name: str) -> RelationTable:
    return RelationTable.from_json(kept(f"relations-{name}"))


def _sentence() -> None:
    off = chrome.locked("text")
    with st.container(horizontal=True, vertical_alignment="bottom", key="sentence_row"):
        chrome.sentence("Any text. The pictures follow as you type.")
        models.select(disabled=chrome.locked("model"), width=320)
    with st.container(horizontal=True, key="examples"):
        for i, text in enumerate(EXAMPLES):
            st.button(text, key=f"example_{i}", on_click=session.put, kwargs={"text": text}, disabled=off)
        st.button(
            "A sentence of the grammar",
            key="draw",
            icon=":material/casino:",
            help="The next of 1,000 sentences that no model here was trained on.",
            on_click=_draw,
            disabled=off,
        )


def _draw() -> None:
    n, sentences = st.session_state["drawn"], held_out()
    session.put(text=sentences[n % len(sentences)], drawn=(n + 1) % len(sentences))


def _relation(links: tuple[GoldLink, ...], possible: tuple[Reading, ...], words: Mapping[str, str]) -> None:
    """The relations that the sentence has (all, where none are known), and the readings that the model can have."""
    state, off = st.session_state, chrome.locked("relation")
    if state["reading"] not in possible:
        session.note(words[f"no {state['reading']}"])
        state["reading"] = possible[0]
    here = list(dict.fromkeys(link.relation for link in links)) or list(link_table.RELATIONS)
    with st.container(horizontal=True, vertical_alignment="bottom", key="relation_row"):
        st.pills(
            "Relation",
            [*here, *([] if state["relation"] in here else [state["relation"]])],
            key="relation",
            required=True,
            wrap=True,
            width="content",
            disabled=off,
        )
        st.segmented_control("Read", possible, key="reading", required=True, width="content", disabled=off)
    st.markdown(words[state["reading"]])
