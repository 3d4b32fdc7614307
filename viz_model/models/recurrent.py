"""A recurrent language model: one state of fixed size, carried from token to token."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from viz_model.body_configs import RecurrentConfig
from viz_model.initialization import initialise
from viz_model.models.causal_body import CausalBody

if TYPE_CHECKING:
    from viz_model.tokenizer import Tokenizer

State = tuple[tuple[Tensor, Tensor], ...]  # for each layer its hidden state and its cell, [batch, d_model] both


@dataclass(frozen=True, slots=True, eq=False)
class GateTrace:
    """An LSTM layer's gates and cells, each [batch, position, d_model]."""

    input: Tensor  # 0 to 1: how much of the candidate enters the cell
    forget: Tensor  # 0 to 1: how much of the last cell stays
    candidate: Tensor  # -1 to 1: what could enter
    output: Tensor  # 0 to 1: how much of the cell is shown
    cell: Tensor  # forget * last cell + input * candidate


@dataclass(frozen=True, slots=True, eq=False)
class RecurrentLayerTrace:
    """What one recurrent layer computed."""

    inputs: Tensor  # [batch, position, d_model]
    gates: GateTrace | None  # None in a plain RNN, which has none
    hidden: Tensor  # [batch, position, d_model]  the state after each token


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RecurrentTrace:
    """What a recurrent model computed, in order."""

    tokens: tuple[str, ...]  # empty: the model is called with ids
    ids: Tensor  # [batch, position]
    token_embedding: Tensor  # [batch, position, d_model]
    layers: tuple[RecurrentLayerTrace, ...]
    output: Tensor  # [batch, position, d_model]  the last layer's states, which the unembedding reads
    logits: Tensor  # [batch, position, vocab_size]


class Recurrent(CausalBody):
    """Embedding, torch's RNN (Elman, 1990) or LSTM (Hochreiter and Schmidhuber, 1997) layers, unembedding."""

    def __init__(self, config: RecurrentConfig, *, seed: int = 0, tokenizer: Tokenizer | None = None) -> None:
        super().__init__(config, tokenizer)
        self.config = config
        kind = nn.LSTM if config.cell == "lstm" else nn.RNN
        self.layers = nn.ModuleList(
            kind(config.d_model, config.d_model, batch_first=True) for _ in range(config.n_layers)
        )
        initialise(self, n_layers=config.n_layers, seed=seed)
        _initialise_layers(self.layers, config, seed)

    def forward(self, ids: Tensor, mask: Tensor | None = None) -> RecurrentTrace:
        """Everything the model computes for ids [batch, position]; mask: bool alike, False = padding at the end."""
        self.check(ids, mask)
        x = token_embedding = self.embed(ids)
        traces = []
        for layer in self.layers:
            hidden, _ = layer(x)
            gates = _gates(layer, x, hidden) if self.config.cell == "lstm" else None
            traces.append(RecurrentLayerTrace(x, gates, hidden))
            x = hidden
        return RecurrentTrace(
            tokens=(),
            ids=ids,
            token_embedding=token_embedding,
            layers=tuple(traces),
            output=x,
            logits=self.unembed(x),
        )

    def logits(self, ids: Tensor, mask: Tensor | None = None) -> Tensor:
        """The same logits, for training: [batch, position, vocab_size]."""
        self.check(ids, mask)
        x = self.embed(ids)
        for layer in self.layers:
            x, _ = layer(x)
        found: Tensor = self.unembed(x)
        return found

    def start(self, batch: int) -> State:
        """The state before the first token: zeros."""
        nothing = self.embed.weight.new_zeros(batch, self.config.d_model)
        return tuple((nothing, nothing) for _ in self.layers)

    def step(self, ids: Tensor, state: State) -> tuple[Tensor, State]:
        """One token more, by the equations: ids [batch] and a state to logits [batch, vocab_size] and the next state.

        What a recurrent model cannot do otherwise: the next token waits for this one.
        """
        x, states = self.embed(ids), []
        for layer, (hidden, cell) in zip(self.layers, state, strict=True):
            w_x, w_h, b_x, b_h = _weights(layer)
            total = F.linear(x, w_x, b_x) + F.linear(hidden, w_h, b_h)
            if self.config.cell == "lstm":
                enter, forget, candidate, show = _activate(total)
                cell = forget * cell + enter * candidate
                x = show * cell.tanh()
            else:
                x = total.tanh()
            states.append((x, cell))
        return self.unembed(x), tuple(states)


def _weights(layer: nn.Module) -> Sequence[Tensor]:
    """From the input, from the state, and the bias of each; in an LSTM the gates stand one below the other."""
    return [layer.get_parameter(f"{name}_l0") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]


def _activate(total: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    enter, forget, candidate, show = total.chunk(4, dim=-1)  # torch's order
    return enter.sigmoid(), forget.sigmoid(), candidate.tanh(), show.sigmoid()


def _gates(layer: nn.Module, x: Tensor, hidden: Tensor) -> GateTrace:
    """The gates of all positions at once, since the states are known by now; only the cells need a loop."""
    w_x, w_h, b_x, b_h = _weights(layer)
    last = F.pad(hidden, (0, 0, 1, 0))[:, :-1]
    enter, forget, candidate, show = _activate(F.linear(x, w_x, b_x) + F.linear(last, w_h, b_h))
    cells, cell = [], hidden.new_zeros(())
    for at in range(x.shape[1]):
        cell = forget[:, at] * cell + enter[:, at] * candidate[:, at]
        cells.append(cell)
    return GateTrace(enter, forget, candidate, show, torch.stack(cells, dim=1))


@torch.no_grad()
def _initialise_layers(layers: nn.ModuleList, config: RecurrentConfig, seed: int) -> None:
    """Evenly from -1 / sqrt(d_model) to 1 / sqrt(d_model), torch's own start, from a generator of ours; biases 0."""
    generator = torch.Generator().manual_seed(seed + 1)  # not the embedding's numbers again
    reach = 1.0 / math.sqrt(config.d_model)
    for layer in layers:
        *matrices, b_x, b_h = _weights(layer)
        for matrix in matrices:
            matrix.uniform_(-reach, reach, generator=generator)
        b_x.zero_()
        b_h.zero_()
        if config.cell == "lstm":
            b_x[config.d_model : 2 * config.d_model] = config.forget_bias
