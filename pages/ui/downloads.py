"""What can be taken away: the trace as NPZ, a picture's numbers as CSV. (Its other formats are in its own menu.)"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

import streamlit as st

from pages.ui import runs
from viz_model.export import trace_npz


def caption(name: str, text: str, edits: tuple[str, ...]) -> str:
    """One line that travels with every export: model, text, edits."""
    return f"{name} · “{text[:120]}”" + (f" · edits {', '.join(edits)}" if edits else "")


def trace_button(name: str, run: runs.Run, edits: tuple[str, ...]) -> None:
    """The trace of the run as NPZ, made when it is asked for."""

    def make() -> bytes:
        return trace_npz(run.trace, model=name, text=run.reading.text, edits=edits)

    st.download_button(
        "Trace (NPZ)",
        data=make,
        file_name=f"trace-{name}.npz",
        mime="application/octet-stream",
        icon=":material/download:",
        help="Every tensor of this run, with the tokens, model, seed, text and edits as JSON under 'labels'.",
        on_click="ignore",
        key="download_trace",
    )


def csv_button(name: str, columns: Mapping[str, Sequence[object]], *, label: str = "CSV") -> None:
    """The numbers of a picture as CSV, full values, columns of equal length; `name` names the file and the button."""

    def make() -> str:
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(columns)
        rows.writerows(zip(*columns.values(), strict=True))
        return text.getvalue()

    st.download_button(
        label,
        data=make,
        file_name=f"{name}.csv",
        mime="text/csv",
        icon=":material/download:",
        help="The numbers of this picture, in full.",
        on_click="ignore",
        key=f"csv_{name}",
    )


def svg_button(name: str, svg: str, *, key: str, about: str | None = None) -> None:
    """A picture of our own as SVG; `name` names the file."""
    st.download_button(
        "SVG",
        svg,
        file_name=f"{name}.svg",
        mime="image/svg+xml",
        icon=":material/download:",
        on_click="ignore",
        key=key,
        help=about,
    )
