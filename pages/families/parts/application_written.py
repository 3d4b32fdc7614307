"""What the two applications that write have in common: each word as it was chosen, and the source that it read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from pages.families.parts import application_heads, typed_text
from pages.ui import chrome, downloads, runs
from viz_model.analysis.right_reading import HeadReading
from viz_model.figures.marked_text import marked_text
from viz_model.figures.theme import format_number
from viz_model.figures.word_drawings import marked_text_drawing
from viz_model.figures.word_table import written_table
from viz_model.written import Written, write


def read(
    model_name: str, key: str, name: str, clean: Callable[[str], str], *, large: bool
) -> tuple[typed_text.Typed, Written]:
    """Draws the field, and writes greedily for the text in it."""
    typed_text.field(key, name, large=large)
    model = runs.model(model_name)
    text = typed_text.last_good(key, name)
    typed = typed_text.read(model.tokenizer, text, limit(model_name), clean)
    return typed, write(model, typed.encoding)


def limit(model_name: str) -> int:
    """Tokens of the source that are read at once: never more than a picture can show."""
    found: int = min(runs.model(model_name).config.encoder.context_length, 256)
    return found


def source_text(typed: typed_text.Typed, weights: Sequence[float], model: str, caption: str) -> None:
    """The source with a weight behind each of its own words."""
    st.html(marked_text(typed.words, weights, caption=caption))
    if chrome.shown("downloads"):
        downloads.menu(
            f"read-{model}",
            {"word": typed.words, "weight": weights},
            downloads.Picture(lambda look: marked_text_drawing(typed.words, weights, theme=look), caption),
            caption=downloads.caption(model, typed.text, ()),
        )


def steps(
    typed: typed_text.Typed,
    written: Written,
    at: tuple[int, int],
    model: str,
    words: Mapping[str, str],
    copied: Sequence[tuple[int, int, float] | None] | None = None,
) -> None:
    """Every word written, its probability, and the source word that the head on show read most for it.

    copied: for each word the head (layer, head, weight) that read the same word most.
    """
    rows = written.cross[at[0], at[1]]
    most = [int(row.argmax()) for row in rows]
    sources = [typed.encoding.tokens[i] for i in most]
    weights = [float(row[i]) for row, i in zip(rows, most, strict=True)]
    told = None if copied is None else [one and (f"layer {one[0]}, head {one[1]}", one[2]) for one in copied]
    st.html(
        written_table(
            written.tokens,
            written.probabilities,
            sources,
            weights,
            told,
            caption=words["written caption"].format(model=model, layer=at[0], head=at[1]),
        )
    )
    if chrome.shown("downloads"):
        columns: dict[str, list[object]] = {
            "written": list(written.tokens),
            "probability": list(written.probabilities),
            "reads": list(sources),
            "weight": list(weights),
        }
        if told is not None:
            columns["same word, best head"] = [one[0] if one else "" for one in told]
            columns["weight on the same word"] = [one[1] if one else "" for one in told]
        downloads.csv_button(f"written-{model}", columns)


def attention_map(
    typed: typed_text.Typed, written: Written, at: tuple[int, int], model: str, link: HeadReading, step: int = 0
) -> None:
    """Cross-attention of all heads: the word about to be written down the side, the source along the top.

    step: the row that is chosen.
    """
    row = written.cross[at[0], at[1], step]
    application_heads.draw(
        [layer.numpy() for layer in written.cross],
        written.tokens,
        typed.encoding.tokens,
        at=at,
        cell=(step, int(row.argmax())),
        roles=link.weight,
        model=model,
        text=typed.text,
        title="Cross-attention",
    )


def ending(written: Written, words: Mapping[str, str]) -> None:
    if not written.ended:
        st.markdown(words["no end"].format(n=len(written.ids)))


def sureness(written: Written) -> str:
    """The least sure word and its probability."""
    at = min(range(len(written.ids)), key=lambda i: written.probabilities[i])
    return f"“{chrome.literal(written.tokens[at])}” ({format_number(written.probabilities[at])})"
