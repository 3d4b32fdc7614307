"""The causal mask left out of training: the loss falls sooner, and nothing is learned that is of use."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from pages.learn.parts.encoder_decoder_choice import Words
from pages.ui import chrome, downloads, theme
from viz_model.figures import attention_heatmap, matrix_table
from viz_model.figures.comparison_tables import curves_table
from viz_model.figures.curves import curve
from viz_model.figures.theme import Theme, format_number
from viz_model.figures.translation_tables import components_table
from viz_model.training.cheating import Cheating, MaskRun
from viz_model.training.studies import kept

NAMES = {True: "with the mask", False: "without the mask"}


def show(words: Words) -> None:
    """Both losses, both maps, and how each does at use."""
    found = measured()
    runs = {run.causal: run for run in found.runs}
    right, cheat = runs[True], runs[False]
    st.markdown(words["cheating"].format(seed=found.seeds[0].seed, n=len(right.loss)))
    curves = {NAMES[run.causal]: (list(range(1, len(run.loss) + 1)), run.loss) for run in found.runs}

    def draw(look: Theme) -> Any:
        names = {"x_title": "training step", "y_title": "loss (nats a token)", "title": "Training loss"}
        return curve(curves, **names, log_y=True, theme=look)

    st.altair_chart(draw(theme.current()), key="cheating_curves", theme=None)
    st.html(components_table([NAMES[True], NAMES[False]], _rows(right, cheat, found), caption="After training"))
    st.markdown(
        words["cheating measured"].format(
            cheat_loss=format_number(cheat.held_out_loss),
            right_loss=format_number(right.held_out_loss),
            cheat_whole=round(cheat.whole * found.n_held_out),
            right_whole=round(right.whole * found.n_held_out),
            n=found.n_held_out,
            masked=format_number(cheat.masked_loss),
            writes=chrome.literal(cheat.writes),
        )
    )
    st.markdown(_seeds(found, words))
    left, middle = st.columns(2, gap="large")
    maps = {run: partial(_map, run) for run in (right, cheat)}
    for column, run in ((left, right), (middle, cheat)):
        with column:
            st.plotly_chart(
                maps[run](theme.current()),
                key=f"cheating_map_{run.causal}",
                theme=None,
                config={"displayModeBar": False},
            )
    st.markdown(
        words["cheating maps"].format(on_next=format_number(cheat.on_next), head=cheat.head, right_next=right.on_next)
    )
    st.markdown(
        words["cheating bundled"].format(
            on=format_number(found.bundled_loss), off=format_number(found.bundled_unmasked_loss)
        )
    )
    with st.container(horizontal=True, key="under_cheating"):
        if st.button("As a table", key="cheating_table", icon=":material/table:", help="The curves and both maps."):
            _dialog()
        if chrome.shown("downloads"):
            downloads.menu(
                "cheating",
                {
                    "step": list(range(1, len(right.loss) + 1)),
                    "loss with the mask": right.loss,
                    "loss without the mask": cheat.loss,
                },
                downloads.Picture(draw, "Training loss"),
                *(downloads.Picture(maps[run], f"Map, trained {NAMES[run.causal]}") for run in (right, cheat)),
                caption=f"Seed {found.seeds[0].seed}, with the causal mask in training and without it",
            )


@st.cache_resource(max_entries=1, show_spinner=False)
def measured() -> Cheating:
    return Cheating.from_json(kept("cheating"))


def _rows(right: MaskRun, cheat: MaskRun, found: Cheating) -> list[tuple[str, list[str]]]:
    both = (right, cheat)
    return [
        ("held-out loss, mask as in training (nats)", [format_number(run.held_out_loss) for run in both]),
        ("next words right, mask as in training", [format_number(run.forced_tokens) for run in both]),
        ("held-out loss, causal mask (nats)", [format_number(run.masked_loss) for run in both]),
        (
            f"whole sentences right at use, of {found.n_held_out}",
            [str(round(run.whole * found.n_held_out)) for run in both],
        ),
        ("writes for “the black cat sees the old horse”", [run.writes for run in both]),
    ]


def _seeds(found: Cheating, words: Words) -> str:
    """The same with every seed: from the lowest number to the highest."""

    def spread(values: list[float], written: Callable[[float], str] = format_number) -> str:
        low, high = (written(value) for value in (min(values), max(values)))
        return low if low == high else f"{low} to {high}"

    numbers = {}
    for i, name in enumerate(("cheat", "right")):
        numbers[f"{name}_loss"] = spread([one.held_out_loss[i] for one in found.seeds])
        whole = [one.whole[i] * found.n_held_out for one in found.seeds]
        numbers[f"{name}_whole"] = spread(whole, lambda count: f"{count:.0f}")
    return words["cheating seeds"].format(seeds=len(found.seeds), n=found.n_held_out, **numbers)


def _map(run: MaskRun, look: Theme) -> Any:
    n = len(run.tokens)
    mask = [[not run.causal or j <= i for j in range(n)] for i in range(n)]
    title = f"Trained {NAMES[run.causal]}: head {run.head}"
    return attention_heatmap(run.attention, run.tokens, run.tokens, mask=mask, title=title, theme=look)


@st.dialog("Without the mask", width="large")
def _dialog() -> None:
    found = measured()
    curves = {NAMES[run.causal]: (list(range(1, len(run.loss) + 1)), run.loss) for run in found.runs}
    st.html(curves_table(curves, x_title="step", caption="Training loss, nats a token"))
    for run in found.runs:
        caption = f"Decoder's self-attention, trained {NAMES[run.causal]}, head {run.head}"
        st.html(matrix_table(run.attention, run.tokens, run.tokens, caption=caption))
