"""The dot product of the chosen query and key, term by term, and the softmax of the query's whole row."""

from __future__ import annotations

import streamlit as st

from pages.explore.parts.sentence import Bench
from pages.ui import chrome
from viz_model.figures import softmax_table, terms_table
from viz_model.link import link, softmax_row

LONGEST_ROW = 128


def show(bench: Bench) -> None:
    found = link(bench.attention, head=bench.head, query=bench.query, key=bench.key)
    tokens = bench.trace.tokens
    left, right = st.columns(2, gap="large")
    names = [f"d{i}" for i in range(len(found.q))]
    caption = f"q({tokens[bench.query]}) · k({tokens[bench.key]}), term by term"
    left.html(terms_table(names, found.q, found.k, found.dot, caption=caption))
    row = slice(0, LONGEST_ROW)
    scores = bench.attention.scores[0, bench.head, bench.query]
    n = len(tokens)
    cut = f" (the first {LONGEST_ROW} of {n} keys)" if n > LONGEST_ROW else ""
    if n > LONGEST_ROW:
        right.caption(
            f"Softmax of the row of “{chrome.literal(tokens[bench.query])}”{cut}: see the map for the others."
        )
    else:
        softmax = softmax_row(bench.attention, head=bench.head, query=bench.query)
        used = bench.attention.weights[0, bench.head, bench.query]
        edited = not softmax.allclose(used, atol=1e-6)
        right.html(
            softmax_table(
                tokens[row],
                scores.numpy(),
                softmax.numpy(),
                bench.attention.mask[0, 0, bench.query].numpy(),
                caption=f"Softmax of the row of “{tokens[bench.query]}”" + (", before your edits" if edited else ""),
            )
        )
        if edited:
            row_now = ", ".join(f"{token} {weight:.3g}" for token, weight in zip(tokens, used.tolist(), strict=True))
            right.caption(f"After your edits the row is: {chrome.literal(row_now)}")
