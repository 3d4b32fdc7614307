"""The workbench: a sentence, every head, every number, and what happens when one is changed."""

import streamlit as st

from pages.explore.parts import editing, inspector, panels, picture, predictions, sentence
from pages.ui import chrome

words = chrome.prose("workbench")
chrome.head("Workbench", words["idea"])

bench = sentence.choose()
chrome.notes()

left, right = st.columns([3, 1], gap="large")
with left:
    picture.show(bench)
with right:
    inspector.show(bench)

editing.show(bench)
predictions.show(bench)
panels.show(bench, words)

if chrome.shown("equation"):
    st.latex(words["equation"])
chrome.experiments(
    [
        ("Silence a head that decides", "Ablates layer 1, head 0, and compares the next word.", editing.SILENCED),
        ("Who is the subject?", "A noun of the other number stands between subject and verb.", sentence.AGREEMENT),
        ("Make a head blind", "Head 0 of layer 0 reads all words equally.", editing.BLIND),
    ]
)
chrome.question(
    "Does the head on show read the word just before, more than any other?",
    ["yes", "no"],
    lambda: predictions.reads_previous(bench),
    key="predict_workbench",
)
