"""Paths and chains against Table 1 and against what a changed input really moves."""

from __future__ import annotations

import pytest
import torch

from tests.viz_model.analysis.comparison_models import IDS, MODELS, attention, convolutional, recurrent
from viz_model.analysis.reach import influence
from viz_model.analysis.wiring import longest_path, path_lengths, schedule, sequential_steps, wiring


@pytest.mark.parametrize("name", MODELS)
def test_the_graph_leads_where_the_model_does(name: str) -> None:
    """There is a way from token s to output t in the graph just where changing s moves t."""
    model = MODELS[name]
    graph, moved = wiring(model, 6), influence(model, IDS[:1])
    for at in range(6):
        ways = path_lengths(graph, (model.config.n_layers, at))
        assert [(0, place) in ways for place in range(6)] == (moved[at] > 0).tolist()


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_the_columns_of_table_1(n: int) -> None:
    assert (longest_path(attention(), n), sequential_steps(attention(), n)) == (1, 1)
    assert (longest_path(attention(n_layers=3), n), sequential_steps(attention(n_layers=3), n)) == (3, 3)
    for cell in ("rnn", "lstm"):
        assert (longest_path(recurrent(cell), n), sequential_steps(recurrent(cell), n)) == (n, n)
        deep = recurrent(cell, n_layers=3)
        assert (longest_path(deep, n), sequential_steps(deep, n)) == (n + 2, n + 2)


@pytest.mark.parametrize(("kernel", "dilation"), [(2, 1), (3, 1), (3, 3), (2, 2)])
def test_convolutions_need_as_many_layers_as_the_formula_says(kernel: int, dilation: int) -> None:
    for n in (2, 5, 9, 10, 28):
        layers = convolutional(kernel=kernel, dilation=dilation).config.layers_to_span(n)
        fitting = convolutional(kernel=kernel, dilation=dilation, n_layers=layers)
        assert (longest_path(fitting, n), sequential_steps(fitting, n)) == (layers, layers)
        if layers > 1:
            assert longest_path(convolutional(kernel=kernel, dilation=dilation, n_layers=layers - 1), n) is None


def test_a_recurrent_state_is_the_only_way_out_of_the_past() -> None:
    """Whoever holds the state after token 2 needs nothing else of tokens 0 to 2."""
    model = recurrent("lstm", n_layers=2)
    _, state = model.step(IDS[:, 0], model.start(2))
    for at in (1, 2):
        _, state = model.step(IDS[:, at], state)
    for at in (3, 4, 5):
        logits, state = model.step(IDS[:, at], state)
    assert torch.allclose(logits, model.logits(IDS)[:, -1], atol=1e-6)
    graph = wiring(model, 6)
    cut = {node: tuple(read for read in reads if read[1] != 2) for node, reads in graph.items()}
    assert all((0, at) not in path_lengths(cut, (2, 5)) for at in range(3))
    ways = path_lengths({**wiring(attention(), 6)}, (1, 5))
    assert all(ways[0, at] == 1 for at in range(6))


@pytest.mark.parametrize("name", MODELS)
def test_the_schedule_is_the_earliest_that_there_is(name: str) -> None:
    """Played step by step: a vector is computed once all that it reads is there, and never before."""
    graph = wiring(MODELS[name], 6)
    there, step, found = {node for node, reads in graph.items() if not reads}, 0, {}
    while len(there) < len(graph):
        step += 1
        new = {node for node, reads in graph.items() if node not in there and set(reads) <= there}
        found |= dict.fromkeys(new, step)
        there |= new
    assert {node: at for node, at in schedule(graph).items() if at} == found
    assert sequential_steps(MODELS[name], 6) == step
