"""Encoder and decoder: a sentence translated word by word, and what the decoder reads as it writes each one."""

import streamlit as st

from pages.learn.parts import encoder_decoder_beam as beam
from pages.learn.parts import encoder_decoder_cheating as cheating
from pages.learn.parts import encoder_decoder_choice as choice
from pages.learn.parts import encoder_decoder_components as components
from pages.learn.parts import encoder_decoder_forcing as forcing
from pages.learn.parts import encoder_decoder_writing as writing
from pages.ui import chrome

words = chrome.prose("encoder_decoder")
chrome.head("Encoder and decoder", words["idea"])

lesson = choice.choose(words)
chrome.notes()
choice.near(lesson)

match st.session_state["translation_part"]:
    case "beam":
        beam.show(lesson, words)
    case "forcing":
        forcing.show(lesson, words)
    case "cheating":
        cheating.show(words)
    case "components":
        components.show(lesson, words)
    case _:
        writing.show(lesson, words)

if chrome.shown("equation"):
    part = st.session_state["translation_part"]
    st.latex(words[f"equation {part}"])
    st.caption(chrome.literal(words[f"symbols {part}"]), text_alignment="center")
chrome.experiments(choice.EXPERIMENTS)
chrome.question(
    writing.ask(words),
    writing.CHOICES,
    lambda: writing.without_the_best(lesson, words),
    key=f"predict_translation_{lesson.text}",
)
