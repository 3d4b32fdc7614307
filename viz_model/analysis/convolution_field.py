"""The receptive field of a stack of convolutions, three ways: by its formula, by its wiring, and by changing inputs."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from viz_model.analysis.reach import influence, receptive_field
from viz_model.analysis.wiring import Node, Wiring, path_lengths, wiring
from viz_model.body_configs import ConvolutionalConfig
from viz_model.models import Convolutional

SHORTEST = 32  # positions of the text, so that narrow fields can be compared
VOCABULARY, WIDTH = 16, 16


@dataclass(frozen=True, slots=True, eq=False)
class ConvolutionField:
    """What the last output of a stack of convolutions sees."""

    n: int  # positions of the text
    n_layers: int
    formula: int  # positions, from the config
    measured: int  # positions, by changing each token
    influence: tuple[float, ...]  # [position]: how far the last output moves when that token becomes another
    cone: Wiring  # the vectors that the last output is computed from, each with those of them that it reads


def convolution_field(n_layers: int, dilation: int, *, kernel: int = 3, seed: int = 0) -> ConvolutionField:
    """Of an untrained stack, on a text that is at least one token longer than what it sees."""
    config = ConvolutionalConfig(
        vocab_size=VOCABULARY, d_model=WIDTH, n_layers=n_layers, kernel=kernel, dilation=dilation
    )
    model = Convolutional(config, seed=seed).eval()
    n = max(SHORTEST, config.receptive_field + 1)
    ids = torch.randint(VOCABULARY, (1, n), generator=torch.Generator().manual_seed(seed))
    moved = influence(model, ids)
    graph = wiring(model, n)
    end: Node = (n_layers, n - 1)
    seen = path_lengths(graph, end)
    return ConvolutionField(
        n,
        n_layers,
        config.receptive_field,
        receptive_field(moved),
        tuple(moved[-1].tolist()),
        {node: graph[node] for node in seen},
    )
