import pytest
import torch

from tests.viz_model.analysis.small_models import IDS, TARGET_IDS, VARIANTS, decoder, encoder, encoder_decoder
from viz_model.analysis import rollout
from viz_model.edits import AblateHead, KnockOut


@pytest.mark.parametrize("make", [decoder, encoder])
@pytest.mark.parametrize("changes", VARIANTS)
def test_it_is_the_product_of_the_layers_and_rows_sum_to_1(make, changes) -> None:
    trace = make(**changes)(IDS.repeat(2, 1))
    got = rollout(trace)
    assert got.shape == (len(trace.blocks), 2, 6, 6)
    flow = [[float(i == j) for j in range(6)] for i in range(6)]
    for layer, block in enumerate(trace.blocks):
        weights = block.attention.weights[1].tolist()
        mixed = [
            [0.5 * (q == k) + 0.5 * sum(w[q][k] for w in weights) / len(weights) for k in range(6)] for q in range(6)
        ]
        flow = [[sum(mixed[q][m] * flow[m][k] for m in range(6)) for k in range(6)] for q in range(6)]
        torch.testing.assert_close(got[layer, 1], torch.tensor(flow), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(got.sum(-1), torch.ones(got.shape[:-1]))
    assert (got >= 0).all()


def test_nothing_flows_from_the_future() -> None:
    got = rollout(decoder()(IDS))
    assert got.triu(1).abs().max() == 0


def test_rows_sum_to_1_even_where_an_edit_took_weight_away() -> None:
    cut = KnockOut(0, 1, query=None, key=0, renormalise=False)
    got = rollout(decoder()(IDS, edits=(cut, AblateHead(1, 0))))
    torch.testing.assert_close(got.sum(-1), torch.ones(got.shape[:-1]))
    alone = KnockOut(0, 0, query=0, key=0), KnockOut(0, 1, query=0, key=0)
    assert rollout(decoder()(IDS, edits=alone))[0, 0, 0].tolist() == [1.0, 0, 0, 0, 0, 0]


def test_each_stack_has_its_own() -> None:
    trace = encoder_decoder()(IDS, TARGET_IDS)
    assert rollout(trace.encoder).shape == (2, 1, 6, 6)
    assert rollout(trace.decoder).shape == (3, 1, 4, 4)
