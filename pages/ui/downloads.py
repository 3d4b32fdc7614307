"""What can be taken away: the whole trace as NPZ. (The picture's own formats are in its menu.)"""

from __future__ import annotations

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
