"""Two heads with one name and two prices: what the lesson asks, and what it shows of them."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from pages.learn.parts.heads_choice import Lesson, called
from pages.learn.parts.heads_tables import atlas, measured, recorded
from viz_model.analysis.ablation_table import AblationTable
from viz_model.analysis.atlas import AtlasHead
from viz_model.figures.theme import format_number

ROLE, ITS_MODEL = "subject-verb (due)", "english-causal"  # two heads have this name
MATTERS = 0.1  # of the agreement: beyond it the page says that the model needs the head
CHOICES_KEY = f"predict_heads_{ITS_MODEL}"


def choices() -> list[str]:
    return [called(one.layer, one.head) for one in _pair()]


def ask(words: Mapping[str, str]) -> str:
    """Both heads with what they read of the subject."""
    first, second = _pair()
    return words["question"].format(
        model=ITS_MODEL, **_said(first, "first"), **_said(second, "second"), chance=format_number(first.chance)
    )


def which_is_needed(lesson: Lesson, words: Mapping[str, str]) -> tuple[str, str]:
    """The one of the two whose loss costs more agreement, from the table that is on show."""
    live = lesson.name == ITS_MODEL and st.session_state["measured_now"]
    table = measured(ITS_MODEL)[0] if live else recorded(ITS_MODEL)
    first, second = sorted(_pair(), key=lambda one: _agreement(table, one))
    return called(first.layer, first.head), words["answer"].format(
        **_said(first, "first", table),
        **_said(second, "second", table),
        whole=format_number(table.whole.agreement or 0.0),
        n=f"{table.n_choices:,}",
    )


def _pair() -> tuple[AtlasHead, AtlasHead]:
    first, second = atlas(ITS_MODEL).named(ROLE)[:2]
    return first, second


def _agreement(table: AblationTable, head: AtlasHead) -> float:
    return table.of("without", head.layer, head.head).agreement or 0.0


def _said(head: AtlasHead, name: str, table: AblationTable | None = None) -> dict[str, str]:
    said = {name: called(head.layer, head.head), f"{name}_weight": format_number(head.score)}
    said[name.capitalize()] = said[name].capitalize()
    if table is not None:
        said[f"{name}_agreement"] = format_number(_agreement(table, head))
    return said


def in_vain(table: AblationTable, words: Mapping[str, str]) -> str:
    """Two heads with one name and two prices."""
    first, second = sorted(_pair(), key=lambda one: _agreement(table, one))
    if _agreement(table, second) - _agreement(table, first) < MATTERS:
        return words["pair alike"]
    return words["pair"].format(**_said(first, "first", table), **_said(second, "second", table), role=ROLE)
