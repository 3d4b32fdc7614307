"""What the model says, before and after the edits."""

from __future__ import annotations

import streamlit as st

from pages.explore.parts.sentence import Bench
from viz_model.figures.prediction_strip import prediction_strip
from viz_model.prediction import predict

TOP = 8
LOST = 3  # of these, places kept for what was likely before the edits and is no more


def show(bench: Bench) -> None:
    after = predict(bench.run.model, bench.trace, bench.run.reading.encoding, bench.query)
    ids, was = [one.id for one in after.distribution.candidates(TOP)], None
    if bench.edits:
        before = predict(bench.run.model, bench.before.trace, bench.run.reading.encoding, bench.query)
        lost = [one.id for one in before.distribution.candidates(LOST) if one.id not in ids]
        ids = [*ids[: TOP - len(lost)], *lost]
        was = [float(before.distribution.probabilities[i]) for i in ids]
    names = [bench.run.model.tokenizer.token(i) for i in ids]
    now = [float(after.distribution.probabilities[i]) for i in ids]
    caption = after.asks + (", before and after your edits" if bench.edits else "")
    st.html(prediction_strip(names, now, before=was, caption=caption))


def reads_previous(bench: Bench) -> tuple[str, str]:
    """Whether the chosen head gives the word before the most weight, over the queries that have one."""
    weights = bench.attention.weights[0, bench.head]
    n = weights.shape[0]
    hits = [int(weights[i].argmax()) == i - 1 for i in range(1, n)]
    share = sum(hits) / max(len(hits), 1)
    right = "yes" if share > 0.5 else "no"
    return (
        right,
        f"In layer {bench.layer}, head {bench.head}, {sum(hits)} of {len(hits)} words read the one before the most.",
    )
