"""Two tasks that four bodies of equal size learn: a number by its name, and one letter over a distance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages.learn.parts import why_not_rnns_choice as choice
from pages.learn.parts.why_not_rnns_numbers import below
from pages.ui import chrome, link_table, study, theme
from pages.ui.training import task_named
from viz_model.figures.comparison_curves import accuracy_curves
from viz_model.figures.comparison_tables import BodyRow, bodies_table
from viz_model.figures.theme import Theme, format_number
from viz_model.tasks.recall import LETTERS, NUMBERS, AssociativeRecall
from viz_model.training import comparison, studies
from viz_model.training.comparison import BodySize
from viz_model.training.studies import Arm

RECALL = "recall-16"
ORDER = ("attention", "lstm", "cnn", "rnn")
FARTHER = "first-token-50"
RECALLS = ("recall", "bottleneck")  # the sections where the telephone book's numbers stand
LETTER_CHOICES = ["it learns all of them", "it learns about half", "at chance"]
CHOICES = ["it learns all of them", "at the most frequent number", "at chance"]
Words = Mapping[str, str]
Arms = Mapping[str, Arm]


def recall(words: Words) -> None:
    """The telephone book."""
    task = _recall_task()
    shown = task.watched.split()
    example = f"`{' '.join(shown[:6])} …` then `{' '.join(shown[2 * task.n_pairs :][:2])} …`"
    choice.fill(words, "recall", n_pairs=task.n_pairs, example=example)
    study.watch(RECALL, lambda arms: _recall(arms, words))
    choice.fill(words, "recall why")
    study.controls(RECALL, key="recall")


def first(words: Words) -> None:
    """The first letter, over a distance."""
    off = chrome.locked("bodies")
    with st.container(horizontal=True, vertical_alignment="bottom", key="first_row"):
        st.segmented_control(
            "Digits in between", link_table.DISTANCES, key="distance", required=True, width="content", disabled=off
        )
        choice.variants()
    distance = int(st.session_state["distance"])
    name = f"first-token-{distance}"
    choice.fill(words, "first", distance=distance, chance=format_number(1 / len(LETTERS)))
    study.watch(name, lambda arms: _first(name, distance, arms, words))
    study.controls(name, key=f"first_{distance}")


def ask(words: Words, section: str) -> None:
    """The question: on the task whose answer does not stand in the section on show."""
    if section in RECALLS:
        chrome.question(
            words["question letter"], LETTER_CHOICES, lambda: _where_the_letter_stops(words), key="predict_letter"
        )
    else:
        chrome.question(words["question"], CHOICES, lambda: _where_the_lstm_stops(words), key="predict_comparison")


def _where_the_lstm_stops(words: Words) -> tuple[str, str]:
    """The level that is nearest to the LSTM's accuracy in the runs of the telephone book."""
    levels = dict(zip(CHOICES, (1.0, _guess(), 1 / len(NUMBERS)), strict=True))
    nearest, found = _nearest(RECALL, levels, words)
    return nearest, words["answer"].format(
        chance=format_number(1 / len(NUMBERS)), guess=format_number(_guess()), level=nearest, **found
    )


def _where_the_letter_stops(words: Words) -> tuple[str, str]:
    """The same of the LSTM that has no forget bias, with one letter to remember."""
    levels = dict(zip(LETTER_CHOICES, (1.0, 0.5, 1 / len(LETTERS)), strict=True))
    nearest, found = _nearest(FARTHER, levels, words)
    return nearest, words["answer letter"].format(chance=format_number(1 / len(LETTERS)), **found)


def _nearest(name: str, levels: Mapping[str, float], words: Words) -> tuple[str, dict[str, str]]:
    """The level that is nearest to the accuracy of a study's LSTM; how much it has right, when, in whose runs."""
    arm, whose = study.arms(name)["lstm"], ""
    if _accuracy(arm) is None:  # a run that begins has nothing to say yet
        arm, whose = studies.recorded(name)["lstm"], words["answer recorded"] + " "
    accuracy = _accuracy(arm) or 0.0
    nearest = min(levels, key=lambda level: abs(levels[level] - accuracy))
    return nearest, {"when": whose + _when({"lstm": arm}, words), "lstm": format_number(accuracy)}


@st.cache_resource(max_entries=8, show_spinner=False)
def sizes(name: str) -> dict[str, BodySize]:
    """The models of a study."""
    return comparison.sizes(studies.STUDIES[name].recipes())


