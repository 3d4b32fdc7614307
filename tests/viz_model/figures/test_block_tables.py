"""Tables of the block: the numbers given, the arithmetic checked below, tokens as text."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from tests.viz_model.figures.page_reader import NASTY, PageReader
from viz_model.figures.block_tables import additions_table, neuron_table, norm_table


@dataclass(frozen=True)
class Addition:
    layer: int
    sublayer: str
    stream: tuple
    out: tuple
    cosine: tuple
    share: tuple
    sum: tuple


@dataclass(frozen=True)
class Norm:
    kind: str
    before: tuple
    mean: float
    variance: float
    epsilon: float
    divisor: float
    normalised: tuple
    gain: tuple
    bias: tuple
    after: tuple


@dataclass(frozen=True)
class Example:
    text: int
    position: int
    activation: float


@dataclass(frozen=True)
class Written:
    token: str
    value: float


@dataclass(frozen=True)
class Neuron:
    layer: int
    index: int
    active: float
    by_token: float
    examples: tuple
    up: tuple
    down: tuple


# A right angle: 3, 4, 5; and straight back: 5 - 2 = 3.
ADDED = [
    Addition(0, "attention", (9.0, 3.0), (9.0, 4.0), (0.5, 0.0), (1.0, 4 / 3), (15.59, 5.0)),
    Addition(0, "feed_forward", (15.59, 5.0), (1.0, 2.0), (0.0, -1.0), (0.06, 0.4), (15.62, 3.0)),
]
NORM = Norm(
    "layer", (1.0, 3.0), 2.0, 1.0, 0.21, 1.1, (-1 / 1.1, 1 / 1.1), (2.0, 0.5), (0.1, 0.0), (-2 / 1.1 + 0.1, 0.5 / 1.1)
)


def test_what_is_added_at_one_position_and_that_it_adds_up() -> None:
    page = PageReader(additions_table(ADDED, 1))
    assert page.rows[0] == ["", "|stream|", "|out|", "|out| / |stream|", "cosine", "|stream + out|"]
    assert page.rows[1] == ["layer 0, attention", "3.00", "4.00", "1.33", "0.00", "5.00"]
    assert page.rows[2] == ["layer 0, feed-forward", "5.00", "2.00", "0.400", "-1.00", "3.00"]
    assert "✓ The parts add up to the length of the sum" in page.text


def test_an_addition_that_does_not_add_up_is_said() -> None:
    wrong = [ADDED[0], replace(ADDED[1], sum=(15.62, 3.1))]
    assert "✗ The parts give 3.00" in PageReader(additions_table(wrong, 1)).text


def test_without_residual_connections_nothing_is_added_up() -> None:
    page = PageReader(additions_table(ADDED, 1, residual=False))
    assert page.rows[0][-1] == "cosine"
    assert "add up" not in page.text
    assert "0 rows" not in PageReader(additions_table([], 0)).text


def test_a_norm_is_written_out_and_checked_against_the_models_own() -> None:
    page = PageReader(norm_table(NORM, NORM.after))
    assert page.rows[0] == ["dimension", "x", "x − mean", "÷ divisor", "gain", "bias", "out"]
    assert page.rows[1] == ["d0", "1.00", "-1.00", "-0.909", "2.00", "0.100", "-1.72"]
    mean, variance = page.rows[3], page.rows[4]
    assert mean[:4] == ["mean", "2.00", "0.00", "0.00"]
    assert variance[:4] == ["variance", "1.00", "1.00", "0.826"]
    assert float(mean[6]) == pytest.approx(np.mean(NORM.after), abs=5e-3)
    assert float(variance[6]) == pytest.approx(np.var(NORM.after), abs=5e-3)
    assert "divisor = √(variance + ε) = √(1.00 + 0.21) = 1.10" in page.text
    assert "✓ The parts add up to the model's own number." in page.text
    off = PageReader(norm_table(NORM, (NORM.after[0], NORM.after[1] + 0.01)))
    assert "✗ The parts give 0.455" in off.text


def test_rms_has_no_mean_to_take_off_and_no_bias() -> None:
    rms = replace(NORM, kind="rms", mean=0.0, variance=5.0, normalised=(0.4, 1.3), after=(0.8, 0.65))
    page = PageReader(norm_table(rms, rms.after))
    assert page.rows[0] == ["dimension", "x", "÷ divisor", "gain", "out"]
    assert page.rows[1] == ["d0", "1.00", "0.400", "2.00", "0.800"]
    assert "√(mean square + ε)" in page.text
    assert page.text.startswith("RMSNorm of one vector")


def test_a_long_vector_says_how_much_is_shown() -> None:
    many = (0.5,) * 40
    long = replace(NORM, before=many, normalised=many, gain=many, bias=many, after=many)
    page = PageReader(norm_table(long, many, limit=16))
    assert "the first 16 of 40 entries" in page.text
    assert len(page.rows) == 1 + 16 + 2
    with pytest.raises(ValueError, match="own: expected 40 values"):
        norm_table(long, many[:3])


def test_a_neuron_with_what_excites_it_in_context() -> None:
    texts = [("[BOS]", "the", "old", "tall", "man", "ran")]
    neuron = Neuron(2, 7, 0.25, 0.5, (Example(0, 4, 8.794), Example(0, 1, 1.0)), (Written("ran", 2.0),), ())
    page = PageReader(neuron_table([neuron], texts, caption="Neurons"))
    assert page.rows[0] == [
        "layer.neuron", "strongest on", "makes likelier", "less likely", "active", "explained by the token"
    ]  # fmt: skip
    assert page.rows[1] == ["2.7", "… the old tall man 8.79[BOS] the 1.00", "ran", "", "0.250", "0.500"]
    assert "8.794" in page.titles
    assert page.classes.count("more") == 1


@pytest.mark.parametrize("token", NASTY)
def test_tokens_are_text(token) -> None:
    neuron = Neuron(0, 0, 0.1, 0.1, (Example(0, 1, 1.0),), (Written(token, 1.0),), (Written(token, -1.0),))
    row = PageReader(neuron_table([neuron], [(token, token)], caption=token)).rows[1]
    assert row[1:4] == [f"{token} {token} 1.00", token, token]
