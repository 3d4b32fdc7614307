"""Being ready before the visitor is, and staying quick after."""

from __future__ import annotations

import gc
import threading

import streamlit as st


@st.cache_resource
def begin() -> threading.Thread:
    """Imports what the pictures need in the background, once a server, while the first page draws its inputs."""
    thread = threading.Thread(target=_import, daemon=True)
    thread.start()
    return thread


@st.cache_resource
def settle() -> None:
    """Collects once and freezes what is loaded, after the first whole run.

    Streamlit collects all garbage after every run; with torch and pandas loaded that walks 270,000 objects that
    never die, more than 100 ms under the interpreter's lock. Frozen, they are not walked again.
    """
    gc.collect()
    gc.freeze()


def _import() -> None:
    from pages.ui import runs

    runs.run("english-causal", "The cat sat on the mat")
