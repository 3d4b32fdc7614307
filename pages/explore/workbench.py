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
        (
            "Who is the subject?",
            "“are” or “is”? A noun of the other number stands nearer. Look at what “cabinet” reads.",
            editing.WITH_SUBJECT,
        ),
        (
            "Silence the head that finds it",
            "Without it the model no longer knows the number: “looked” and “will” go with one and with many.",
            editing.SILENCED,
        ),
        ("Make it blind", "The same head reads all words equally: its subject is one of many.", editing.BLIND),
    ]
)
chrome.question(
    "Does the head on show read the word just before, more than any other?",
    ["yes", "no"],
    lambda: predictions.reads_previous(bench),
    key="predict_workbench",
)
