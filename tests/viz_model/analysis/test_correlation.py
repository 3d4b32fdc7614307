import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.viz_model.analysis.small_models import IDS, decoder
from viz_model.analysis import attention_agreement, rank_correlation, ranks

pairs = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=9)


def mean_rank(values: list[int], i: int) -> float:
    below, equal = sum(v < values[i] for v in values), sum(v == values[i] for v in values)
    return below + (equal + 1) / 2


@given(pairs)
def test_it_is_the_correlation_of_ranks_counted_by_hand(both: list[tuple[int, int]]) -> None:
    a, b = ([float(pair[i]) for pair in both] for i in range(2))
    x, y = ([mean_rank(side, i) for i in range(len(side))] for side in (a, b))
    assert ranks(torch.tensor(a)).tolist() == x
    mx, my = sum(x) / len(x), sum(y) / len(y)
    over = sum((p - mx) * (q - my) for p, q in zip(x, y, strict=True))
    under = math.sqrt(sum((p - mx) ** 2 for p in x) * sum((q - my) ** 2 for q in y))
    got = rank_correlation(torch.tensor(a), torch.tensor(b))
    assert got == (pytest.approx(over / under, abs=1e-9) if under else None)


def test_known_values() -> None:
    a = torch.tensor([1.0, 2.0, 3.0, 4.0])
    assert rank_correlation(a, a.exp()) == pytest.approx(1.0)
    assert rank_correlation(a, -a) == pytest.approx(-1.0)
    # Without ties: 1 - 6 * sum of squared differences of rank / (n (n^2 - 1)).
    assert rank_correlation(a, torch.tensor([2.0, 1.0, 4.0, 3.0])) == pytest.approx(1 - 6 * 4 / 60)
    assert rank_correlation(a, torch.ones(4)) is None
    assert rank_correlation(a[:1], a[:1]) is None
    with pytest.raises(ValueError, match="one length"):
        rank_correlation(a, a[:3])


def test_agreement_is_over_the_keys_that_can_be_read_and_the_size_of_the_attribution() -> None:
    trace = decoder()(IDS)
    row = trace.blocks[1].attention.weights[0, 1, 3]
    agreed = attention_agreement(trace, -row, query=3)
    assert agreed[1][1] == pytest.approx(1.0)
    assert (len(agreed), len(agreed[0])) == (2, 2)
    noise = torch.tensor([0.3, -0.9, 0.1, 0.2, 5.0, 6.0])
    assert attention_agreement(trace, noise, query=3)[1][1] == rank_correlation(row[:4], noise[:4].abs())
    assert attention_agreement(trace, noise, query=0)[0][0] is None
    with pytest.raises(ValueError, match="expected \\[6\\]"):
        attention_agreement(trace, noise[:5], query=3)
