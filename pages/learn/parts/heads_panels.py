"""Under the pictures, one panel at a time: what the head reads, what is lost without it, what it adds and costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from pages.learn.parts import heads_without as without
from pages.learn.parts.heads_choice import Lesson
from pages.ui import chrome, downloads, link_table
from viz_model.analysis.atlas import AtlasHead
from viz_model.analysis.contributions import output_parts
from viz_model.analysis.gold_links import READINGS
from viz_model.analysis.head_budget import attention_budget, head_choices, original_budget
from viz_model.analysis.measured_roles import ROLES
from viz_model.figures.atlas_picture import UNNAMED, role_table
from viz_model.figures.head_parts import budget_table, head_choices_table, output_table, steps_table
from viz_model.figures.theme import format_number

TITLES = {
    "reads": "What it reads",
    "without": "The model without it",
    "adds": "What it adds",
    "budget": "What heads cost",
}
FEW_ROLES = 8


def show(lesson: Lesson, words: Mapping[str, str]) -> Callable[[], None]:
    """Draws the chosen panel; what is slow in it is drawn by the function that comes back, when all else stands."""
    if not chrome.shown("panels"):
        return _nothing
    st.segmented_control(
        "Look closer",
        link_table.HEADS_PANELS,
        key="heads_panel",
        format_func=TITLES.get,
        required=True,
        disabled=chrome.locked("panel"),
    )
    panel = st.session_state["heads_panel"]
    if panel == "without":
        return without.show(lesson, words)
    {"reads": _reads, "adds": _adds, "budget": _budget}[panel](lesson, words)
    return _nothing


def _nothing() -> None:
    """All is drawn."""


def _reads(lesson: Lesson, words: Mapping[str, str]) -> None:
    chosen, found = lesson.chosen, lesson.atlas
    if chosen is None or found is None:
        st.markdown(words["no table"])
        return
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.html(role_table(chosen.roles, ROLES, most=FEW_ROLES, caption=_caption(lesson)))
        with st.container(horizontal=True, key="under_roles"):
            if len(chosen.roles) > FEW_ROLES and st.button(
                f"All {len(chosen.roles)}", key="all_roles", icon=":material/table:", help="Every kind of key."
            ):
                _roles_dialog(lesson, chosen)
            if chrome.shown("downloads"):
                downloads.csv_button("roles", _role_columns(lesson, chosen))
    with right:
        known = {"head": lesson.called.capitalize(), "role": chosen.role, "score": format_number(chosen.score)}
        if chosen.role in UNNAMED:
            st.markdown(words[chosen.role].format(**known))
        else:
            st.markdown(words["named"].format(**known, chance=format_number(chosen.chance)))
        if chosen.finds:
            st.markdown(words["finds"].format(relations=", ".join(chosen.finds), n=len(found.heads)))
        st.markdown(
            words["spread"].format(
                entropy=format_number(chosen.entropy),
                uniform_entropy=format_number(found.uniform_entropy),
                distance=format_number(chosen.distance),
                uniform_distance=format_number(found.uniform_distance),
            )
        )
        st.markdown(words["role table"])
        for reading, said in READINGS.items():
            if any(role.role.endswith(f"({reading})") for role in chosen.roles):
                st.markdown(f"**({reading})**: {said}.")


def _caption(lesson: Lesson) -> str:
    return f"{lesson.called.capitalize()}: mean weight on each kind of key, the line is chance"


@st.dialog("Every kind of key", width="large")
def _roles_dialog(lesson: Lesson, chosen: AtlasHead) -> None:
    st.html(role_table(chosen.roles, ROLES, most=len(chosen.roles), caption=_caption(lesson)))


def _role_columns(lesson: Lesson, chosen: AtlasHead) -> dict[str, list[object]]:
    n = len(chosen.roles)
    columns: dict[str, list[object]] = {"model": [lesson.name] * n, "layer": [lesson.layer] * n}
    columns["head"] = [lesson.head] * n
    columns |= {field: [getattr(role, field) for role in chosen.roles] for field in ("role", "score", "chance")}
    return columns


def _adds(lesson: Lesson, words: Mapping[str, str]) -> None:
    tokens = lesson.run.trace.tokens
    layer = lesson.run.model.stack.layers[lesson.layer].attention
    parts = output_parts(layer, lesson.run.trace.blocks[lesson.layer].attention)
    left, right = st.columns([3, 2], gap="large")
    with right:
        st.selectbox(
            "Word",
            range(len(tokens)),
            key="query",
            format_func=lambda i: f"{tokens[i]} (position {i})",
            help="Or click a row of the map.",
            disabled=chrome.locked("word"),
        )
    query = st.session_state["query"]
    shares = parts.shares[0, :, query].tolist()
    sizes = [*parts.sizes[0, :, query].tolist(), float(parts.bias.norm())]
    with left:
        st.html(
            output_table(
                shares,
                sizes,
                parts.residual,
                caption=f"What the heads of layer {lesson.layer} add for “{tokens[query]}”",
            )
        )
        if chrome.shown("downloads"):
            n = len(shares)
            downloads.csv_button(
                "output",
                {
                    "run": [downloads.caption(lesson.name, lesson.run.reading.text, ())] * n,
                    "layer": [lesson.layer] * n,
                    "position": [query] * n,
                    "part": [*(f"head {i}" for i in range(n - 1)), "bias of W_O"],
                    "share of the output": shares,
                    "length": sizes,
                },
            )
    with right:
        st.markdown(words["adds"])
        st.markdown(
            words["adds here"].format(
                head=lesson.called.capitalize(),
                token=chrome.literal(tokens[query]),
                share=format_number(shares[lesson.head]),
                size=format_number(sizes[lesson.head]),
                residual=format_number(parts.residual),
            )
        )


def _budget(lesson: Lesson, words: Mapping[str, str]) -> None:
    own = attention_budget(lesson.run.model.config)
    paper, steps = original_budget(len(lesson.run.trace.tokens))
    st.markdown(
        words["budget"].format(
            model=lesson.name,
            d_model=own.d_model,
            n_heads=own.n_heads,
            d_head=own.d_head,
            per_layer=f"{own.per_layer:,}",
            per_head=f"{own.per_head:,}",
        )
    )
    left, right = st.columns(2, gap="large")
    with left:
        st.html(
            head_choices_table(
                head_choices(own.d_model),
                chosen=own.n_heads if own.fills else None,
                caption=f"{lesson.name}: every way to share {own.d_model} among heads",
            )
        )
        st.html(budget_table(own.matrices, caption=f"{lesson.name}: one attention layer of {own.n_layers}"))
        st.markdown(words["budget cost"])
    with right:
        st.markdown(
            words["paper"].format(
                d_model=paper.d_model, n_heads=paper.n_heads, d_head=paper.d_head, per_layer=f"{paper.per_layer:,}"
            )
        )
        st.html(
            budget_table(paper.matrices, caption=f"The paper's base model: one attention layer of {paper.n_layers}")
        )
        st.html(steps_table(steps, caption=f"The paper's layer on {len(lesson.run.trace.tokens)} tokens, step by step"))
    if chrome.shown("downloads"):
        both = [(lesson.name, own), ("transformer-base", paper)]
        rows = [(name, matrix) for name, budget in both for matrix in budget.matrices]
        downloads.csv_button(
            "budget",
            {
                "model": [name for name, _ in rows],
                "matrix": [matrix.name for _, matrix in rows],
                "rows": [matrix.shape[0] for _, matrix in rows],
                "columns": [matrix.shape[1] for _, matrix in rows],
                "weights": [matrix.n_weights for _, matrix in rows],
                "biases": [matrix.n_biases for _, matrix in rows],
            },
        )