def _recall(arms: Arms, words: Words) -> None:
    if not _drawn(
        RECALL,
        {body: arms[body] for body in ORDER},
        levels={"most frequent number": _guess(), "chance": 1 / len(NUMBERS)},
        metric=_recall_task().metric,
        words=words,
    ):
        return
    found = {body: format_number(_accuracy(arms[body]) or 0.0) for body in ORDER}
    guess, chance = format_number(_guess()), format_number(1 / len(NUMBERS))
    choice.fill(words, "recall said", when=_when(arms, words), guess=guess, chance=chance, **found)


def _first(name: str, distance: int, arms: Arms, words: Words) -> None:
    chosen = {body: arms[body] for body in choice.on_show()}
    if not _drawn(name, chosen, levels={"chance": 1 / len(LETTERS)}, metric=task_named(name).metric, words=words):
        return
    right = {body: format_number(_accuracy(arm) or 0.0) for body, arm in arms.items()}
    gate, half = comparison.forget_gate(arms["lstm-forget"].recipe.forget_bias)
    wide, narrow = sizes(name)["cnn"], sizes(name)["cnn-narrow"]
    left, middle = st.columns(2, gap="large")
    with left:
        choice.fill(
            words,
            "first lstm",
            without=right["lstm"],
            with_bias=right["lstm-forget"],
            gate=format_number(gate),
            half=format_number(half),
        )
        choice.fill(words, "first rest", attention=right["attention"], rnn=right["rnn"])
    with middle:
        choice.fill(
            words,
            "first cnn",
            distance=distance,
            sees=wide.sees,
            narrow_sees=narrow.sees,
            wide=right["cnn"],
            narrow=right["cnn-narrow"],
            layers=wide.n_layers,
        )


def _drawn(name: str, arms: Arms, *, levels: Mapping[str, float], metric: str, words: Words) -> bool:
    """Curves, numbers, and the bodies as a table; False where nothing has been measured yet."""
    known = sizes(name)
    labels = {
        body: choice.named(body, forget_bias=arm.recipe.forget_bias, sees=known[body].sees)
        for body, arm in arms.items()
    }
    curves = {labels[body]: curve for body, arm in arms.items() if (curve := _curve(arm))[0]}
    if not curves:
        st.markdown(words["not yet"])
        return False
    whole = (0, max(arm.recipe.steps for arm in arms.values()))  # from the start: live curves grow into their axis

    def draw(look: Theme) -> Any:
        return accuracy_curves(curves, levels=levels, y_title=metric, x_domain=whole, theme=look)

    st.altair_chart(draw(theme.current()), key=f"curves_{name}", theme=None)
    rows = []
    for body, arm in arms.items():
        size, steps = known[body], [one.step for one in arm.snapshots]
        rows.append(
            BodyRow(
                labels[body],
                size.parameters,
                size.d_model,
                size.n_layers,
                "all before" if size.sees is None else str(size.sees),
                _accuracy(arm),
                steps[-1] if steps else 0,
                sum(one.seconds for one in arm.snapshots) or None,
            )
        )
    st.html(bodies_table(rows, metric=metric, caption=words["sizes"]))
    caption = f"{metric.capitalize()} by training step"
    below(name, curves, draw, x="training step", y=metric, caption=caption, about=f"{name}, seed {studies.SEED}")
    return True


def _curve(arm: Arm) -> tuple[list[int], list[float]]:
    """Steps and held-out accuracies, where they were measured."""
    seen = [(one.step, one.picture.accuracy) for one in arm.snapshots if one.picture is not None]
    return [step for step, _ in seen], [accuracy for _, accuracy in seen]


def _accuracy(arm: Arm) -> float | None:
    """At the end on all held-out examples, before it the newest of the curve, which looks at fewer."""
    metric = task_named(arm.recipe.task).metric
    if metric in arm.measures:
        return arm.measures[metric][0]
    found = _curve(arm)[1]
    return found[-1] if found else None


def _when(arms: Arms, words: Words) -> str:
    """'After 300 steps', or how far the runs have come."""
    step = min((steps[-1] if (steps := _curve(arm)[0]) else 0) for arm in arms.values())
    ended = all(step >= arm.recipe.steps for arm in arms.values())
    return words["after" if ended else "so far"].format(step=step)


def _recall_task() -> AssociativeRecall:
    task = task_named(f"associative-{RECALL}")
    assert isinstance(task, AssociativeRecall)
    return task


@st.cache_resource(max_entries=1, show_spinner=False)
def _guess() -> float:
    return _recall_task().best_guess()
