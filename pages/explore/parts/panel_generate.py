"""The model writes on: each choice in numbers."""

from __future__ import annotations

import streamlit as st

from pages.explore.parts.sentence import Bench
from pages.ui import runs
from viz_model.edit_codes import parse_edit
from viz_model.figures.choices import choice_table
from viz_model.generation import generate
from viz_model.models import Decoder
from viz_model.prediction import predict
from viz_model.sampling import Sampling

TOP = 12
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
    steps = _written(
        bench.name, bench.run.reading.text, bench.edits, bench.text_b, sampling, state["n_new"], state["seed"]
    )
    ids = [step.chosen for step in steps]
    st.markdown("**Written:**")
    text = bench.run.model.tokenizer.decode([*bench.trace.ids[0].tolist(), *ids])
    st.code(text, language=None, wrap_lines=True)
    if steps and steps[-1].reason:
        st.caption(f"{len(steps)} tokens were written: {REASONS.get(steps[-1].reason, steps[-1].reason)}.")
    at = st.slider("Step", 1, len(steps), 1, key="generation_step") if len(steps) > 1 else 1
    step = steps[at - 1]
    best = step.distribution.candidates(TOP)
    st.html(
        choice_table(
            [token(c.id) for c in best], best, token(step.chosen), caption=f"Choice {at}: {token(step.chosen)}"
        )
    )


@st.cache_resource(max_entries=32, show_spinner=False)
def _written(name, text, edits, text_b, sampling, n, seed):  # type: ignore[no-untyped-def]
    run = runs.run(name, text, edits, text_b if edits else "")
    made = tuple(parse_edit(code) for code in edits if not code.startswith("patch"))
    stop = run.model.tokenizer.special_ids.end
    return tuple(generate(run.model, run.trace.ids, n=n, sampling=sampling, seed=seed, stop=stop, edits=made))
