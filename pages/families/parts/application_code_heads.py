"""Brackets, line ends and indentation as each head reads them: measured on held-out files, and in the code on show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from pages.families.parts import application_heads
from pages.ui import chrome, session
from viz_model.analysis.code_heads import CodeHeads, CodeLink
from viz_model.analysis.code_reading import Aims, aim_weight, aims_in, all_weights
from viz_model.figures.theme import format_number, visible_token
from viz_model.training.studies import kept

HALF = 0.5  # of the pairs with others in between: a head that finds fewer does not match pairs
NAMES = {"bracket": "Brackets", "line end": "Line ends", "indentation": "Indentation"}


@st.cache_resource(max_entries=1, show_spinner=False)
def measured() -> CodeHeads:
    """What was measured on held-out files."""
    return CodeHeads.from_json(kept("code-heads"))


def draw(trace: Any, tokens: Sequence[str], *, model: str, text: str, words: Mapping[str, str]) -> None:
    """The three kinds in words, a button for the head of each, and all heads on this text; tokens: its characters."""
    found, aims, weights = measured(), aims_in(tokens), all_weights(trace)
    n_layers, n_heads = weights.shape[:2]
    links = [one for one in found.links if one.layer < n_layers and one.head < n_heads]
    if not links:
        raise ValueError(f"code-heads: expected the heads of a model of {n_layers} × {n_heads}, got those of another.")
    verdict = words["code pairs" if found.nested >= HALF else "code near"]
    st.subheader("Brackets and indentation", anchor=False)
    for one in links:
        st.markdown(words[f"code {one.link}"].format(verdict=verdict, **_numbers(found, one)))
    st.markdown(words["code here"].format(here=_here(links, weights, aims)))
    usual = next((one for one in links if aims[one.link]), links[0])
    at = application_heads.head_on_show((usual.layer, usual.head))
    shown = next((one for one in links if (one.layer, one.head) == at), usual)
    with st.container(horizontal=True, key="code_heads"):
        for one in links:
            st.button(
                f"{NAMES[one.link]}: layer {one.layer}, head {one.head}",
                key=f"code_{one.link.replace(' ', '_')}",
                help="Shows the head that reads them best.",
                on_click=session.put,
                kwargs={"app_layer": one.layer, "app_head": one.head},
                disabled=chrome.locked("layer") or chrome.locked("head") or (one.layer, one.head) == at,
            )
    st.markdown(words["code map"].format(kind=NAMES[shown.link].lower()))
    query, keys = aims[shown.link][-1] if aims[shown.link] else (len(tokens) - 1, (len(tokens) - 1,))
    row = weights[at[0], at[1], query]
    application_heads.draw(
        [layer.numpy() for layer in weights],
        [visible_token(token) if token else "[BOS]" for token in tokens],
        None,
        at=at,
        cell=(query, max(keys, key=lambda key: float(row[key]))),
        mask=trace.blocks[0].attention.mask[0, 0].numpy(),
        roles=shown.weights,
        model=model,
        text=text,
    )


def _numbers(found: CodeHeads, one: CodeLink) -> dict[str, Any]:
    near, *_, far = found.by_distance
    shares = {
        "exact": one.exact,
        "chance": one.chance,
        "fixed": one.fixed,
        "nearest": found.nearest,
        "nested": found.nested,
        "near": near.exact,
        "far": far.exact,
    }
    return {
        **{name: f"{format_number(100 * share)} %" for name, share in shares.items()},
        "n": f"{one.n:,}",
        "files": found.files,
        "layer": one.layer,
        "head": one.head,
        "weight": format_number(one.weight),
        "distance": f"{one.distance} character{'s' if one.distance > 1 else ''}",
        "n_nested": found.n_nested,
        "near_end": near.high,
        "far_start": far.low,
    }


def _here(links: Sequence[CodeLink], weights: Any, aims: Mapping[str, Aims]) -> str:
    """The mean weight of each kind's head on the right places of this text."""
    parts = []
    for one in links:
        found = aim_weight(weights, aims[one.link])
        name = NAMES[one.link].lower()
        if found is None:
            parts.append(f"{name}: none")
        else:
            share = format_number(float(found[one.layer, one.head]))
            parts.append(f"{name} **{share}** (places that have one: {len(aims[one.link])})")
    return "; ".join(parts)
