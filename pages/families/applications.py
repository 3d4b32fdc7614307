"""Applications: five small models at work on text that a person types, one on show at a time."""

import streamlit as st

from pages.families.parts import applications_choice as choice
from pages.ui import chrome

words = chrome.prose("applications")
chrome.head("Applications", words["idea"])

name = choice.choose(words)
shown = choice.APPLICATIONS[name].read(words)
chrome.notes()

with st.container(key=f"application_{name}"):
    shown.draw(words)
    choice.honest(name, words, shown.limits())

if chrome.shown("equation"):
    st.latex(words[f"equation {name}"])
chrome.experiments(choice.APPLICATIONS[name].EXPERIMENTS)
chrome.question(shown.ask(words), shown.choices(), lambda: shown.answer(words), key=f"predict_{name}_{shown.key}")
