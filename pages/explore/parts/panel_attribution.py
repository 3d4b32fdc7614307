"""Attention beside gradient and ablation attributions, for the model's own first answer."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.explore.parts.sentence import Bench
from pages.explore.parts.taking import about
from pages.ui import chrome, downloads, runs, theme
from viz_model.analysis import Outcome, attention_agreement, gradient_times_input, token_ablation
from viz_model.figures import attribution_bars
from viz_model.figures.theme import Theme
from viz_model.prediction import predict

LONGEST = 64


def show(bench: Bench) -> None:
    tokens = bench.trace.tokens
    if len(tokens) > LONGEST:
        st.info(
            "Attribution runs the model once without each token: "
            f"it is shown for up to {LONGEST} tokens, this text has {len(tokens)}."
        )
        return
    found = predict(bench.run.model, bench.trace, bench.run.reading.encoding, bench.query)
    answer = int(found.distribution.order[0])
    attention, gradient, ablation = _attributions(
        bench.name, bench.run.reading.text, bench.edits, bench.text_b, bench.layer, bench.head, found.position, answer
    )
    shares = {"attention": attention, "gradient × input": gradient, "ablation": ablation}
    said = bench.run.model.tokenizer.token(answer)
    st.markdown(
        f"Answer explained: **{chrome.literal(said)}** at position {found.position}, probability "
        f"{float(found.distribution.probabilities[answer]):.3f}. "
        f"Attention is that of layer {bench.layer}, head {bench.head}."
    )

    def draw(look: Theme) -> Any:
        return attribution_bars(tokens, shares, theme=look)

    st.altair_chart(draw(theme.current()), key="attribution", theme=None)
    if chrome.shown("downloads"):
        columns = {"token": tokens, **{name: [float(share) for share in given] for name, given in shares.items()}}
        picture = downloads.Picture(draw, f"What “{said}” at position {found.position} is owed to")
        downloads.menu("attribution", columns, picture, caption=about(bench))
    for name in ("gradient × input", "ablation"):
        by_head = attention_agreement(bench.trace, shares[name], query=found.position)
        agreement = by_head[bench.layer][bench.head]
        words = "not defined here (all equal)" if agreement is None else f"{agreement:+.2f}"
        st.caption(f"Rank correlation of attention and the size of {name}, over the keys that may be read: {words}")


@st.cache_resource(max_entries=64, show_spinner="Running the model once without each token…")
def _attributions(name, text, edits, text_b, layer, head, position, answer):  # type: ignore[no-untyped-def]
    run = runs.run(name, text, edits, text_b if edits else "")
    ids, outcome = run.trace.ids, Outcome(position, answer)
    return (
        run.trace.blocks[layer].attention.weights[0, head, position],
        gradient_times_input(run.model, ids, outcome, edits=run.edits),
        token_ablation(run.model, ids, outcome, edits=run.edits),
    )
