"""The causal mask left out of training: the loss falls sooner, and nothing is learned that is of use."""

from __future__ import annotations

import streamlit as st

from pages.learn.parts.encoder_decoder_choice import Words
from pages.ui import chrome, downloads, theme
from viz_model.figures import attention_heatmap, matrix_table
from viz_model.figures.comparison_tables import curves_table
from viz_model.figures.curves import curve
from viz_model.figures.theme import format_number
from viz_model.figures.translation_tables import components_table
from viz_model.training.cheating import Cheating, MaskRun
from viz_model.training.studies import kept

NAMES = {True: "with the mask", False: "without the mask"}


def show(words: Words) -> None:
    """Both losses, both maps, and how each does at use."""
    found = measured()
    runs = {run.causal: run for run in found.runs}
    right, cheat = runs[True], runs[False]
    st.markdown(words["cheating"].format(seed=found.seed, n=len(right.loss)))
    curves = {NAMES[run.causal]: (list(range(1, len(run.loss) + 1)), run.loss) for run in found.runs}
    st.altair_chart(
        curve(
            curves,
            x_title="training step",
            y_title="loss (nats a token)",
            title="Training loss",
            log_y=True,
            theme=theme.current(),
        ),
        key="cheating_curves",
        theme=None,
    )
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
    left, middle = st.columns(2, gap="large")
    for column, run in ((left, right), (middle, cheat)):
        with column:
            _map(run)
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
            downloads.csv_button(
                "cheating",
                {
                    "step": list(range(1, len(right.loss) + 1)),
                    "loss with the mask": right.loss,
                    "loss without the mask": cheat.loss,
                },
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


def _map(run: MaskRun) -> None:
    n = len(run.tokens)
    mask = [[not run.causal or j <= i for j in range(n)] for i in range(n)]
    figure = attention_heatmap(
        run.attention,
        run.tokens,
        run.tokens,
        mask=mask,
        title=f"Trained {NAMES[run.causal]}: head {run.head}",
        theme=theme.current(),
    )
    st.plotly_chart(figure, key=f"cheating_map_{run.causal}", theme=None)


@st.dialog("Without the mask", width="large")
def _dialog() -> None:
    found = measured()
    curves = {NAMES[run.causal]: (list(range(1, len(run.loss) + 1)), run.loss) for run in found.runs}
    st.html(curves_table(curves, x_title="step", caption="Training loss, nats a token"))
    for run in found.runs:
        caption = f"Decoder's self-attention, trained {NAMES[run.causal]}, head {run.head}"
        st.html(matrix_table(run.attention, run.tokens, run.tokens, caption=caption))
