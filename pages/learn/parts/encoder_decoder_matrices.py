"""The three attentions of an encoder-decoder as maps: across, the decoder's own, the encoder's own."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.learn.parts.encoder_decoder_choice import Lesson, Words, measured
from pages.ui import chrome, downloads, link_table, pictures, session
from viz_model.analysis.translation import MODEL
from viz_model.figures import attention_view, matrix_table

KINDS = {"cross": "Cross-attention", "decoder": "Decoder's own", "encoder": "Encoder's own"}


def show(lesson: Lesson, words: Words, layer: int, head: int) -> None:
    """The choice of attention, all its heads, and the one on show; `layer` and `head` are cross-attention's."""
    found, state = lesson.writing, st.session_state
    st.segmented_control(
        "Attention",
        link_table.TRANSLATION_KINDS,
        key="translation_kind",
        format_func=KINDS.__getitem__,
        required=True,
        disabled=chrome.locked("panel"),
    )
    kind = state["translation_kind"]
    st.markdown(words[f"matrix {kind}"])
    if kind != "cross":
        layer, head = (0, 0) if state["best_head"] else (state["translation_layer"], state["translation_head"])
    n = lesson.step + 1 if state["by_word"] and kind != "encoder" else None
    weights, mask, queries, keys = _matrix(lesson, kind, n)
    mass = measured().weight
    roles = [[f"on the word {share:.3f}" for share in row] for row in mass] if kind == "cross" else None
    payload = attention_view.pack(
        weights,
        queries,
        keys,
        mask=mask,
        layer=layer,
        head=head,
        query=min(lesson.step, len(queries) - 1),
        view=state["view"],
        share=state["share"],
        roles=roles,
        model=MODEL,
        caption=downloads.caption(MODEL, f"{lesson.text} → {' '.join(found.french)}", ()),
        title=KINDS[kind],
        height=380,
    )
    pictures.attention("translation_attention", payload, _choose)
    with st.container(horizontal=True, key="under_matrix"):
        st.button(
            "Back to the best head",
            key="to_best",
            icon=":material/my_location:",
            on_click=session.put,
            kwargs={"best_head": True, "translation_kind": "cross"},
            disabled=state["best_head"] or chrome.locked("head") or chrome.locked("panel"),
        )
        if st.button(
            "As a table", key="matrix_table", icon=":material/table:", help="The numbers of the head on show."
        ):
            _matrix_dialog(lesson, kind, n, layer, head)
        if chrome.shown("downloads"):
            downloads.csv_button(
                f"{kind}_attention",
                {"query": list(queries)}
                | {f"{j}: {key}": weights[layer][head][:, j].tolist() for j, key in enumerate(keys or queries)},
            )


def _matrix(lesson: Lesson, kind: str, n: int | None) -> tuple[list[Any], Any, tuple[str, ...], tuple[str, ...] | None]:
    """Weights a layer [head, query, key], mask, and the tokens of both sides; the decoder's first n rows."""
    found = lesson.writing
    if kind == "encoder":
        blocks = found.trace.encoder.blocks
        return (
            [b.attention.weights[0].numpy() for b in blocks],
            blocks[0].attention.mask[0, 0].numpy(),
            found.source,
            None,
        )
    steps = found.trace.decoder.blocks
    if kind == "decoder":
        own = [block.attention.weights[0, :, :n, :n].numpy() for block in steps]
        return own, steps[0].attention.mask[0, 0, :n, :n].numpy(), found.read[:n], None
    across = [block.cross_attention.weights[0, :, :n].numpy() for block in steps]
    names = tuple(f"{read} → {written}" for read, written in zip(found.read, found.written, strict=True))
    return across, None, names[:n], found.source


@st.dialog("The numbers of the picture", width="large")
def _matrix_dialog(lesson: Lesson, kind: str, n: int | None, layer: int, head: int) -> None:
    weights, mask, queries, keys = _matrix(lesson, kind, n)
    caption = f"{KINDS[kind]}: weights of layer {layer}, head {head}"
    st.html(matrix_table(weights[layer][head], queries, keys or queries, mask=mask, caption=caption))


def _choose(selection: dict[str, Any]) -> None:
    """A head or a row that was clicked: the head stays from now on, the row is the word that the talk is of."""
    if chrome.locked("head") or chrome.locked("layer"):
        return
    session.put(best_head=False, translation_layer=int(selection["layer"]), translation_head=int(selection["head"]))
    if st.session_state["translation_kind"] == "cross" and selection.get("query") is not None:
        session.put(written_to=int(selection["query"]) + 1)
