"""What every page has around its picture: title and idea, notes, experiments, a question, link and downloads."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from pages.ui import link_locks, session
from viz_model.figures import page_style

ASSETS = Path(__file__).parents[2] / "assets"
_LINK = ASSETS / "copy_link"
_copy_link = st.components.v2.component(
    "copy_link",
    html='<div class="copy-link"><button type="button">Copy link</button>'
    '<input hidden readonly aria-label="Link to this page"><span role="status"></span></div>',
    css=(_LINK / "copy_link.css").read_text(encoding="utf-8"),
    js=(_LINK / "copy_link.js").read_text(encoding="utf-8"),
)

_DRESS = """<style>
.block-container, [data-testid="stMainBlockContainer"] { padding: 4.25rem 2.5rem 4rem; }
[data-testid="stMarkdownContainer"] p { max-width: 70ch; }
h1 { font-size: 2rem !important; padding: 0 !important; }
h3 { font-size: 1.35rem !important; }
.stMarkdown, .stHtml { font-variant-numeric: tabular-nums; }
[data-testid="stColumn"]:has(.st-key-inspector) { min-width: 14rem; }
.st-key-inspector table { max-width: 30rem; }
[data-testid="stColumn"]:has(.st-key-block_column) { min-width: min(21rem, 100%); }
.glass-strip ol { grid-template-columns: repeat(4, minmax(0, 1fr)) !important; }
.katex-display { overflow-x: auto; overflow-y: hidden; padding: 2px 4px; }
.st-key-theme_watch { position: absolute; }
/* Where Streamlit draws no focus of its own. */
[data-testid="stSidebarNavLink"]:focus-visible, [data-testid="stMainMenuButton"]:focus-visible,
label:has(input:focus-visible) { outline: 2px solid var(--glass-accent); outline-offset: 2px; }
[data-testid="stMain"]:focus-visible { outline: 2px solid var(--glass-accent); outline-offset: -2px; }
.st-key-scale_widths [data-testid="stColumn"] { min-width: min(18rem, 100%); }
/* A sentence needs a line of its own before it is cut. */
@media (max-width: 1200px) {
  .st-key-text, :is(.st-key-sentence_row, .st-key-lesson_row) > :has(.st-key-text) { flex: 1 1 100% !important; }
  .st-key-step button { min-width: 0; padding: 0 0.55rem; }
  [data-testid="stColumn"]:has(.glass-table):not(:has(.st-key-inspector)) { min-width: min(26rem, 100%); }
  [data-testid="stHorizontalBlock"]:has(> [data-testid="stColumn"] .glass-table)
    > [data-testid="stColumn"]:not(:has(.glass-table)) { min-width: min(15rem, 100%); }
  [data-testid="stColumn"]:has(.st-key-atlas_pane, .st-key-map_pane) { min-width: min(34rem, 100%); }
}
@media (max-width: 640px) {
  .block-container, [data-testid="stMainBlockContainer"] { padding-left: 1rem; padding-right: 1rem; }
  h1 { font-size: 1.6rem !important; }
  .katex-display { font-size: 0.9em; }
  .st-key-d_k_row > :is(.st-key-d_k, :has(.st-key-d_k)) { flex: 1 1 100% !important; }
  .st-key-walk > .st-key-step, .st-key-walk > :has(.st-key-step) { order: 3; flex-basis: 100%; }
  .st-key-step button { flex: 1; min-width: 0; padding: 0 2px; }
  .glass-strip ol { grid-template-columns: repeat(2, minmax(0, 1fr)) !important; }
  .glass-table .bar { width: 2rem !important; }
}
@media (prefers-reduced-motion: reduce) { * { transition: none !important; animation: none !important; } }
</style>"""
_PRESENT = """<style>
html { font-size: 20px; }
[data-testid="stSidebar"], [data-testid="stHeader"] { display: none; }
</style>"""


def dress(*, present: bool) -> None:
    """The few rules of layout that Streamlit's theme cannot say; `present`: large type for a projector."""
    st.html(page_style() + _DRESS + (_PRESENT if present else ""))


@cache
def prose(page: str) -> Mapping[str, str]:
    """A page's words by name: the sections (## name) of assets/prose/<page>.md."""
    text = (ASSETS / "prose" / f"{page}.md").read_text(encoding="utf-8")
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return {name.strip(): body.strip() for name, body in zip(parts[1::2], parts[2::2], strict=True)}


def head(title: str, idea: str) -> None:
    """The page's title and its idea, with the link to it."""
    with st.container(horizontal=True, vertical_alignment="center", key="page_head"):
        st.title(title, anchor=False)
        if shown("link"):
            _copy_link(key="copy_link", width="content")
    if shown("idea"):
        st.markdown(idea)


def notes() -> None:
    """The plain sentences that wait to be said, each once.

    In a container of their own: a note that comes or goes must not move what is below to another place of the page's
    tree, where the browser would build the picture anew.
    """
    with st.container(key="notes"):
        for sentence in session.take_notes():
            st.info(literal(sentence), icon=":material/info:")


def sentence(why: str) -> None:
    """The field for the text that every page looks at; the pictures follow the typing."""
    st.text_input(
        "Sentence",
        key="text",
        live="200ms",
        placeholder="Type a sentence",
        help=why,
        disabled=locked("text"),
        width="stretch",
    )


def literal(text: str) -> str:
    """Text for st.info and its like, with nothing in it read as markdown."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|~<>$:&])", r"\\\1", text)


def experiments(tries: Sequence[tuple[str, str, Mapping[str, Any]]]) -> None:
    """'Try this': buttons (label, why, what they set) that set the page's controls."""
    if not shown("experiments"):
        return
    st.subheader("Try this", anchor=False)
    with st.container(horizontal=True):
        for i, (label, why, values) in enumerate(tries):
            st.button(
                label,
                key=f"try_{i}",
                help=why,
                on_click=session.put,
                kwargs=dict(values),
                disabled=locked("experiments")
                or any(locked(link_locks.LOCKED_WITH.get(name, name)) for name in values),
            )


def question(ask: str, choices: Sequence[str], answer: Callable[[], tuple[str, str]], *, key: str) -> None:
    """'Predict first': the answer is computed from the live picture when the person has chosen.

    answer: gives the right choice and one sentence with the numbers that show it.
    """
    if not shown("question"):
        return
    st.subheader("Predict first", anchor=False)
    chosen = st.radio(ask, choices, index=None, key=key, horizontal=True, disabled=locked("question"))
    if chosen is not None:
        right, why = answer()
        st.markdown(f"**{'Yes.' if chosen == right else f'No: {literal(right)}.'}** {why}")


def shown(control: str) -> bool:
    """Whether a named part (link_locks.HIDEABLE) is drawn: a teacher's link hides it with hide=name."""
    return control not in st.session_state["hide"]


def locked(control: str) -> bool:
    """Whether a named control (link_locks.LOCKABLE) is fixed: a teacher's link locks it with lock=name."""
    return control in st.session_state["lock"]
