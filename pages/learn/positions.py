"""Positions: sinusoids as clocks, what they are good for, how far they reach, and what a model is without them."""

import streamlit as st

from pages.learn.parts import positions_choice as choice
from pages.learn.parts import positions_further as further
from pages.learn.parts import positions_order as order
from pages.learn.parts import positions_picture as picture
from pages.learn.parts import positions_properties as properties
from pages.ui import chrome

words = chrome.prose("positions")
chrome.head("Positions", words["idea"])

part = choice.part()
draw = {"picture": picture.choose, "properties": properties.choose, "further": further.choose, "order": order.choose}
show = draw[part](words)
chrome.notes()

show()

if chrome.shown("equation"):
    st.latex(words.get(f"equation {part}", words["equation"]))
chrome.experiments(choice.EXPERIMENTS)
chrome.question(
    order.ask(words), order.CHOICES, lambda: order.what_the_mask_tells(words), key=f"predict_positions_{order.asked()}"
)
