"""One recipe trained with the scale and without: how loss and accuracy go, recorded or live."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from pages.ui import chrome, downloads, study, theme
from viz_model.analysis.head_scaling import HeadScaling
from viz_model.figures import matrix_table
from viz_model.figures.scaling_curves import training_curve
from viz_model.figures.theme import Theme, format_number, theme_named
from viz_model.tasks.induction import LETTERS
from viz_model.training.scale_start import scaling_at_start
from viz_model.training.studies import SEED, STUDIES, Arm

STUDY = "scale"
SCALED, PLAIN = STUDIES[STUDY].recipes()  # the names of its two runs
ENOUGH = 0.95  # of the letters right


def show(words: Mapping[str, str]) -> None:
    """What differs, what it is where learning begins, both runs as curves and in words."""
    found = _start()
    left, right = st.columns(2, gap="large")
    left.markdown(words["study"].format(n_letters=len(LETTERS)))
    right.markdown(
        words["start"].format(
            n=f"{found.n_queries:,}",
            d_head=found.d_head,
            q=format_number(float(found.q_size[0, 0])),
            variance=format_number(float(found.dots_variance[0, 0])),
            plain=format_number(float(found.dots_gradient[0, 0])),
            scaled=format_number(float(found.scores_gradient[0, 0])),
        )
    )
    study.controls(STUDY)

    def draw(arms: Mapping[str, Arm]) -> None:
        _curves(arms, words)

    study.watch(STUDY, draw)


@st.cache_resource(max_entries=1, show_spinner=False)
def _start() -> HeadScaling:
    return scaling_at_start(STUDIES[STUDY].recipes()[SCALED], seed=SEED)


def _curves(arms: Mapping[str, Arm], words: Mapping[str, str]) -> None:
    live = study.is_live(STUDY)

    def drawn(name: str, look: Theme) -> dict[str, Any]:
        return _figure(name, arms, look.name) if live else _recorded(name, look.name)

    pictures = {name: partial(drawn, name) for name in ("loss", "accuracy")}
    for name, column in zip(("loss", "accuracy"), st.columns(2, gap="large"), strict=True):
        with column:
            figure = pictures[name](theme.current())
            st.vega_lite_chart(figure, key=f"study_{name}", theme=None, alt=words[f"study {name}"])
            st.markdown(words[f"study {name}"])
    st.markdown(" ".join(_said(label, arms[label], words) for label in (SCALED, PLAIN)))
    if not live:
        st.markdown(words["one seed"].format(seed=SEED))
    with st.container(horizontal=True, key="under_study"):
        if not live and st.button("As a table", key="study_table", icon=":material/table:", help="Both runs."):
            _dialog(arms)
        if chrome.shown("downloads"):
            downloads.menu(
                "training",
                _columns(arms),
                *(downloads.Picture(draw, name.capitalize()) for name, draw in pictures.items()),
                caption=f"Seed {SEED}, {'trained here' if live else 'as recorded'}",
            )


def _said(label: str, arm: Arm, words: Mapping[str, str]) -> str:
    """How far one run has come."""
    steps, accuracy = _of(arm, "accuracy")
    if not steps:
        return words["no look"].format(label=label.capitalize())
    told = {"label": label.capitalize(), "step": str(steps[-1]), "accuracy": format_number(accuracy[-1])}
    reached = next((step for step, share in zip(steps, accuracy, strict=True) if share >= ENOUGH), None)
    if reached is None:
        return words["not reached"].format(enough=f"{ENOUGH:.0%}", **told)
    return words["reached"].format(enough=f"{ENOUGH:.0%}", reached=reached, **told)


def _of(arm: Arm, name: str) -> tuple[list[int], list[float]]:
    """Steps and values: of the loss at every step, of the accuracy where it was looked at."""
    if name == "loss":
        return [one.step for one in arm.snapshots], [one.loss for one in arm.snapshots]
    seen = [(one.step, one.picture.accuracy) for one in arm.snapshots if one.picture is not None]
    return [step for step, _ in seen], [share for _, share in seen]


@st.cache_data(max_entries=8, show_spinner=False)
def _recorded(name: str, look: str) -> dict[str, Any]:
    return _figure(name, study.studies.recorded(STUDY), look)


def _figure(name: str, arms: Mapping[str, Arm], look: str) -> dict[str, Any]:
    titles = {
        "loss": ("Loss by step", "nats a letter", None),
        "accuracy": ("Letters of the repeat right", "share, held-out", (0.0, 1.0)),
    }
    title, axis, limits = titles[name]
    return training_curve(
        _of(arms[PLAIN], name),
        _of(arms[SCALED], name),
        names=(PLAIN, SCALED),
        y_title=axis,
        title=title,
        y_domain=limits,
        theme=theme_named(look),
    ).to_dict()


@st.dialog("Both runs in numbers", width="large")
def _dialog(arms: Mapping[str, Arm]) -> None:
    steps = _of(arms[SCALED], "accuracy")[0]
    columns: dict[str, Sequence[float]] = {}
    for label in (SCALED, PLAIN):
        loss = dict(zip(*_of(arms[label], "loss"), strict=True))
        accuracy = dict(zip(*_of(arms[label], "accuracy"), strict=True))
        columns[f"loss, {label}"] = [loss.get(step, np.nan) for step in steps]
        columns[f"letters right, {label}"] = [accuracy.get(step, np.nan) for step in steps]
    st.html(
        matrix_table(
            np.stack(list(columns.values()), 1),
            [str(step) for step in steps],
            list(columns),
            corner="step",
            caption="Every look at the held-out letters",
            limit=len(steps),
        )
    )


def _columns(arms: Mapping[str, Arm]) -> dict[str, list[Any]]:
    rows = [(label, one) for label, arm in arms.items() for one in arm.snapshots]
    return {
        "run": [label for label, _ in rows],
        "seed": [SEED] * len(rows),
        "step": [one.step for _, one in rows],
        "loss": [one.loss for _, one in rows],
        "gradient norm": [one.gradient_norm for _, one in rows],
        "letters of the repeat right": [one.picture.accuracy if one.picture is not None else "" for _, one in rows],
    }
