"""What encoder and decoder are made of, from the live model, or from one of another depth."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

import viz_model as vm
from pages.learn.parts.encoder_decoder_choice import Lesson, Words
from pages.ui import chrome, downloads, runs
from viz_model.analysis.components import Attention, Component, components, read_again
from viz_model.analysis.translation import MODEL
from viz_model.figures.translation_tables import components_table


def show(lesson: Lesson, words: Words) -> None:
    """Two depths to choose, and the table."""
    state, off = st.session_state, chrome.locked("panel")
    with st.container(horizontal=True, vertical_alignment="bottom", key="depth_row"):
        st.slider("Layers of the encoder", 1, 6, key="encoder_depth", disabled=off, width=260)
        st.slider("Layers of the decoder", 1, 6, key="decoder_depth", disabled=off, width=260)
    model, trained = _model(state["encoder_depth"], state["decoder_depth"])
    trace = lesson.writing.trace if trained else read_again(model, lesson.writing.trace)
    both = components(model, trace)
    st.markdown(words["components" if trained else "components untrained"])
    rows = [(name, [_said(name, one) for one in both]) for name in NAMES]
    st.html(components_table([one.name for one in both], rows, caption=f"On “{lesson.text}”"))
    if chrome.shown("downloads"):
        downloads.csv_button(
            "components",
            {"component": list(NAMES), **{one.name: [_said(name, one) for name in NAMES] for one in both}},
        )


NAMES = ("self-attention", "cross-attention", "input", "output", "parameters")


@st.cache_resource(max_entries=8, show_spinner=False)
def _model(encoder: int, decoder: int) -> tuple[vm.EncoderDecoder, bool]:
    """The bundled model where these are its depths, else a fresh one of its shape; and whether it is trained."""
    bundled = runs.model(MODEL)
    config = bundled.config
    if (encoder, decoder) == (config.encoder.n_layers, config.decoder.n_layers):
        return bundled, True
    deeper = replace(
        config,
        encoder=replace(config.encoder, n_layers=encoder),
        decoder=replace(config.decoder, n_layers=decoder),
    )
    fresh = vm.EncoderDecoder(deeper, tokenizer=bundled.tokenizer, target_tokenizer=bundled.target_tokenizer)
    return fresh.eval(), False


def _said(name: str, one: Component) -> str:
    if name == "self-attention":
        return _attention(one.self_attention, "its own positions")
    if name == "cross-attention":
        return "none" if one.cross_attention is None else _attention(one.cross_attention, "the encoder's output")
    if name == "input":
        tokens, vocabulary = one.input
        source = "the English, all at once" if one.cross_attention is None else "[BOS] and the French so far"
        return f"{source}: {tokens} tokens of {vocabulary}"
    if name == "output":
        positions, width = one.output
        if one.output_is_logits:
            return f"{positions} × {width} logits: the next French word at each position"
        return f"{positions} × {width} numbers: a vector a token, read by the decoder"
    return f"{one.n_parameters:,}"


def _attention(one: Attention, what: str) -> str:
    layers = f"{one.n_layers} layer{'s' if one.n_layers > 1 else ''} of {one.n_heads} heads"
    whole = one.n_open == one.n_queries * one.n_keys
    sees = "every one" if whole else "itself and those before" if not one.ahead else "some"
    return (
        f"{layers}; each of {one.n_queries} positions reads {what} ({one.n_keys}), {sees}: "
        f"{one.n_open} of {one.n_queries * one.n_keys} pairs"
    )
