"""How the text was cut into tokens."""

from __future__ import annotations

import streamlit as st

from pages.explore.parts.sentence import Bench
from viz_model.figures.token_table import token_table


def show(bench: Bench) -> None:
    encoding = bench.run.reading.encoding
    st.html(
        token_table(encoding.tokens, encoding.ids, encoding.text, encoding.offsets, encoding.bytes, encoding.special)
    )
