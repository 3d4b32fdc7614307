"""The prediction strip, the table of choices and the table of tokens: numbers whole, tokens as text."""

import re
from dataclasses import dataclass

import numpy as np
import pytest

from tests.viz_model.figures.page_reader import NASTY, PageReader
from viz_model.figures.choices import choice_table
from viz_model.figures.prediction_strip import prediction_strip
from viz_model.figures.token_table import LONGEST, token_table


@dataclass(frozen=True)
class Row:
    logit: float
    scaled: float
    probability: float
    kept: bool
    final: float


def test_candidates_stand_side_by_side() -> None:
    markup = prediction_strip(["on", "under"], [0.4237, 1 / 3], caption="Next token")
    page = PageReader(markup)
    assert page.text == "Next tokenon0.424under0.333"
    assert page.titles == ["0.4237", "0.33333334"]
    assert re.findall(r'style="width:([\d.e-]+)%"', markup) == ["42.4", "33.3"]
    assert "was" not in page.text


def test_after_an_edit_what_was_and_the_change() -> None:
    page = PageReader(prediction_strip(["on", "in", "at"], [0.5, 0.25, 0.1], [0.25, 1 / 3, 0.1], caption=""))
    assert "on0.500was 0.250, +0.250" in page.text
    assert "in0.250was 0.333, -0.0833" in page.text
    assert "at0.100was 0.100, 0.00" in page.text
    assert {"0.25", "+0.25", "0.33333334", "-0.083333336"} <= set(page.titles)
    assert [name for name in page.classes if name in ("more", "less", "muted")] == ["more", "less", "muted"]


@pytest.mark.parametrize("token", NASTY)
def test_tokens_and_captions_are_text(token: str) -> None:
    assert PageReader(prediction_strip([token], [0.5], [0.4], caption=token)).text.startswith(f"{token}{token}0.500")
    choices = PageReader(choice_table([token], [Row(1, 1, 1, True, 1)], token, caption=token))
    assert choices.rows[1][0] == token
    assert choices.text.startswith(token)
    assert choices.labels == [token]
    raw = token.encode()
    tokens = PageReader(token_table([token], [7], token, [(0, len(token))], [raw], [False]))
    assert tokens.rows[1][:4] == ["0", token, "7", token]


def test_a_choice_through_every_stage() -> None:
    rows = [Row(2.0, 4.0, 2 / 3, True, 1.0), Row(1.0, 2.0, 1 / 3, False, 0.0)]
    page = PageReader(choice_table(["on", "in"], rows, "on", caption="Choice 1"))
    assert page.rows[0] == ["token", "logit", "÷ temperature", "probability", "top-k, top-p", "drawn from", ""]
    assert page.rows[1] == ["on", "2.00", "4.00", "0.667", "kept", "1.00", "← chosen"]
    assert page.rows[2] == ["in", "1.00", "2.00", "0.333", "cut", "0", ""]
    assert str(np.float32(2 / 3)) in page.titles
    assert "chosen" not in PageReader(choice_table(["on", "in"], rows, None, caption="")).text


def test_a_number_for_each_token() -> None:
    with pytest.raises(ValueError, match="zip"):
        choice_table(["on"], [], None, caption="")
    with pytest.raises(ValueError, match="zip"):
        prediction_strip(["on"], [], caption="")


def test_a_token_and_all_that_is_known_of_it() -> None:
    text = "a é\n"
    page = PageReader(
        token_table(
            ["[BOS]", "a", "␣é", "⏎"],
            [2, 64, 300, 198],
            text,
            [(0, 0), (0, 1), (1, 3), (3, 4)],
            [b"", b"a", " é".encode(), b"\n"],
            [True, False, False, False],
        )
    )
    assert page.text.startswith("4 tokens")
    assert page.rows[0] == ["position", "token", "id", "covers", "characters", "bytes", ""]
    assert page.rows[1] == ["0", "[BOS]", "2", "added", "", "", "special"]
    assert page.rows[2] == ["1", "a", "64", "a", "0–1", "61", ""]
    assert page.rows[3] == ["2", "␣é", "300", " é", "1–3", "20 C3 A9", ""]
    assert page.rows[4] == ["3", "⏎", "198", "↵", "3–4", "0A", ""]


def test_a_long_text_says_what_is_shown() -> None:
    n = LONGEST + 1
    page = PageReader(token_table(["a"] * n, [1] * n, "a" * n, [(i, i + 1) for i in range(n)], [b"a"] * n, [False] * n))
    assert page.text.startswith("257 tokens, the first 256")
    assert len(page.rows) == 1 + LONGEST
    whole = PageReader(token_table(["a"], [1], "a", [(0, 1)], [b"a"], [False]))
    assert whole.text.startswith("1 token")
    assert "first" not in whole.text
