"""The cat sat: attention number by number, in a textbook example or in a sentence of one's own."""

import streamlit as st

from pages.learn.parts import drawing, experiments, story
from pages.ui import chrome

words = chrome.prose("the_cat_sat")
chrome.head("The cat sat", words["idea"])

lesson = story.choose()
chrome.notes()

step = story.walk(lesson)
drawing.show(lesson, step)

happened, why = words[f"step {step.name}"].split(" | ")
st.markdown(f"**{happened}** {why}")
if chrome.shown("equation"):
    st.latex(step.formula)

story.what_if(lesson)
chrome.experiments(experiments.EXPERIMENTS)
chrome.question(
    "Without the division by √d_k: does the largest weight of the word that reads grow, shrink or stay?",
    ["grow", "shrink", "stay"],
    lambda: story.without_scaling(lesson),
    key="predict_the_cat_sat",
)
