"""Why not RNNs or CNNs: four networks of equal size, what they can keep, what they can reach, and what they cost."""

import streamlit as st

from pages.learn.parts import why_not_rnns_choice as choice
from pages.learn.parts import why_not_rnns_costs as costs
from pages.learn.parts import why_not_rnns_field as field
from pages.learn.parts import why_not_rnns_learning as learning
from pages.learn.parts import why_not_rnns_memory as memory
from pages.ui import chrome

SECTIONS = {
    "recall": learning.recall,
    "first": learning.first,
    "gradient": memory.gradient,
    "costs": costs.costs,
    "steps": costs.steps,
    "field": field.field,
    "bottleneck": memory.bottleneck,
}

words = chrome.prose("why_not_rnns")
chrome.head("Why not RNNs or CNNs", words["idea"])
section = choice.choose()
chrome.notes()

finish = SECTIONS[section](words)

if chrome.shown("equation"):
    st.latex(words["equation"])
chrome.experiments(choice.EXPERIMENTS)
learning.ask(words, section)
if finish is not None:
    finish()
