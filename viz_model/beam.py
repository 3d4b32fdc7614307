"""Beam search: several texts written on side by side, of which the likeliest is kept; the whole tree is the result.

At each depth every open hypothesis is asked for its next token in one batch, and the `width` candidates of the highest
score go on (Sutskever et al., 2014, section 3.2). One that ends keeps its place, so that never more than `width` are
held. Scores are log P(Y) / lp(Y) with lp(Y) = ((5 + |Y|) / 6) ** length_penalty (Wu et al., 2016, section 7), where |Y|
counts the tokens written, the stop token among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from viz_model.edits import Edit
from viz_model.generation import check_start
from viz_model.models import Decoder, EncoderDecoder


@dataclass(frozen=True, slots=True)
class BeamNode:
    """One candidate: a token after the tokens of its parents."""

    index: int  # its place in `BeamTree.nodes`
    depth: int  # 0 is the first token written
    token: int
    parent: int | None  # None: follows what was given
    log_probability: float  # of the token after its parents, in nats
    total: float  # log probability of the whole text written
    score: float  # total under the length penalty
    kept: bool  # among the best of its depth; a pruned one is not written on
    finished: bool  # kept, and ends with the stop token


@dataclass(frozen=True, slots=True)
class BeamTree:
    """All candidates that were compared, and what came of them."""

    width: int
    length_penalty: float
    nodes: tuple[BeamNode, ...]  # by depth; of a parent's candidates, its `width` likeliest
    finished: tuple[BeamNode, ...]  # hypotheses that ended, best score first
    open: tuple[BeamNode, ...]  # those that the last depth left unended, best score first

    @property
    def best(self) -> BeamNode:
        """The best finished hypothesis, or the best open one where none has ended."""
        return (self.finished or self.open)[0]

    def path(self, node: BeamNode) -> tuple[BeamNode, ...]:
        """The node with its parents, from the first token on."""
        found = [node]
        while found[-1].parent is not None:
            found.append(self.nodes[found[-1].parent])
        return tuple(reversed(found))

    def ids(self, node: BeamNode) -> tuple[int, ...]:
        """The tokens written up to the node, the stop token among them where it has ended."""
        return tuple(one.token for one in self.path(node))


def length_factor(length: int, penalty: float) -> float:
    """What log P is divided by for a text of `length` tokens (Wu et al., 2016, equation 14); 1 at penalty 0."""
    return float(((5 + length) / 6) ** penalty)


def beam_search(
    model: Decoder | EncoderDecoder,
    ids: Tensor,
    *,
    target_ids: Tensor | None = None,
    width: int,
    n: int,
    stop: int | None = None,
    length_penalty: float = 0.0,
    edits: Sequence[Edit] = (),
) -> BeamTree:
    """Writes up to n tokens on from ids [1, position], or from target_ids [1, target] with ids as the source.

    width 1 is greedy writing. The search ends when all hypotheses have ended, after n tokens, or with a full context.
    Raises TypeError for a model that does not write, ValueError for a width or n below 1 or more than one text.
    """
    check_start(model, ids, target_ids)
    for name, number in (("width", width), ("n", n)):
        if number < 1:
            raise ValueError(f"{name}: expected at least 1, got {number}.")
    if not 0.0 <= length_penalty <= 10.0:
        raise ValueError(f"length_penalty: expected a number from 0 to 10, got {length_penalty}.")
    config = model.config.decoder if isinstance(model, EncoderDecoder) else model.config
    given = ids if target_ids is None else target_ids
    nodes: list[BeamNode] = []
    live: list[BeamNode | None] = [None]  # None: nothing is written yet
    written, finished = given, list[BeamNode]()
    for depth in range(min(n, config.context_length - given.shape[1] + 1)):
        log_probabilities = _next(model, ids, written, target_ids is not None, edits)
        best = torch.sort(log_probabilities, descending=True, stable=True)
        factor = length_factor(depth + 1, length_penalty)
        found = [
            (parent, row, token, value, (parent.total if parent else 0.0) + value)
            for row, parent in enumerate(live)
            for token, value in zip(best.indices[row, :width].tolist(), best.values[row, :width].tolist(), strict=True)
        ]
        places = width - len(finished)
        ranked = sorted(range(len(found)), key=lambda i: -found[i][4])[:places]
        rows: list[int] = []
        made: list[BeamNode] = []
        for i, (parent, row, token, value, total) in enumerate(found):
            kept = i in ranked
            node = BeamNode(
                index=len(nodes),
                depth=depth,
                token=token,
                parent=None if parent is None else parent.index,
                log_probability=value,
                total=total,
                score=total / factor,
                kept=kept,
                finished=kept and token == stop,
            )
            nodes.append(node)
            if node.finished:
                finished.append(node)
            elif kept:
                made.append(node)
                rows.append(row)
        live = list(made)
        if not made or written.shape[1] >= config.context_length:
            break
        written = torch.cat((written[rows], written.new_tensor([[node.token] for node in made])), dim=1)
    left = [node for node in live if node is not None]
    order = [tuple(sorted(some, key=lambda node: -node.score)) for some in (finished, left)]
    return BeamTree(width, length_penalty, tuple(nodes), *order)


def _next(
    model: Decoder | EncoderDecoder, ids: Tensor, written: Tensor, has_source: bool, edits: Sequence[Edit]
) -> Tensor:
    """Log probabilities of the next token, float64 [hypothesis, vocab]."""
    with torch.inference_mode():
        if has_source:
            logits = model(ids.expand(len(written), -1), written, edits=edits).logits
        else:
            logits = model(written, edits=edits).logits
        return logits[:, -1].double().log_softmax(-1)  # type: ignore[no-any-return]
