"""What a text costs: work, steps that wait, the longest way, time; and the steps one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from pages.learn.parts import why_not_rnns_choice as choice
from pages.learn.parts.why_not_rnns_numbers import Curves, below, show
from pages.ui import chrome, downloads, link_table, pictures, session, theme
from viz_model.analysis.layer_costs import table_1
from viz_model.figures import steps_view
from viz_model.figures.comparison_curves import length_curves
from viz_model.figures.comparison_tables import CostRow, costs_table, curves_table
from viz_model.figures.theme import Theme, format_number
from viz_model.training import comparison
from viz_model.training.comparison import TIMED, BodyCost, Costs, WorkPlan
from viz_model.training.studies import kept

ROWS = (
    ("attention", "self-attention"),
    ("lstm", "recurrent"),
    ("cnn", "convolutional"),
    ("rnn", "recurrent"),
    ("", "self-attention (restricted)"),
)
Words = Mapping[str, str]


def costs(words: Words) -> None:
    """Counted by the length of the text, beside the paper's formulas; and by the clock, where it is asked for."""
    found = _costs()
    st.segmented_control(
        "n (tokens)",
        link_table.COUNTED,
        key="counted",
        required=True,
        width="content",
        wrap=True,
        disabled=chrome.locked("bodies"),
    )
    n = int(st.session_state["counted"])
    by_body = {row.body: row for row in found.bodies}
    steps = {choice.SHORT[body]: (found.lengths, by_body[body].steps) for body, _ in ROWS if body}
    work = {choice.SHORT[body]: (found.lengths, by_body[body].multiplications) for body, _ in ROWS if body}
    left, right = st.columns(2, gap="large")
    for column, name, curves, title in ((left, "steps", steps, "Steps that wait"), (right, "work", work, "Work")):
        with column:
            y = "steps" if name == "steps" else "multiplications"
            draw = partial(_lengths, curves, y, title, n)
            st.altair_chart(draw(theme.current()), key=f"{name}_chart", theme=None)
            below(f"costs-{name}", curves, draw, x="n", y=y, caption=f"{title} by the number of tokens")
    choice.fill(words, "costs", n=n)
    _doubled(words, by_body, found.lengths, n)
    st.html(costs_table(_rows(by_body, found.lengths, n), n=n, caption="A layer’s costs, and our models’ own"))
    choice.fill(words, "costs table")
    _time(words)


def steps(words: Words) -> None:
    """The vectors of each body as they can be computed."""
    st.segmented_control(
        "Tokens",
        link_table.STEPPED,
        key="stepped",
        required=True,
        width="content",
        disabled=chrome.locked("bodies"),
    )
    n = int(st.session_state["stepped"])
    plans = {plan.body: plan for plan in _plans(n)}
    ordered = [plans[body] for body in ("attention", "cnn", "lstm", "rnn")]  # the tall ones beside each other
    tick = min(st.session_state["tick"], n)
    works = [
        steps_view.Work(choice.SHORT[plan.body], plan.n_layers, plan.step, plan.reads, plan.way) for plan in ordered
    ]
    with st.container(key="steps_pane"):
        pictures.steps("steps", steps_view.pack(works, n, tick), _stand)
    last = {plan.body: max(plan.step.values()) for plan in ordered}
    through = f", and {len(plans['cnn'].way) - 1} in the CNN" if plans["cnn"].way else ""
    choice.fill(
        words,
        "steps said",
        n=n,
        recurrent=last["lstm"],
        cnn=last["cnn"],
        attention=last["attention"],
        cnn_way=through,
    )
    choice.fill(words, "steps")
    choice.fill(words, "steps honest")
    _steps_numbers(ordered, n)


def _steps_numbers(plans: Sequence[WorkPlan], n: int) -> None:
    """How many vectors are there after each step, as a table; the step of each, as CSV."""
    with st.container(horizontal=True, key="under_steps"):
        if st.button("As a table", key="table_steps", icon=":material/table:", help="The numbers of this picture."):
            ticks = range(n + 1)
            done = {
                choice.SHORT[plan.body]: (
                    ticks,
                    [sum(0 < step <= tick for step in plan.step.values()) for tick in ticks],
                )
                for plan in plans
            }
            caption = "Vectors that are there after each step"
            show(caption, curves_table(done, x_title="step", caption=caption))
        if chrome.shown("downloads"):
            rows = [(plan.body, *node, step) for plan in plans for node, step in plan.step.items() if node[0]]
            downloads.csv_button(
                "steps",
                {
                    "body": [row[0] for row in rows],
                    "layer": [row[1] - 1 for row in rows],
                    "position": [row[2] for row in rows],
                    "step": [row[3] for row in rows],
                },
            )


