"""The atlas of a model: what every head does over a corpus, in scores beside their chance (`measured_roles`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from viz_model.analysis.distance import mean_distance
from viz_model.analysis.entropy import entropy, normalised_entropy
from viz_model.analysis.measured_roles import (
    MeasuredRole,
    induction_roles,
    key_patterns,
    measure,
    relation_name,
    relation_roles,
)
from viz_model.analysis.relations import RelationTable
from viz_model.analysis.results import Result
from viz_model.analysis.roles import BROAD, LIFT
from viz_model.blocks import BlockTrace
from viz_model.models import StackTrace
from viz_model.models.one_stack import OneStack

RULE = (
    f"A role names a head where its score has come at least {LIFT:g} of the way from chance to 1. Of several, the one "
    "that explains most of what the head reads: score less chance, times the words that it is about. A relation of the "
    "grammar names a head only where the head finds it better than any fixed offset would. Where no role does: "
    f"'long-range' by the same rule, 'broad' where the entropy is at least {BROAD:g} of the largest possible one, "
    "else 'mixed'."
)
"""How a head gets its name, for the page to say."""


@dataclass(frozen=True, slots=True)
class AtlasHead(Result):
    """One head: its name, and every measure behind it."""

    layer: int
    head: int
    role: str
    score: float
    chance: float
    entropy: float  # nats, mean over words
    evenness: float  # the same as a share of the largest possible entropy of each row
    distance: float  # positions, mean over weights
    roles: tuple[MeasuredRole, ...]  # those that explain most first
    finds: tuple[str, ...] = ()  # relations that this head of all finds best, and better than any offset


@dataclass(frozen=True, slots=True)
class Atlas(Result):
    """Every head of a model, by layer and head."""

    n_texts: int
    n_words: int
    n_layers: int
    n_heads: int
    uniform_entropy: float  # what a uniform head's numbers are on the same words
    uniform_distance: float
    heads: tuple[AtlasHead, ...]

    def at(self, layer: int, head: int) -> AtlasHead:
        return self.heads[layer * self.n_heads + head]

    def named(self, role: str) -> tuple[AtlasHead, ...]:
        """The heads that have this name, layer by layer."""
        return tuple(head for head in self.heads if head.role == role)


@torch.inference_mode()
def head_atlas(
    model: OneStack,
    ids: Tensor,
    *,
    present: Tensor | None = None,
    special: Tensor | None = None,
    relations: RelationTable | None = None,
    repeated: tuple[Tensor, int] | None = None,
) -> Atlas:
    """Measures every head on texts, ids [text, position].

    present, special: bool [text, position], what is no padding and what is an added token: a query is a word, so added
    tokens are read but do not count as readers. relations: `relation_table` of the same model. repeated: the texts of
    `repeated_tokens` and their period; without them induction is not measured.
    """
    present = torch.ones_like(ids, dtype=torch.bool) if present is None else present
    special = torch.zeros_like(present) if special is None else special
    trace = model(ids, mask=present)
    extra: list[list[MeasuredRole]] = [[] for _ in range(model.config.n_layers * model.config.n_heads)]
    if repeated is not None:
        _add(extra, induction_roles(model, *repeated))
    if relations is not None:
        if (relations.n_layers, relations.n_heads) != (model.config.n_layers, model.config.n_heads):
            raise ValueError("relations: expected those of this model, got another number of layers or heads.")
        _add(extra, relation_roles(relations))
    atlas = atlas_of(trace, present=present, special=special, extra=extra)
    if relations is None:
        return atlas
    found = [(score.best, relation_name(score)) for score in relations.scores if score.is_better(*score.best)]
    heads = [replace(h, finds=tuple(name for best, name in found if best == (h.layer, h.head))) for h in atlas.heads]
    return replace(atlas, heads=tuple(heads))


def atlas_of(
    trace: StackTrace[BlockTrace],
    *,
    present: Tensor,
    special: Tensor,
    extra: Sequence[Sequence[MeasuredRole]] = (),
) -> Atlas:
    """The same from a trace; extra: more roles of each head, layer by layer, measured elsewhere."""
    readers = present & ~special
    patterns = key_patterns(trace.ids, special)
    heads: list[AtlasHead] = []
    even_entropy = even_distance = 0.0
    for layer, block in enumerate(trace.blocks):
        weights, mask = block.attention.weights, block.attention.mask
        n_heads = weights.shape[1]
        chosen = readers & (mask[:, 0].sum(-1) > 1)
        counts = chosen[:, None] / chosen.sum().clamp(min=1)
        even = (mask / mask.sum(-1, keepdim=True).clamp(min=1)).to(weights.dtype).expand(len(weights), -1, -1, -1)
        spread, share = ((part * counts).sum((0, 2)) for part in (entropy(weights), normalised_entropy(weights, mask)))
        far = _over_texts(weights, chosen)
        even_entropy, even_distance = float((entropy(even) * counts).sum()), float(_over_texts(even, chosen)[0])
        kinds = [
            measure(role, weights, mask, pattern, readers, may_name=role != "long-range")
            for role, pattern in patterns.items()
        ]
        for head in range(n_heads):
            # A kind of key that no word may read says nothing.
            roles = [by_head[head] for by_head in kinds if by_head[head].chance > 0.0]
            roles += extra[layer * n_heads + head] if extra else []
            roles.sort(key=lambda role: -role.explains)
            name, score, chance = _named(roles, float(share[head]))
            numbers = (float(spread[head]), float(share[head]), float(far[head]))
            heads.append(AtlasHead(layer, head, name, score, chance, *numbers, tuple(roles)))
    n_layers = len(trace.blocks)
    n_heads = len(heads) // n_layers if n_layers else 0
    n_texts, n_words = trace.ids.shape[0], int(readers.sum())
    return Atlas(n_texts, n_words, n_layers, n_heads, even_entropy, even_distance, tuple(heads))


def _add(to: list[list[MeasuredRole]], more: list[list[MeasuredRole]]) -> None:
    for roles, new in zip(to, more, strict=True):
        roles += new


def _over_texts(weights: Tensor, readers: Tensor) -> Tensor:
    """`mean_distance` over all the texts together: [head]."""
    shares = readers.sum(1).to(weights.dtype)  # each reader's row sums to 1
    by_text = mean_distance(weights, present=readers)
    return (by_text * shares[:, None]).sum(0) / shares.sum().clamp(min=1)


def _named(roles: Sequence[MeasuredRole], evenness: float) -> tuple[str, float, float]:
    """The name of a head with its score and chance; see RULE."""
    specific = [role for role in roles if role.may_name] + [role for role in roles if role.role == "long-range"]
    for role in specific:
        if role.lift >= LIFT:
            return role.role, role.score, role.chance
    return ("broad" if evenness >= BROAD else "mixed"), evenness, 1.0
