"""The neurons of a layer's feed-forward sublayer: what excites each in many sentences, and what it then writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.learn.parts.the_block_choice import Lesson
from pages.ui import chrome, downloads, link_table, models, runs
from pages.ui.training import task_named
from viz_model.analysis import Neuron, NeuronReport, neuron_report
from viz_model.analysis.held_out_relations import HeldOutSentences
from viz_model.figures.block_tables import neuron_table
from viz_model.figures.theme import format_number
from viz_model.training.studies import kept

SHOWN = 8
SENTENCES = 512  # a report on so many takes some 0.3 s of processor time
FEWEST = 32  # sentences that a model's words must be enough for
ORDERS = {
    "here": "excited by the chosen word",
    "strongest": "strongest",
    "word": "explained by the word",
    "context": "not explained by the word",
}


def show(lesson: Lesson, words: Mapping[str, str]) -> None:
    """A table of the layer's neurons in the chosen order."""
    if not lesson.run.model.config.feed_forward:
        st.markdown(words["no neurons"])
        return
    report = _report(lesson.name)
    neurons = report.layers[lesson.layer]
    by_word = [sum(one.by_token for one in layer) / len(layer) for layer in report.layers]
    st.markdown(
        words["neurons"].format(
            n=len(neurons),
            layer=lesson.layer,
            n_texts=f"{len(report.texts):,}",
            n_tokens=f"{report.n_tokens:,}",
            detectors=sum(one.by_token > 0.9 for one in neurons),
            readers=sum(one.by_token < 0.5 for one in neurons),
            by_layer=", ".join(f"{format_number(share)} in layer {i}" for i, share in enumerate(by_word)),
        )
    )
    if lesson.name == "untrained":
        st.markdown(words["untrained neurons"])
    st.segmented_control(
        "Neurons",
        link_table.BLOCK_NEURONS,
        key="block_neurons",
        format_func=ORDERS.get,
        required=True,
        disabled=chrome.locked("panel"),
        label_visibility="collapsed",
    )
    here = lesson.run.trace.blocks[lesson.layer].feed_forward.post[0, lesson.query].tolist()
    chosen = _ordered(neurons, here)[:SHOWN]
    if st.session_state["block_neurons"] == "here":
        said = ", ".join(f"{one.index} ({format_number(here[one.index])})" for one in chosen[:3])
        st.markdown(words["here"].format(word=lesson.word, said=said))
    caption = (
        f"{SHOWN} of the {len(neurons)} neurons of layer {lesson.layer}, {ORDERS[st.session_state['block_neurons']]}"
    )
    st.html(neuron_table(chosen, report.texts, caption=caption))
    if chrome.shown("downloads"):
        downloads.csv_button(f"neurons-{lesson.name}-{lesson.layer}", _columns(neurons, here, report))


def _ordered(neurons: Sequence[Neuron], here: Sequence[float]) -> list[Neuron]:
    orders = {
        "here": lambda one: -here[one.index],
        "strongest": lambda one: -one.examples[0].activation,
        "word": lambda one: -one.by_token,
        "context": lambda one: one.by_token,
    }
    return sorted(neurons, key=orders[st.session_state["block_neurons"]])


def _columns(neurons: Sequence[Neuron], here: Sequence[float], report: NeuronReport) -> dict[str, list[object]]:
    return {
        "layer": [one.layer for one in neurons],
        "neuron": [one.index for one in neurons],
        "at the chosen word": list(here),
        "strongest": [one.examples[0].activation for one in neurons],
        "strongest on": [
            " ".join(report.texts[e.text][: e.position + 1]) for e in (one.examples[0] for one in neurons)
        ],
        "active": [one.active for one in neurons],
        "explained by the token": [one.by_token for one in neurons],
        "makes likelier": [" ".join(each.token for each in one.up) for one in neurons],
        "less likely": [" ".join(each.token for each in one.down) for one in neurons],
    }


@st.cache_resource(max_entries=8, show_spinner="Running the model on many sentences")
def _report(name: str) -> NeuronReport:
    """The neurons over texts that the model was not trained on: sentences, or its own task's examples."""
    model = runs.model(name)
    tokenizer = model.tokenizer
    texts: tuple[str, ...] = HeldOutSentences.from_json(kept("held-out-sentences")).sentences[:SENTENCES]
    known = tuple(text for text in texts if not tokenizer.unknown_words(text))
    if len(known) >= FEWEST:
        return neuron_report(model, known)
    if models.find(name) is not None:
        return neuron_report(model, (models.example(name),))
    pad = tokenizer.special_ids.pad
    rows = task_named(name).held_out().ids.tolist()
    return neuron_report(model, [tokenizer.decode([i for i in row if i != pad]) for row in rows])
