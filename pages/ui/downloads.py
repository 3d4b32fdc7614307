"""What can be taken away: the trace as NPZ, a picture's numbers as CSV. (Its other formats are in its own menu.)"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from pages.ui import runs
from viz_model.export import trace_npz


def caption(name: str, text: str, edits: tuple[str, ...]) -> str:
    """One line that travels with every export: model, text, edits."""
    return f"{name} · “{text[:120]}”" + (f" · edits {', '.join(edits)}" if edits else "")


def button(
    label: str,
    make: Callable[[], bytes | str],
    file: str,
    *,
    mime: str,
    key: str,
    about: str | None,
    ready: bool = True,
) -> None:
    """A file that is made when it is asked for.

    Never given as bytes: Streamlit's page asks at once for the address of such a file, and on a page that draws itself
    again many times a second the file has gone by then, which the browser reports as an error.
    """
    st.download_button(
        label,
        data=make,
        file_name=file,
        mime=mime,
        icon=":material/download:",
        help=about,
        on_click="ignore",
        disabled=not ready,
        key=key,
    )


def trace_button(name: str, run: runs.Run, edits: tuple[str, ...]) -> None:
    """The trace of the run as NPZ, made when it is asked for."""

    def make() -> bytes:
        return trace_npz(run.trace, model=name, text=run.reading.text, edits=edits)

    button(
        "Trace (NPZ)",
        make,
        f"trace-{name}.npz",
        mime="application/octet-stream",
        key="download_trace",
        about="Every tensor of this run, with the tokens, model, seed, text and edits as JSON under 'labels'.",
    )


def csv_button(name: str, columns: Mapping[str, Sequence[object]], *, label: str = "CSV") -> None:
    """The numbers of a picture as CSV, full values, columns of equal length; `name` names the file and the button."""

    def make() -> str:
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(columns)
        rows.writerows(zip(*columns.values(), strict=True))
        return text.getvalue()

    button(
        label, make, f"{name}.csv", mime="text/csv", key=f"csv_{name}", about="The numbers of this picture, in full."
    )


def svg_button(name: str, svg: str, *, key: str, about: str | None = None) -> None:
    """A picture of our own as SVG; `name` names the file."""
    button("SVG", lambda: svg, f"{name}.svg", mime="image/svg+xml", key=key, about=about)
