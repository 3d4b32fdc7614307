"""Code completion: a line is written on, one character at a time; which heads read brackets and indentation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from pages.families.parts import application_code_heads, typed_text
from pages.ui import chrome, downloads, runs, session
from viz_model.analysis.code_reading import characters_of
from viz_model.checkpoint import read_card
from viz_model.figures.code_text import code_text
from viz_model.figures.theme import format_number
from viz_model.figures.word_table import choices_table
from viz_model.generation import GenerationStep
from viz_model.tasks.code import plain_text
from viz_model.written import write_on

MODEL = "code"
LIVE = Path(__file__).parents[2] / "train" / "live.py"
MOST = 40  # characters written
N_CHOICES = 5
EXPERIMENTS = [
    ("A loop begins", "After “for i in” comes a name, and most often which?", {"code_text": "    for i in "}),
    (
        "A bracket to close",
        "Two brackets are open: which is closed first?",
        {"code_text": "items = [len(x) for x in (a, b"},
    ),
    ("After the colon", "The line ends; the next one has to be indented.", {"code_text": "if not name:\n"}),
]
ROWS, HEIGHT = 12, 480  # characters whose choices stand open, and pixels of a longer list, which scrolls
CHOICES = ["more than one half", "one half or less"]


@dataclass(frozen=True, slots=True, eq=False)
class OnShow:
    """Code as the model read it, and what it wrote on."""

    typed: typed_text.Typed
    steps: tuple[GenerationStep, ...]
    characters: tuple[str, ...]  # written
    key: str

    def draw(self, words: Mapping[str, str]) -> None:
        said = "".join(character for character in self.characters if character != "\n")
        st.html(code_text(self.typed.text, said, caption=words["code told apart"]))
        st.markdown(
            words["code written"].format(
                n=len(self.characters),
                end="to the end of the line" if self.steps[-1].reason == "stop" else "and was stopped there",
            )
        )
        st.markdown(_bits(words))
        st.subheader("The choices at each character", anchor=False)
        st.markdown(words["code choices"])
        tokenizer = runs.model(MODEL).tokenizer
        choices = [
            [
                (characters_of(tokenizer, [one.id])[0] or tokenizer.token(one.id), one.probability)
                for one in step.distribution.candidates(N_CHOICES)
            ]
            for step in self.steps
        ]
        with st.container(height=HEIGHT if len(self.characters) > ROWS else "content", border=False, key="choices"):
            st.html(choices_table(self.characters, choices, caption=words["code caption"].format(model=MODEL)))
        if chrome.shown("downloads"):
            downloads.csv_button(
                "choices",
                {
                    "written": list(self.characters),
                    **{f"choice {i}": [row[i][0] for row in choices] for i in range(N_CHOICES)},
                    **{f"probability {i}": [row[i][1] for row in choices] for i in range(N_CHOICES)},
                },
            )
        trace: Any = self.steps[-1].trace
        tokens = characters_of(tokenizer, trace.ids[0].tolist())
        application_code_heads.draw(trace, tokens, model=MODEL, text=self.typed.text, words=words)
        st.button(
            "Train one on other text",
            key="train_other",
            icon=":material/model_training:",
            help="Opens Live training with your own text, one character at a time.",
            on_click=_train_other,
            disabled=chrome.locked("task"),
        )
        if st.session_state.pop("go_to_training", False):
            st.switch_page(LIVE)

    def limits(self) -> str:
        n = runs.model(MODEL).config.context_length
        return f"It reads the last {n - MOST} characters of what you type, and no more than {n} with what it writes."

    def ask(self, words: Mapping[str, str]) -> str:
        return words["code question"]

    def choices(self) -> list[str]:
        return CHOICES

    def answer(self, words: Mapping[str, str]) -> tuple[str, str]:
        sure = [float(step.distribution.probabilities[step.chosen]) for step in self.steps]
        most = sum(share > 0.9 for share in sure)
        return CHOICES[2 * most <= len(sure)], words["code answer"].format(most=most, n=len(sure))


def read(words: Mapping[str, str]) -> OnShow:
    """Draws the field and writes on from what it holds."""
    typed_text.field("code_text", "Code", large=True)
    model = runs.model(MODEL)
    whole = plain_text(typed_text.last_good("code_text", "Code", of_words=False) + "|")
    text = whole[:-2]  # its last line is not at an end
    tokenizer, room = model.tokenizer, model.config.context_length - MOST
    typed_text.note_unknown(tokenizer, text)
    if len(tokenizer.encode(text)) > room:
        session.note(words["code cut"].format(shown=room - 1, total=len(text)))
        text = text[-(room - 1) :]
    encoding = tokenizer.encode(text)
    steps = write_on(model, encoding, n=MOST, stop=tokenizer.id("\n"))
    characters = tuple(characters_of(tokenizer, [step.chosen for step in steps]))
    return OnShow(typed_text.Typed(text, encoding), steps, characters, text)


def _bits(words: Mapping[str, str]) -> str:
    """Bits a character beside a 5-gram's, from the model's own card."""
    figures = read_card(MODEL).figures
    own = next((value for name, value in figures.items() if name == "bits a character"), None)
    other = next((value for name, value in figures.items() if "5-gram" in name), None)
    if own is None or other is None:
        return ""
    side = "fewer" if own < other else "more"
    return words["code bits"].format(own=format_number(own), other=format_number(other), side=side)


def _train_other() -> None:
    session.put(task="own-text", source="yours", tokenizer="character", objective="causal")
    st.session_state["go_to_training"] = True