def _stand(tick: int) -> None:
    """Where the play was left."""
    session.put(tick=min(max(tick, 0), 32))


def _doubled(words: Words, by_body: Mapping[str, BodyCost], lengths: tuple[int, ...], n: int) -> None:
    """This length beside half of it."""
    i = lengths.index(n)
    if i == 0:
        return
    lstm, attention = by_body["lstm"], by_body["attention"]
    choice.fill(
        words,
        "costs said",
        half=lengths[i - 1],
        n=n,
        attention_work=format_number(attention.multiplications[i] / attention.multiplications[i - 1]),
        lstm_work=format_number(lstm.multiplications[i] / lstm.multiplications[i - 1]),
        lstm_before=lstm.steps[i - 1],
        lstm_after=lstm.steps[i],
        attention_steps=attention.steps[i],
    )


def _rows(by_body: Mapping[str, BodyCost], lengths: tuple[int, ...], n: int) -> list[CostRow]:
    i = lengths.index(n)
    paper = {row.kind: row for row in table_1(n, by_body["attention"].d_model)}
    rows = []
    for body, kind in ROWS:
        formulas = paper[kind].formulas
        if not body:
            rows.append(CostRow(kind, formulas, None, None, None))
            continue
        cost = by_body[body]
        path = cost.path[i]
        layers = f"{cost.n_layers} {'layer' if cost.n_layers == 1 else 'layers'}"
        name = f"{kind} ({choice.SHORT[body]}, {layers}, d = {cost.d_model})"
        said = "none" if path is None else str(path)
        rows.append(CostRow(name, formulas, cost.multiplications[i], cost.steps[i], said))
    return rows


def _time(words: Words) -> None:
    st.markdown(words["time"])
    if st.button("Measure on this machine", key="measure_time", icon=":material/timer:"):
        with st.spinner("Running each network on texts of several lengths…"):
            st.session_state["comparison_seconds"] = {
                body: comparison.seconds_by_length(body) for body, _ in ROWS if body
            }
    seconds = st.session_state.get("comparison_seconds")
    if seconds is None:
        st.markdown(words["time none"])
        return
    curves = {choice.SHORT[body]: (TIMED, [1000 * one for one in times]) for body, times in seconds.items()}
    draw = partial(_lengths, curves, "milliseconds", "One forward pass", None)
    st.altair_chart(draw(theme.current()), key="time_chart", theme=None)
    below("seconds", curves, draw, x="n", y="milliseconds", caption="Milliseconds of one forward pass")
    st.markdown(_said(seconds))
    choice.fill(words, "time why")


def _lengths(curves: Curves, y: str, title: str, n: int | None, look: Theme) -> Any:
    return length_curves(curves, y_title=y, length=n, title=title, theme=look)


def _said(seconds: Mapping[str, tuple[float, ...]]) -> str:
    """Where a recurrent body is faster than attention on this machine, and where it is not."""
    lines = []
    for body in ("rnn", "lstm"):
        faster = {n: mine < theirs for n, mine, theirs in zip(TIMED, seconds[body], seconds["attention"], strict=True)}
        at = {True: [str(n) for n in TIMED if faster[n]], False: [str(n) for n in TIMED if not faster[n]]}
        name, last = choice.SHORT[body], TIMED[-1]
        here, there = (format_number(1000 * seconds[each][-1]) for each in (body, "attention"))
        numbers = f"at n = {last}: {here} ms against {there} ms"
        if not at[False]:
            lines.append(f"The {name} is **faster than attention** here at every length measured ({numbers}).")
        elif not at[True]:
            lines.append(f"The {name} is **slower than attention** here at every length measured ({numbers}).")
        else:
            quick, slow = choice.joined(at[True]), choice.joined(at[False])
            lines.append(
                f"The {name} is **faster than attention** here at n = {quick}, slower at n = {slow} ({numbers})."
            )
    return " ".join(lines)


@st.cache_resource(max_entries=1, show_spinner=False)
def _costs() -> Costs:
    return Costs.from_json(kept("body-costs"))


@st.cache_resource(max_entries=4, show_spinner=False)
def _plans(n: int) -> tuple[WorkPlan, ...]:
    return comparison.work_plans(n)
