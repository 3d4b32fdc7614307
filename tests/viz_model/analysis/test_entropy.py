import math

import pytest
import torch

from viz_model.analysis import entropy, normalised_entropy
from viz_model.attention import masked_softmax


def test_entropy_is_the_sum_of_its_formula() -> None:
    weights = torch.rand(2, 3, 4, 5, generator=torch.Generator().manual_seed(0))
    weights[0, 0, 1] = 0.0
    weights[0, 1, 2, 3] = 0.0
    weights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)
    got = entropy(weights)
    assert got.shape == (2, 3, 4)
    for b in range(2):
        for h in range(3):
            for q in range(4):
                expected = -sum(w * math.log(w) for w in weights[b, h, q].tolist() if w > 0)
                assert float(got[b, h, q]) == pytest.approx(expected, abs=1e-6)


def test_one_key_is_0_an_even_spread_is_ln_n_and_a_masked_row_is_0() -> None:
    rows = torch.tensor([[1.0, 0, 0, 0], [0.25, 0.25, 0.25, 0.25], [0.5, 0, 0.5, 0], [0, 0, 0, 0]])
    assert entropy(rows[None, None])[0, 0].tolist() == pytest.approx([0.0, math.log(4), math.log(2), 0.0])


def test_the_normalised_entropy_counts_the_keys_that_may_be_attended_to() -> None:
    mask = torch.tensor([[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 1], [0, 0, 0, 0]]).bool()[None, None]
    even = masked_softmax(torch.zeros(1, 2, 4, 4), mask)
    assert normalised_entropy(even, mask)[0, 1].tolist() == pytest.approx([0.0, 1.0, 1.0, 0.0])
    uneven = torch.tensor([[1.0, 0, 0, 0], [0.9, 0.1, 0, 0], [0.5, 0.5, 0, 0], [0, 0, 0, 0]])[None, None]
    two = -(0.9 * math.log(0.9) + 0.1 * math.log(0.1)) / math.log(2)
    assert normalised_entropy(uneven, mask)[0, 0].tolist() == pytest.approx([0.0, two, 0.5, 0.0])
