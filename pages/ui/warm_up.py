"""Being ready before the visitor is, and staying quick after."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any

import streamlit as st


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[dict[str, Any]]:
    """At the server's start, beside it: imports what the pictures need, so that the first visitor does not wait.

    And starts the processes that train, which end with the server.
    """
    threading.Thread(target=_import, daemon=True).start()
    yield {}
    training = sys.modules.get("pages.ui.training")
    if training is not None:
        training.runner().close()


@st.cache_resource
def settle() -> None:
    """Collects once and freezes what is loaded, after the first whole run.

    Streamlit collects all garbage after every run; with torch and pandas loaded that walks 270,000 objects that
    never die, more than 100 ms under the interpreter's lock. Frozen, they are not walked again.
    """
    gc.collect()
    gc.freeze()


def _import() -> None:
    from viz_model.checkpoint import load
    from viz_model.inference import run

    run(load("english-causal"), "The cat sat on the mat")
    import_module("viz_model.figures.marked_curves")  # Altair alone takes half a second
    from pages.ui.training import runner

    runner().warm()
