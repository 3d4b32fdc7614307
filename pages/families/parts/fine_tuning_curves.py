"""Accuracy against the number of labelled examples, three ways of learning; what the measurement says; the data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st

from pages.ui import chrome, downloads, link_table, theme
from viz_model.analysis.few_examples import CLAIMED, FineTuning
from viz_model.figures import matrix_table
from viz_model.figures.marked_curves import marked_curve
from viz_model.figures.theme import format_number, theme_named
from viz_model.training.studies import kept

NAMES = {"full": "fine-tuned, all weights", "frozen": "fine-tuned, the head alone", "scratch": "from scratch"}
ASKED = 64  # examples that the question is about
NEVER = "not even with {most}"


@st.cache_resource(max_entries=1, show_spinner=False)
def measured() -> FineTuning:
    return FineTuning.from_json(kept("fine-tuning"))


def choose() -> int:
    """The number of examples that the sentences speak of."""
    st.segmented_control(
        "Labelled examples",
        [int(n) for n in link_table.TUNED_WITH],
        key="tuned_with",
        required=True,
        disabled=chrome.locked("recipe"),
        help="The upright line in the picture. Every number below is for so many.",
    )
    n: int = st.session_state["tuned_with"]
    return n


def asked(words: Mapping[str, str]) -> str:
    """What the new head is to tell, with a labelled sentence of each kind."""
    found = measured()
    texts = {label: text for text, label in reversed(found.shown)}
    examples = "; ".join(f"“{chrome.literal(texts[label])}” **{label}**" for label in found.labels if label in texts)
    return words["asked"].format(examples=examples)


def show(n: int, words: Mapping[str, str]) -> None:
    found = measured()
    with st.container(key="tuned_curves"):
        figure = _curves(n, theme.current().name)
        st.vega_lite_chart(figure, key="few_examples", theme=None, alt=words["curves alt"])
        st.markdown(_sentence(found, n, words))
        st.markdown(words["curves"].format(**_about(found)))
        quick = found.reached("full", ASKED) > float(np.mean(found.longer))
        numbers = {"asked": ASKED, "asked_full": _share(found.reached("full", ASKED)), **_about(found)}
        st.markdown(words["quick" if quick else "not quick"].format(**numbers))
        with st.container(horizontal=True, key="under_curves"):
            if st.button("As a table", key="tuned_table", icon=":material/table:", help="Every seed in numbers."):
                _dialog(found)
            if chrome.shown("downloads"):
                downloads.menu(
                    "fine-tuning",
                    _columns(found),
                    downloads.Picture(lambda look: _curves(n, look.name), "Accuracy by number of labelled examples"),
                    caption=f"{found.body}, fine-tuned and from scratch: {found.n_held_out} held-out sentences",
                )


def data(words: Mapping[str, str]) -> None:
    """What the examples are, and how the runs were made alike."""
    found = measured()
    with st.expander("The data, and how it was measured"):
        st.markdown(words["data"].format(**_about(found)))
        st.markdown("\n".join(f"- {chrome.literal(text)} **{label}**" for text, label in found.shown))
        st.markdown(words["rates"].format(**_about(found)))


def choices() -> list[str]:
    found = measured()
    return [*(str(n) for n in found.sizes if n >= ASKED), NEVER.format(most=found.sizes[-1])]


def answer(words: Mapping[str, str]) -> tuple[str, str]:
    """With how many examples a fresh start is as good as fine-tuning is with ASKED."""
    found = measured()
    needs = found.needed("scratch", found.reached("full", ASKED))
    right = NEVER.format(most=found.sizes[-1]) if needs is None else str(max(needs, ASKED))
    return right, _sentence(found, ASKED, words)


def _sentence(found: FineTuning, n: int, words: Mapping[str, str]) -> str:
    full, frozen, scratch = (found.reached(way, n) for way in ("full", "frozen", "scratch"))
    most = found.sizes[-1]
    needs = found.needed("scratch", full)
    ends = found.reached("scratch", most)
    numbers = {"n": n, "most": most, "needs": needs, "claimed": CLAIMED, **_about(found)}
    numbers |= {"full": _share(full), "frozen": _share(frozen), "scratch": _share(scratch), "ends": _share(ends)}
    if needs is None:
        outcome = "never"
    elif needs <= n:
        outcome = "no sooner"
    else:
        outcome = "later"
    verdict = "holds" if found.holds(n) else "does not hold"
    if needs is None and CLAIMED * n > most:
        verdict = "cannot tell"
    return " ".join(words[part].format(**numbers) for part in ("reached", outcome, verdict))


def _about(found: FineTuning) -> dict[str, Any]:
    best = {way: ", ".join(f"{rate:g}" for rate in found.curve(way).learning_rate) for way in NAMES}
    return {
        "body": found.body,
        "seeds": len(found.seeds),
        "steps": found.steps,
        "batch": found.batch_size,
        "held_out": found.n_held_out,
        "sizes": ", ".join(map(str, found.sizes)),
        "largest": found.sizes[-1],
        "smallest": found.sizes[0],
        "times": found.times,
        "longer": _share(float(np.mean(found.longer))),
        "longer_low": _share(min(found.longer)),
        "longer_high": _share(max(found.longer)),
        "short": _share(found.reached("scratch", found.sizes[-1])),
        "rates": ", ".join(f"{rate:g}" for rate in found.rates),
        **{f"rate_{way}": rate for way, rate in best.items()},
    }


def _share(value: float) -> str:
    return f"{format_number(100 * value)} %"


@st.cache_data(max_entries=32, show_spinner=False)
def _curves(n: int, look: str) -> dict[str, Any]:
    found = measured()
    lines = {name: (found.sizes, found.curve(way).means()) for way, name in NAMES.items()}
    bands = {name: (found.sizes, found.curve(way).lowest(), found.curve(way).highest()) for way, name in NAMES.items()}
    low = min(0.45, *(min(curve.lowest()) - 0.02 for curve in found.curves))
    figure = marked_curve(
        lines,
        bands=bands,
        x_title="labelled examples",
        y_title="accuracy on held-out sentences",
        x_values=list(found.sizes),
        x_marks={f"{n} examples": n},
        y_marks={"guessing": 0.5},
        y_domain=(low, 1.06),  # room for the words at the upright line
        log_x=True,
        height=340,
        legend_columns=1,
        theme=theme_named(look),
    )
    return figure.to_dict()


@st.dialog("Accuracy on held-out sentences", width="large")
def _dialog(found: FineTuning) -> None:
    rows = [(f"{n}, {name}", found.curve(way).accuracy[i]) for way, name in NAMES.items() for i, n in
            enumerate(found.sizes)]  # fmt: skip
    st.html(
        matrix_table(
            np.array([[float(np.mean(values)), *values] for _, values in rows]),
            [name for name, _ in rows],
            ["mean", *(f"seed {seed}" for seed in found.seeds)],
            corner="examples, way",
            caption=f"{found.steps} steps, {found.n_held_out} held-out sentences",
        )
    )


def _columns(found: FineTuning) -> dict[str, list[Any]]:
    rows = [
        (NAMES[one.way], one.learning_rate[i], n, seed, found.steps, one.accuracy[i][j])
        for one in found.curves
        for i, n in enumerate(found.sizes)
        for j, seed in enumerate(found.seeds)
    ]
    rate, steps = found.curve("scratch").learning_rate[-1], found.times * found.steps
    rows += [
        (NAMES["scratch"], rate, found.sizes[-1], seed, steps, one)
        for seed, one in zip(found.seeds, found.longer, strict=True)
    ]
    names = ("way", "learning rate", "examples", "seed", "steps", "accuracy")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
