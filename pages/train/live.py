"""Live training: a model learns in front of you, and every picture of it can be looked at again."""

import streamlit as st

from pages.train.parts import buttons, experiments, keeping, setup, watching
from pages.ui import chrome

words = chrome.prose("live")
chrome.head("Live training", words["idea"])

plan = setup.choose()
buttons.show(plan)
chrome.notes()
watching.show(plan)
keeping.show(plan)

if chrome.shown("equation"):
    st.latex(words["equation"])
experiments.show(plan)
