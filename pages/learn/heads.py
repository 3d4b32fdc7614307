"""Heads: what every head of a model reads, what the model loses without it, what it adds, and what it costs."""

import streamlit as st

from pages.learn.parts import heads_choice as choice
from pages.learn.parts import heads_pair as pair
from pages.learn.parts import heads_panels as panels
from pages.learn.parts import heads_pictures as pictures
from pages.ui import chrome

words = chrome.prose("heads")
chrome.head("Heads", words["idea"])

lesson = choice.choose(words)
chrome.notes()

pictures.show(lesson, words)
fill = panels.show(lesson, words)

if chrome.shown("equation"):
    st.latex(words["equation"])
chrome.experiments(choice.EXPERIMENTS)
chrome.question(
    pair.ask(words),
    pair.choices(),
    lambda: pair.which_is_needed(lesson, words),
    key=pair.CHOICES_KEY,
)
fill()
