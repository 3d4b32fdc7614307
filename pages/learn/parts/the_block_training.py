"""Stacks of 6 layers in training: the gradient and how alike the positions are, by layer; and who learns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages.learn.parts import the_block_start as start
from pages.learn.parts.the_block_choice import STUDY
from pages.ui import chrome, downloads, link_table, session, study, theme
from pages.ui.training import task_named
from viz_model.figures.depth_curves import depth_curves
from viz_model.figures.marked_curves import marked_curve
from viz_model.figures.theme import Theme, format_number
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

        def draw(look: Theme) -> Any:
            series = {name: (layers, one.gradient.stream) for name, one in looks.items()}
            title = f"Recorded: gradient after {steps[at]} steps"
            return depth_curves(series, title=title, known=link_table.BLOCK_VARIANTS, theme=look)

        st.altair_chart(draw(theme.current()), key="trained_chart", theme=None)
        start.take_away(
            "gradient",
            "Norm of the gradient by layer",
            {name: one.gradient.stream for name, one in looks.items()},
            "layer",
            layers,
            draw,
        )
    with beside:
        alike = {name: one.alike for name, one in looks.items()}

        def draw_alike(look: Theme) -> Any:
            return marked_curve(
                {name: (layers, values) for name, values in alike.items()},
                x_title="layer",
                y_title="mean cosine of two positions",
                x_values=list(layers),
                y_domain=(-0.1, 1.0),
                title="How alike positions are",
                known=link_table.BLOCK_VARIANTS,
                legend_columns=2,
                height=300,
                theme=look,
            )

        st.altair_chart(draw_alike(theme.current()), key="alike_chart", theme=None)
        start.take_away("alike", "Mean cosine of two positions by layer", alike, "layer", layers, draw_alike)
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
    losses = {name: ([one.step for one in all_], [one.loss for one in all_]) for name, all_ in seen.items()}
    looks = {
        name: [(one.step, one.picture.accuracy) for one in arm.snapshots if one.picture is not None]
        for name, arm in arms.items()
    }
    right = {name: ([step for step, _ in all_], [share for _, share in all_]) for name, all_ in looks.items()}
    alike: dict[str, Any] = {"x_title": "step", "x_domain": whole, "legend_columns": 2, "height": 260}

    def draw_loss(look: Theme) -> Any:
        return marked_curve(losses, y_title="loss (nats a token)", title="Loss", theme=look, **alike)

    def draw_right(look: Theme) -> Any:
        title = "Right, on held-out texts"
        return marked_curve(right, y_title=metric, y_domain=(0.0, 1.0), title=title, theme=look, **alike)

    drawn = (downloads.Picture(draw_loss, "Loss"), downloads.Picture(draw_right, "Right, on held-out texts"))
    for column, picture, key in zip(st.columns(2, gap="large"), drawn, ("loss_chart", "accuracy_chart"), strict=True):
        column.altair_chart(picture.draw(theme.current()), key=key, theme=None)
    if chrome.shown("downloads"):
        rows = [(name, step, share) for name, all_ in looks.items() for step, share in all_]
        columns = ("run", "step", metric)
        given = {column: [row[i] for row in rows] for i, column in enumerate(columns)}
        downloads.menu("depth-study", given, *drawn, caption="Stacks of 6 layers in training")
