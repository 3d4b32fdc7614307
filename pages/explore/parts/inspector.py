"""Beside the picture: where the chosen weight comes from."""

from __future__ import annotations

from dataclasses import asdict

import streamlit as st

from pages.explore.parts.sentence import Bench
from viz_model.figures.inspector import link_summary
from viz_model.link import link


def show(bench: Bench) -> None:
    found = link(bench.attention, head=bench.head, query=bench.query, key=bench.key)
    numbers = {name: value for name, value in asdict(found).items() if name not in ("q", "k")}
    tokens = bench.trace.tokens
    with st.container(key="inspector"):
        st.html(link_summary(tokens[bench.query], tokens[bench.key], **numbers, adds_up=found.adds_up))
