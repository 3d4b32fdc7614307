"""Why scale: what becomes of a softmax as queries and keys grow wider, and what dividing by √d_k does about it."""

import streamlit as st

from pages.learn.parts import scale_panels as panels
from pages.learn.parts import scale_row as row
from pages.learn.parts import scale_widths as widths
from pages.ui import chrome

words = chrome.prose("why_scale")
chrome.head("Why scale", words["idea"])

drawn = row.choose()
notes = st.container()

row.show(drawn, words)
fill = panels.show(drawn, words)
with notes:  # what is to be said of the text is known when a panel has read it
    chrome.notes()

if chrome.shown("equation"):
    st.latex(words["equation"])
chrome.experiments(panels.EXPERIMENTS)
chrome.question(
    words["question"].format(start=widths.START, end=widths.END),
    widths.CHOICES,
    lambda: widths.how_much_wider(drawn, words),
    key="predict_scale",
)
fill()
