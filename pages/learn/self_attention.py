"""Self-attention on a sentence: which words read which, against what grammar says, and against counting words."""

import streamlit as st

from pages.learn.parts import self_attention_choice as choice
from pages.learn.parts import self_attention_pictures as pictures
from pages.learn.parts import self_attention_scores as scores
from pages.ui import chrome

words = chrome.prose("self_attention")
chrome.head("Self-attention on a sentence", words["idea"])

lesson = choice.choose(words)
chrome.notes()

pictures.arcs(lesson)
left, right = st.columns(2, gap="large")
with left:
    pictures.said(lesson, words)
with right:
    scores.verdict(lesson, words)
pictures.attention_map(lesson, words)
scores.relations(lesson, words)

if chrome.shown("equation"):
    st.latex(words["equation"])
chrome.experiments(choice.EXPERIMENTS)
chrome.question(
    scores.ask(lesson, words),
    scores.CHOICES,
    lambda: scores.where_the_offset_fails(lesson, words),
    key=f"predict_sentence_{lesson.name}_{lesson.relation}_{lesson.reading}",
)
