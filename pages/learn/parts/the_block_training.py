"""Stacks of 6 layers in training: the gradient and how alike the positions are, by layer; and who learns."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from pages.learn.parts import the_block_start as start
from pages.learn.parts.the_block_choice import STUDY
from pages.ui import chrome, downloads, link_table, session, study, theme
from pages.ui.training import task_named
from viz_model.figures.depth_curves import depth_curves
from viz_model.figures.marked_curves import marked_curve
from viz_model.figures.theme import format_number
from viz_model.training.studies import Arm


def show(_: None, words: Mapping[str, str]) -> None:
    """One depth in training: gradient and alikeness by layer at a step, as recorded; the same runs again, live."""
    off = chrome.locked("panel")
    chosen = start.variants(off)
    runs = {run.variant: run for run in start.recorded().runs}
    steps = [one.step for one in next(iter(runs.values())).snapshots]
    nearest = min(steps, key=lambda step: abs(step - st.session_state["block_step"]))
    if nearest != st.session_state["block_step"]:
        session.put(block_step=nearest)
    st.select_slider("Step of training", steps, key="block_step", disabled=off, width=420)
    at = steps.index(st.session_state["block_step"])
    looks = {name: runs[name].snapshots[at] for name in chosen}
    layers = range(len(next(iter(looks.values())).alike))
    right = ", ".join(f"{name} **{format_number(one.accuracy)}**" for name, one in looks.items())
    st.markdown(words["training"].format(n_layers=len(layers) - 1, step=steps[at], right=right))
    left, beside = st.columns(2, gap="large")
    with left:
        chart = depth_curves(
            {name: (layers, one.gradient.stream) for name, one in looks.items()},
            title=f"Recorded: gradient after {steps[at]} steps",
            known=link_table.BLOCK_VARIANTS,
            theme=theme.current(),
        )
        st.altair_chart(chart, key="trained_chart", theme=None)
        start.take_away(
            "gradient",
            "Norm of the gradient by layer",
            {name: one.gradient.stream for name, one in looks.items()},
            "layer",
            layers,
        )
    with beside:
        alike = {name: one.alike for name, one in looks.items()}
        chart = marked_curve(
            {name: (layers, values) for name, values in alike.items()},
            x_title="layer",
            y_title="mean cosine of two positions",
            x_values=list(layers),
            y_domain=(-0.1, 1.0),
            title="How alike positions are (1: all the same)",
            known=link_table.BLOCK_VARIANTS,
            legend_columns=2,
            height=300,
            theme=theme.current(),
        )
        st.altair_chart(chart, key="alike_chart", theme=None)
        start.take_away("alike", "Mean cosine of two positions by layer", alike, "layer", layers)
    last = {name: run.snapshots[-1] for name, run in runs.items()}
    st.markdown(
        words["alike"].format(
            alone=format_number(last["pre-norm, no residual"].alike[-1]),
            alone_start=format_number(runs["pre-norm, no residual"].snapshots[0].alike[-1]),
            both=format_number(last["pre-norm"].alike[-1]),
            both_start=format_number(runs["pre-norm"].snapshots[0].alike[-1]),
            neither=format_number(last["neither"].alike[-1]),
            neither_accuracy=format_number(last["neither"].accuracy),
            accuracy=format_number(last["pre-norm, no residual"].accuracy),
            post_alone=format_number(last["post-norm, no residual"].accuracy),
            accuracy_both=format_number(last["pre-norm"].accuracy),
        )
    )
    st.subheader("Train them yourself", anchor=False)
    st.markdown(words["study"])
    study.controls(STUDY)
    study.watch(STUDY, _curves)


def _curves(arms: Mapping[str, Arm]) -> None:
    """Loss and accuracy of the study's runs, as far as they have come."""
    metric = task_named(next(iter(arms.values())).recipe.task).metric
    whole = (0, max(arm.recipe.steps for arm in arms.values()))  # from the start: live curves grow into their axis
    seen = {name: [one for one in arm.snapshots if one.step] for name, arm in arms.items()}
    left, right = st.columns(2, gap="large")
    with left:
        losses = {name: ([one.step for one in all_], [one.loss for one in all_]) for name, all_ in seen.items()}
        chart = marked_curve(
            losses,
            x_title="step",
            y_title="loss (nats a token)",
            x_domain=whole,
            title="Loss",
            legend_columns=2,
            height=260,
            theme=theme.current(),
        )
        st.altair_chart(chart, key="loss_chart", theme=None)
    with right:
        looks = {
            name: [(one.step, one.picture.accuracy) for one in arm.snapshots if one.picture is not None]
            for name, arm in arms.items()
        }
        chart = marked_curve(
            {name: ([step for step, _ in all_], [share for _, share in all_]) for name, all_ in looks.items()},
            x_title="step",
            y_title=metric,
            y_domain=(0.0, 1.0),
            x_domain=whole,
            title="Right, on held-out texts",
            legend_columns=2,
            height=260,
            theme=theme.current(),
        )
        st.altair_chart(chart, key="accuracy_chart", theme=None)
    if chrome.shown("downloads"):
        rows = [(name, step, share) for name, all_ in looks.items() for step, share in all_]
        columns = ("run", "step", metric)
        downloads.csv_button("depth-study", {column: [row[i] for row in rows] for i, column in enumerate(columns)})
