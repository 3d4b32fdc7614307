"""The model writes on: each choice in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.explore.parts.sentence import Bench
from pages.ui import runs
from viz_model.figures.choices import choice_table
from viz_model.generation import generate
from viz_model.models import Decoder
from viz_model.prediction import predict
from viz_model.sampling import Sampling

TOP = 12
LEFT_OUT = ("patch",)  # edits that hold for one length of text
REASONS = {"stop": "the model ended the sentence", "n": "as many as were asked for", "context": "the context is full"}


def show(bench: Bench) -> None:
    state = st.session_state
    columns = st.columns(5)
    columns[0].slider("Temperature", 0.0, 5.0, key="temperature", step=0.1, help="0 takes the largest logit.")
    columns[1].number_input("Top-k (0: off)", 0, 1000, key="top_k", help="Keep the k likeliest.")
    columns[2].slider(
        "Top-p (1: off)", 0.05, 1.0, key="top_p", step=0.05, help="Keep the fewest that reach this share."
    )
    columns[3].number_input("Tokens to write", 1, 64, key="n_new")
    columns[4].number_input("Seed", 0, 2**31 - 1, key="seed", help="The same seed draws the same words.")
    sampling = Sampling(state["temperature"], state["top_k"], state["top_p"])
    token = bench.run.model.tokenizer.token
    if not isinstance(bench.run.model, Decoder):
        found = predict(bench.run.model, bench.trace, bench.run.reading.encoding, bench.query, sampling)
        st.info("A masked-word model does not write on; type [MASK] for a word and it says what may stand there.")
        st.html(
            choice_table(
                [token(c.id) for c in found.distribution.candidates(TOP)],
                found.distribution.candidates(TOP),
                None,
                caption=found.asks,
            )
        )
        return
    if any(edit.name in LEFT_OUT for edit in bench.run.edits):
        st.caption("A head taken from the second sentence fits that length only: the writing goes on without it.")
    steps = _written(
        bench.name, bench.run.reading.text, bench.edits, bench.text_b, sampling, state["n_new"], state["seed"]
    )
    chosen = [step.chosen for step in steps]
    st.markdown("**Written:**")
    text = bench.run.model.tokenizer.decode([*bench.trace.ids[0].tolist(), *chosen])
    st.code(text, language=None, wrap_lines=True)
    if steps and steps[-1].reason:
        st.caption(f"{len(steps)} tokens were written: {REASONS[steps[-1].reason]}.")
    at = st.slider("Step", 1, len(steps), 1, key="generation_step") if len(steps) > 1 else 1
    step = steps[at - 1]
    names = [token(one.id) for one in step.best]
    st.html(choice_table(names, step.best, token(step.chosen), caption=f"Choice {at}: {token(step.chosen)}"))


@dataclass(frozen=True, slots=True)
class Written:
    """One choice, without its trace: a long text's traces would fill the cache."""

    chosen: int
    reason: str | None
    best: tuple[Any, ...]


@st.cache_resource(max_entries=32, show_spinner=False)
def _written(
    name: str, text: str, edits: tuple[str, ...], text_b: str, sampling: Sampling, n: int, seed: int
) -> tuple[Written, ...]:
    run = runs.run(name, text, edits, text_b if edits else "")
    made = tuple(edit for edit in run.edits if edit.name not in LEFT_OUT)
    stop = run.model.tokenizer.special_ids.end
    steps = generate(run.model, run.trace.ids, n=n, sampling=sampling, seed=seed, stop=stop, edits=made)
    return tuple(Written(step.chosen, step.reason, step.distribution.candidates(TOP)) for step in steps)
