"""One's own text: where it comes from, what is asked of it, how it is cut into tokens."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.ui import chrome, link_table
from viz_model.tasks.own_text import OBJECTIVES, OwnText, python_source, python_topics, usual_vocabulary

SOURCES = {"topics": "Python's topics", "source": "Python's code", "yours": "Yours"}
ASKED = {
    "causal": "the next token",
    "masked": "hidden tokens (BERT)",
    "prefix": "after a prefix",
    "denoising": "lost spans (T5)",
}
CUT = {
    "character": "characters",
    "byte-bpe": "byte-pair (BPE)",
    "wordpiece": "WordPiece",
    "unigram": "Unigram",
    "word": "words",
}


def controls() -> None:
    off = chrome.locked("task")
    with st.container(horizontal=True, vertical_alignment="bottom", key="own_text_row"):
        st.segmented_control(
            "Text",
            link_table.SOURCES,
            key="source",
            format_func=SOURCES.get,
            help="Python's own documentation (English), its library's source (code), or what you bring.",
            required=True,
            disabled=off,
        )
        st.selectbox(
            "Asked for",
            link_table.OBJECTIVES,
            key="objective",
            format_func=ASKED.get,
            help="What the model learns to tell: four ways to make questions of a text.",
            disabled=off,
            width=220,
        )
        st.selectbox(
            "Tokens",
            link_table.TOKENIZERS,
            key="tokenizer",
            format_func=CUT.get,
            help="The tokenizer learns its vocabulary from the same text, when you press Start.",
            disabled=off,
            width=190,
        )
    if st.session_state["source"] == "yours":
        _yours(off)


def about() -> str:
    return OBJECTIVES[st.session_state["objective"]].about


def chosen() -> OwnText:
    """The text and how it is asked. Raises ValueError where there is no text yet."""
    state = st.session_state
    source = state["source"]
    text = _typed() if source == "yours" else _ready(source)
    return OwnText(text, state["objective"], state["tokenizer"], usual_vocabulary(text, state["tokenizer"]))


def why_not(error: ValueError, own: OwnText | None) -> str:
    """What is wrong with the text, as a sentence; and what helps where it is a script without spaces."""
    if own is not None and own.tokenizer in ("word", "wordpiece") and len(own.text) > 50 * (1 + len(own.text.split())):
        return f"{error} Its words are not set apart by spaces: cut it by characters, BPE or Unigram."
    return str(error)


def _yours(off: bool) -> None:
    state = st.session_state
    state.setdefault("typed_text", state.get("kept_text", ""))
    left, right = st.columns([3, 2])
    left.text_area(
        "Paste a text", key="typed_text", height=140, placeholder="Any language, at least some pages", disabled=off
    )
    state["kept_text"] = state["typed_text"]
    file = right.file_uploader("Or a text file (UTF-8, at most 2 MB)", key="own_file", max_upload_size=2, disabled=off)
    if file is not None:
        state["kept_file"] = (file.name, file.getvalue())
    elif "own_file" in state:
        state.pop("kept_file", None)
    right.caption("What you bring stays in this server's memory, and is gone when you close the page.")


def _typed() -> Any:
    """What was pasted or uploaded, checked: `read_text` says what is wrong with it."""
    from viz_model.tasks.text_sources import read_text

    state = st.session_state
    if state.get("kept_file"):
        return read_text(state["kept_file"][1])
    return read_text(state.get("kept_text", ""))


@st.cache_resource(max_entries=2, show_spinner=False)
def _ready(source: str) -> str:
    return python_topics() if source == "topics" else python_source()
