"""One query-key link: every number from dot product to weight, against numpy."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from tests.viz_model.models.small_models import BASE, ids_of, model_of
from viz_model.attention import AttentionTrace
from viz_model.edits import AblateHead, Edit, KnockOut, SetWeight, UniformHead
from viz_model.link import link
from viz_model.models import Decoder, Encoder

N = 6


def attention(
    position: Any = "none", *, causal: bool = True, edits: tuple[Edit, ...] = (), **changes: Any
) -> AttentionTrace:
    kind = Decoder if causal else Encoder
    model = model_of(kind, replace(BASE, position=position, **changes))
    # Two texts: the link is of the first, whatever the second says.
    with torch.inference_mode():
        return model(ids_of(2, N), edits=edits).blocks[0].attention


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("position", ["none", "rotary", "alibi", "t5"])
def test_every_number_is_numpys(position: Any, causal: bool) -> None:
    trace = attention(position, causal=causal)
    q, k = (tensor[0].double().numpy() for tensor in (trace.q, trace.k))
    bias = np.zeros((4, N, N)) if trace.bias is None else trace.bias[0].double().numpy()
    for head in range(4):
        for query in range(N):
            dots = k[head] @ q[head, query]
            scores = dots / np.sqrt(4) + bias[head, query]
            allowed = np.arange(N) <= query if causal else np.ones(N, bool)
            powers = np.where(allowed, np.exp(scores - scores[allowed].max()), 0)
            for key in range(N):
                found = link(trace, head=head, query=query, key=key)
                assert found.q == pytest.approx(q[head, query])
                assert found.k == pytest.approx(k[head, key])
                assert found.dot == pytest.approx(dots[key], abs=1e-4)
                assert found.scale == 0.5
                assert found.score == pytest.approx(scores[key], abs=1e-4)
                assert found.allowed == allowed[key]
                assert found.exponential == pytest.approx(powers[key], abs=1e-4)
                assert found.exponential_sum == pytest.approx(powers.sum(), abs=1e-3)
                assert found.softmax == found.weight == pytest.approx(powers[key] / powers.sum(), abs=1e-4)
                assert found.row_sum == pytest.approx(1)
                assert (found.bias is None) == (position in ("none", "rotary"))
                assert found.bias in (None, pytest.approx(bias[head, query, key]))
                assert found.adds_up
                assert not found.edited


def test_query_and_key_are_not_swapped() -> None:
    trace = attention(causal=False)
    there, back = link(trace, head=0, query=1, key=4), link(trace, head=0, query=4, key=1)
    assert there.weight == pytest.approx(float(trace.weights[0, 0, 1, 4]))
    assert there.dot != pytest.approx(back.dot, abs=1e-3)
    assert there.q != back.q


def test_a_masked_key_counts_nothing() -> None:
    found = link(attention(), head=2, query=1, key=3)
    assert not found.allowed
    assert (found.exponential, found.softmax, found.weight) == (0, 0, 0)
    assert found.score != 0
    assert found.adds_up


def test_a_query_without_any_key() -> None:
    model = model_of(Encoder, BASE).requires_grad_(False)
    mask = torch.ones(1, 1, N, N, dtype=torch.bool)
    mask[..., 2, :] = False
    found = link(model(ids_of(1, N), mask).blocks[1].attention, head=0, query=2, key=0)
    assert (found.exponential_sum, found.softmax, found.weight, found.row_sum) == (0, 0, 0, 0)
    assert found.adds_up


@pytest.mark.parametrize(
    ("edit", "weight", "row_sum"),
    [
        (SetWeight(0, 1, 3, 2, 0.75), 0.75, 1.0),
        (UniformHead(0, 1), 0.25, 1.0),
        (KnockOut(0, 1, 3, 2), 0.0, 1.0),
        (KnockOut(0, 1, 3, 2, renormalise=False), 0.0, None),
    ],
    ids=str,
)
def test_an_edited_weight_stands_beside_the_softmax(edit: Edit, weight: float, row_sum: float | None) -> None:
    plain, found = (link(attention(edits=edits), head=1, query=3, key=2) for edits in ((), (edit,)))
    assert found.softmax == pytest.approx(plain.softmax)
    assert found.weight == pytest.approx(weight)
    assert found.row_sum == pytest.approx(1 - plain.weight if row_sum is None else row_sum)
    assert found.edited
    assert found.adds_up


def test_other_links_and_silenced_heads_are_not_edited_weights() -> None:
    trace = attention(edits=(SetWeight(0, 1, 3, 2, 0.75), AblateHead(0, 0)))
    assert not link(trace, head=1, query=2, key=1).edited
    assert not link(trace, head=0, query=3, key=2).edited


def test_a_wrong_part_does_not_add_up() -> None:
    found = link(attention("alibi"), head=0, query=3, key=1)
    assert found.bias is not None
    for wrong in (
        replace(found, dot=found.dot + 0.1),
        replace(found, score=found.score + 0.1),
        replace(found, softmax=found.softmax + 0.01),
        replace(found, bias=found.bias + 0.1),
        replace(found, exponential_sum=found.exponential_sum * 1.1),
    ):
        assert not wrong.adds_up
