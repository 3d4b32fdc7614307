"""Five kinds of positions trained alike, and their loss at every position beyond the trained length."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from pages.learn.parts.positions_choice import Show, Words, takeaway
from pages.ui import downloads, study, theme
from pages.ui.training import task_named
from viz_model.analysis.extrapolation import mean_loss, outcome
from viz_model.figures.curves import curve
from viz_model.figures.position_pictures import loss_by_position_curve
from viz_model.figures.position_tables import loss_stretches
from viz_model.figures.theme import Theme, format_number
from viz_model.tasks.letter_chain import LetterChain
from viz_model.training.position_recipes import LONGEST, TRAINED
from viz_model.training.studies import Arm

STUDY = "positions"
INSIDE, JUST_PAST, BEYOND, END = (2, TRAINED), (32, 36), (40, 64), (96, LONGEST)  # start <= position < stop
NAMES = {"sinusoidal": "sinusoidal", "learned": "learned", "rotary": "rotary", "alibi": "ALiBi", "none": "none"}
Losses = Mapping[str, tuple[list[int], list[float | None]]]  # kind -> positions, nats


def choose(words: Words) -> Show:
    study.controls(STUDY)
    return lambda: _show(words)


def _show(words: Words) -> None:
    task = task_named("letter-chain")
    assert isinstance(task, LetterChain)
    study.watch(STUDY, lambda arms: _draw(arms, task, words))


def _losses(arms: Mapping[str, Arm]) -> Losses:
    """The measured losses; of a run that has not ended, none."""
    return {
        kind: (
            [int(at or 0) for at in arm.measures.get("position", ())],
            list(arm.measures.get("loss by position", ())),
        )
        for kind, arm in arms.items()
    }


def _draw(arms: Mapping[str, Arm], task: LetterChain, words: Words) -> None:
    losses = _losses(arms)
    measured = all(at for at, _ in losses.values())  # else the runs are on their way
    left, right = st.columns([3, 2], gap="large")
    with left:

        def draw(look: Theme) -> Any:
            lines = {
                NAMES[kind]: (at, [math.nan if x is None else x for x in loss]) for kind, (at, loss) in losses.items()
            }
            ends = {"trained": TRAINED, "best": task.best_loss, "chance": task.chance_loss}
            return loss_by_position_curve(lines, **ends, title="", theme=look)

        st.altair_chart(draw(theme.current()), key="further", theme=None)
        st.markdown(
            words["further"].format(
                trained=TRAINED,
                longest=LONGEST,
                best=format_number(task.best_loss),
                chance=format_number(task.chance_loss),
            )
        )
        if measured:
            takeaway(
                "loss-by-position",
                {
                    "position": next(iter(losses.values()))[0],
                    **{NAMES[kind]: loss for kind, (_, loss) in losses.items()},
                },
                "Loss by position, nats a letter",
                downloads.Picture(draw, "Loss by position"),
                about=f"Five kinds of positions, trained on {TRAINED} positions",
            )
    with right:
        stretches = (INSIDE, JUST_PAST, BEYOND, END)
        means = {kind: [mean_loss(at, loss, *one) for one in stretches] for kind, (at, loss) in losses.items() if at}
        if means:
            st.html(
                loss_stretches(
                    {NAMES[kind]: found for kind, found in means.items()},
                    stretches,
                    chance=task.chance_loss,
                    caption=words["stretches caption"],
                )
            )
        if not measured:
            st.markdown(words["further waits"])
        for kind, (inside, just, beyond, end) in means.items():
            st.markdown(_said(kind, inside, just, beyond, end, task, words))
        learned = _training(arms, words)
        if measured:
            steps = [one.step for one in next(iter(arms.values())).snapshots]
            takeaway(
                "training-loss",
                {"step": steps, **{NAMES[kind]: [one.loss for one in arm.snapshots] for kind, arm in arms.items()}},
                "Loss while the runs were trained, nats a letter",
                downloads.Picture(learned, "Loss while the runs were trained"),
            )


def _training(arms: Mapping[str, Arm], words: Words) -> Callable[[Theme], Any]:
    """The same runs while they learned; gives what draws them."""
    lines = {
        NAMES[kind]: ([one.step for one in arm.snapshots], [one.loss for one in arm.snapshots])
        for kind, arm in arms.items()
    }

    def draw(look: Theme) -> Any:
        return curve(lines, x_title="step", y_title="loss (nats a letter)", height=200, theme=look)

    st.altair_chart(draw(theme.current()), key="further_training", theme=None)
    steps = next(iter(arms.values())).recipe.steps
    st.markdown(words["further training"].format(steps=steps, trained=TRAINED))
    return draw


def _said(kind: str, inside: float, just: float, beyond: float, end: float, task: LetterChain, words: Words) -> str:
    """One kind in words: what it is, its numbers, and what became of it."""
    numbers = {
        "inside": format_number(inside),
        "just": format_number(just),
        "beyond": format_number(beyond),
        "end": format_number(end),
        "trained": TRAINED,
        "last": TRAINED - 1,
        "chance": format_number(task.chance_loss),
    }
    # The worst of both stretches decides.
    far = math.nan if math.isnan(beyond) else max(beyond, end)
    found = outcome(inside, far, task.chance_loss)
    return f"**{NAMES[kind].capitalize() if kind != 'alibi' else 'ALiBi'}**: " + " ".join(
        words[section].format(**numbers) for section in (f"kind {kind}", f"outcome {found}")
    )
