"""Fine-tuning: a pretrained body with a new head, against a fresh start, on few labelled examples."""

import streamlit as st

from pages.families.parts import fine_tuning_attention as attention
from pages.families.parts import fine_tuning_curves as curves
from pages.ui import chrome

words = chrome.prose("fine_tuning")
chrome.head("Fine-tuning", words["idea"])

st.markdown(curves.asked(words))
chosen = curves.choose()
attention.keep_head()
chrome.notes()
curves.show(chosen, words)
attention.show(words)
curves.data(words)

if chrome.shown("equation"):
    st.latex(words["equation"])
chrome.experiments(attention.experiments())
chrome.question(words["question"], curves.choices(), lambda: curves.answer(words), key="predict_fine_tuning")
