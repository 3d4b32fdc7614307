"""The receptive field of convolutions, three ways, against counting by hand; and the shortest way through a model."""

from __future__ import annotations

import itertools

import pytest

from viz_model.analysis.convolution_field import convolution_field
from viz_model.analysis.wiring import path_lengths, shortest_path, wiring
from viz_model.body_configs import ConvolutionalConfig, RecurrentConfig
from viz_model.models import Convolutional, Recurrent


@pytest.mark.parametrize(("n_layers", "dilation"), [(1, 1), (3, 1), (3, 2), (2, 3), (4, 2)])
def test_the_tokens_that_move_the_output_are_those_that_gaps_can_sum_to(n_layers: int, dilation: int) -> None:
    found = convolution_field(n_layers, dilation)
    gaps = [dilation**layer for layer in range(n_layers)]
    back = {sum(taken) for taken in itertools.product(*([0, gap, 2 * gap] for gap in gaps))}
    assert {found.n - 1 - at for at, moved in enumerate(found.influence) if moved} == back
    assert {found.n - 1 - at for layer, at in found.cone if layer == 0} == back
    assert found.formula == found.measured == max(back) + 1 < found.n
    assert all(read in found.cone for reads in found.cone.values() for read in reads)


def test_a_shortest_way_is_one_and_is_shortest() -> None:
    model = Convolutional(ConvolutionalConfig(vocab_size=5, d_model=4, n_layers=4, dilation=2))
    graph, end = wiring(model, 20), (4, 19)
    way = shortest_path(graph, (0, 0), end)
    assert way[0] == (0, 0)
    assert way[-1] == end
    assert all(before in graph[after] for before, after in itertools.pairwise(way))
    assert len(way) - 1 == path_lengths(graph, end)[0, 0]


def test_where_there_is_no_way_none_is_given() -> None:
    model = Convolutional(ConvolutionalConfig(vocab_size=5, d_model=4, n_layers=1))
    assert shortest_path(wiring(model, 4), (0, 0), (1, 3)) == ()
    rnn = Recurrent(RecurrentConfig(vocab_size=5, d_model=4))
    assert len(shortest_path(wiring(rnn, 9), (0, 0), (1, 8))) == 10
