"""The neurons of the feed-forward layers over a corpus: what excites each, how often, and what it then writes.

A neuron is a key (its row of W_in) that matches patterns, and a value (its row of W_out) that it adds to the stream in
proportion (Geva et al., 2021, 'Transformer feed-forward layers are key-value memories').
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from viz_model.analysis.results import Result
from viz_model.feed_forward import FeedForward
from viz_model.models import Decoder, Encoder
from viz_model.models.stack import Stack

CHUNK = 128  # texts that run at once


@dataclass(frozen=True, slots=True)
class Excitation:
    """A token, in its text, and how much it excites the neuron."""

    text: int  # index into the report's texts
    position: int
    activation: float


@dataclass(frozen=True, slots=True)
class Written:
    """What one unit of activation does to a token's logit, against the mean over the tokens that can be answers."""

    token: str
    value: float


@dataclass(frozen=True, slots=True)
class Neuron:
    """One neuron of a layer, over the whole corpus."""

    layer: int
    index: int
    active: float  # share of the tokens at which the activation's input is above 0
    mean: float  # mean activation
    by_token: float  # share of the activation's variance that the token alone explains: 1 = a detector of words
    examples: tuple[Excitation, ...]  # strongest first, no prefix twice
    up: tuple[Written, ...]  # tokens that it makes likelier, most first
    down: tuple[Written, ...]  # tokens that it makes less likely, most first


@dataclass(frozen=True, slots=True)
class NeuronReport(Result):
    """All neurons, [layer][neuron], and the texts that the examples stand in."""

    texts: tuple[tuple[str, ...], ...]
    n_tokens: int  # that were counted: special ones are not
    layers: tuple[tuple[Neuron, ...], ...]


def neuron_report(
    model: Encoder | Decoder, texts: Sequence[str], *, n_examples: int = 5, n_written: int = 5
) -> NeuronReport:
    """Every feed-forward neuron of a one-stack model over some texts (a few hundred sentences).

    Special tokens are read and not counted. `up` and `down` follow the direct path alone: W_out through the final
    norm's centring and gain and the unembedding, without the division by the stream's standard deviation, which is the
    same for all tokens; what later layers make of it is left out. They leave out tokens that are never an answer ([PAD]
    and the like). Raises ValueError for a model without a tokenizer or without feed-forward layers, and where no text
    gives a token.
    """
    if model.tokenizer is None or not model.config.feed_forward:
        raise ValueError("model: expected one with a tokenizer and feed-forward layers, got one without.")
    limit = model.config.context_length
    encodings = [model.tokenizer.encode(text) for text in texts]
    rows = [encoding.ids[:limit] for encoding in encodings]
    counted = [[not special for special in encoding.special[:limit]] for encoding in encodings]
    places = [(i, p) for i, row in enumerate(counted) for p, counts in enumerate(row) if counts]
    if not places:
        raise ValueError("texts: expected at least one token, got none.")
    ids = torch.tensor([rows[i][p] for i, p in places])
    fresh = _first_of_each([rows[i][: p + 1] if model.is_causal else (i, p) for i, p in places])
    special = model.tokenizer.special_ids
    never = {special.unknown, special.pad, special.begin, special.mask}
    answers = [i for i in range(model.tokenizer.vocab_size) if i not in never]
    names = [model.tokenizer.token(i) for i in answers]
    layers = []
    for layer, (pre, post) in enumerate(_activations(model, rows, counted)):
        best = post[fresh].T.topk(min(n_examples, len(fresh)), dim=1)
        written = _written(model.stack, layer, model.unembed.weight[answers])
        up, down = (written.topk(min(n_written, len(names)), dim=1, largest=largest) for largest in (True, False))
        stats = zip(
            *(x.tolist() for x in ((pre > 0).double().mean(0), post.mean(0), _by_token(post, ids))),
            *(x.tolist() for x in (best.values, fresh[best.indices])),
            *(x.tolist() for x in (up.values, up.indices, down.values, down.indices)),
            strict=True,
        )
        layers.append(
            tuple(
                Neuron(
                    layer,
                    index,
                    active,
                    mean,
                    by_token,
                    tuple(Excitation(*places[int(row)], value) for value, row in zip(values, at, strict=True)),
                    tuple(Written(names[i], value) for value, i in zip(more, likelier, strict=True)),
                    tuple(Written(names[i], value) for value, i in zip(less, rarer, strict=True)),
                )
                for index, (active, mean, by_token, values, at, more, likelier, less, rarer) in enumerate(stats)
            )
        )
    return NeuronReport(tuple(encoding.tokens[:limit] for encoding in encodings), len(places), tuple(layers))


def _activations(
    model: Encoder | Decoder, rows: Sequence[Sequence[int]], counted: Sequence[Sequence[bool]]
) -> list[tuple[Tensor, Tensor]]:
    """(pre, post) of each layer at the counted tokens of all texts, in order: [token, d_ff]."""
    found: list[list[tuple[Tensor, Tensor]]] = [[] for _ in range(model.config.n_layers)]
    for start in range(0, len(rows), CHUNK):
        part = rows[start : start + CHUNK]
        width = max(map(len, part))
        if not width:
            continue
        ids = torch.tensor([[*row, *[0] * (width - len(row))] for row in part])
        present = torch.tensor([[True] * len(row) + [False] * (width - len(row)) for row in part])
        wanted = torch.tensor([[*row, *[False] * (width - len(row))] for row in counted[start : start + CHUNK]])
        with torch.inference_mode():
            for layer, block in enumerate(model(ids, present).blocks):
                hidden = block.feed_forward
                found[layer].append((hidden.pre[wanted], hidden.post[wanted]))
    return [(torch.cat([pre for pre, _ in layer]), torch.cat([post for _, post in layer])) for layer in found]


def _first_of_each(keys: Sequence[object]) -> Tensor:
    """The index of the first of each distinct key."""
    first: dict[object, int] = {}
    for i, key in enumerate(keys):
        first.setdefault(key, i)
    return torch.tensor(list(first.values()))


def _by_token(post: Tensor, ids: Tensor) -> Tensor:
    """Variance of the token's mean activation over the whole variance (eta squared), 0 where nothing varies: [d_ff]."""
    _, group, size = torch.unique(ids, return_inverse=True, return_counts=True)
    x = post.double() - post.double().mean(0)
    means = torch.zeros(len(size), x.shape[1], dtype=x.dtype).index_add_(0, group, x) / size[:, None]
    between, whole = (means.square() * size[:, None]).sum(0), x.square().sum(0)
    return torch.where(whole > 0, between / whole.clamp(min=1e-300), 0.0)


def _written(stack: Stack, layer: int, unembed: Tensor) -> Tensor:
    """Each neuron's row of W_out through final norm (scale left out) and unembedding: [d_ff, answer]."""
    with torch.no_grad():
        hidden = stack.layers[layer].feed_forward
        assert isinstance(hidden, FeedForward)
        rows = hidden.w_out.weight.T
        norm = stack.final_norm
        if isinstance(norm, nn.LayerNorm):
            rows = rows - rows.mean(-1, keepdim=True)
        if isinstance(norm, nn.LayerNorm | nn.RMSNorm):
            rows = rows * norm.weight
        logits = rows @ unembed.T
        return logits - logits.mean(-1, keepdim=True)
