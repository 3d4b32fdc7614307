import pytest
import torch

from viz_model.analysis import mean_distance


def test_it_is_the_mean_over_queries_of_the_expected_distance() -> None:
    weights = torch.rand(2, 3, 5, 5, generator=torch.Generator().manual_seed(0)).softmax(-1)
    got = mean_distance(weights)
    assert got.shape == (2, 3)
    for b in range(2):
        for h in range(3):
            rows = [sum(float(weights[b, h, q, k]) * abs(q - k) for k in range(5)) for q in range(5)]
            assert float(got[b, h]) == pytest.approx(sum(rows) / 5, abs=1e-6)


def test_a_previous_token_head_reads_at_distance_1_and_a_diagonal_one_at_0() -> None:
    previous = torch.diag(torch.ones(3), -1)
    previous[0, 0] = 1.0
    heads = torch.stack((torch.eye(4), previous, torch.zeros(4, 4)))[None]
    assert mean_distance(heads)[0].tolist() == [0.0, 0.75, 0.0]


def test_padding_and_masked_rows_do_not_count() -> None:
    previous = torch.diag(torch.ones(3), -1)[None, None]  # query 0 has no key
    assert mean_distance(previous)[0, 0] == 1.0
    far = torch.zeros(1, 1, 4, 4)
    far[..., 0] = 1.0
    present = torch.tensor([[True, True, True, False]])
    assert mean_distance(far, present=present)[0, 0] == 1.0
