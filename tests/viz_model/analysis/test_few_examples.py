"""What a measurement says of the claim, on made-up curves, and the shares of attention that moved, by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from viz_model.analysis.few_examples import Curve, FineTuning, Looked

LOOKED = Looked(
    text="a b",
    tokens=("a", "b"),
    n_examples=16,
    says=(0.75, 0.25),
    before=((((1.0, 0.0), (0.5, 0.5)), ((1.0, 0.0), (0.0, 1.0))),),
    after=((((0.0, 1.0), (0.5, 0.5)), ((0.75, 0.25), (0.25, 0.75))),),
)


def found(full: list[float], scratch: list[float]) -> FineTuning:
    """Two seeds, 0.1 below and above the given means."""
    curves = [
        Curve(way, (0.1,) * 4, ((0.5,),) * 4, tuple((x - 0.1, x + 0.1) for x in means))
        for way, means in (("full", full), ("frozen", full), ("scratch", scratch))
    ]
    return FineTuning(
        "body", ("one", "several"), (8, 16, 32, 64), (0, 1), (0.1,), 9, 2, 4, tuple(curves), 5, (0.5, 0.5), LOOKED, ()
    )


def test_means_and_spread() -> None:
    curve = found([0.5, 0.6, 0.7, 0.8], [0.5, 0.5, 0.5, 0.5]).curve("full")
    assert curve.means() == pytest.approx((0.5, 0.6, 0.7, 0.8))
    assert curve.lowest() == pytest.approx((0.4, 0.5, 0.6, 0.7))
    assert curve.highest() == pytest.approx((0.6, 0.7, 0.8, 0.9))


@pytest.mark.parametrize(
    ("scratch", "n", "needs", "holds"),
    [
        ([0.5, 0.5, 0.5, 0.5], 16, None, True),  # never, and four times 16 was tried
        ([0.5, 0.5, 0.5, 0.5], 32, None, False),  # never, but four times 32 was not tried
        ([0.5, 0.5, 0.5, 0.9], 8, 64, True),
        ([0.5, 0.5, 0.9, 0.9], 16, 32, False),
        ([0.9, 0.9, 0.9, 0.9], 8, 8, False),
    ],
)
def test_the_claim(scratch: list[float], n: int, needs: int | None, holds: bool) -> None:
    one = found([0.8, 0.8, 0.8, 0.8], scratch)
    assert one.reached("full", n) == pytest.approx(0.8)
    assert one.needed("scratch", one.reached("full", n)) == needs
    assert one.holds(n) is holds


def test_an_unknown_way() -> None:
    with pytest.raises(ValueError, match=r"^way: expected one of full, frozen, scratch, got 'magic'\.$"):
        found([0.5] * 4, [0.5] * 4).curve("magic")


def test_the_share_that_moved() -> None:
    # Head 0: one row has moved all of its weight, the other none; head 1: a quarter in both.
    np.testing.assert_allclose(LOOKED.moved(), [[0.5, 0.25]])
    np.testing.assert_allclose(replace(LOOKED, after=LOOKED.before).moved(), 0)


def test_it_is_kept_as_it_is() -> None:
    one = found([0.5] * 4, [0.5] * 4)
    assert FineTuning.from_json(one.to_json()) == one
