"""Kinds of key that a head may read, each scored beside its chance.

Roles after Clark et al. (2019, section 3), Voita et al. (2019, section 5) and, for induction, Olsson et al. (2022,
section 'Definition of induction heads'). A score is the mean weight on a kind of key, over the words that have one to
read and a choice; chance is what a uniform head under the same mask gets on the same words. A role describes weights,
not a purpose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from viz_model.analysis.relations import RelationScore, RelationTable
from viz_model.analysis.results import Result
from viz_model.analysis.roles import role_patterns, role_scores
from viz_model.models.one_stack import OneStack

FAR = 5  # positions from which on a key is far away

ROLES = {
    "previous": "the word before",
    "next": "the word after",
    "first": "the first position",
    "same": "its own word, wherever it stands, itself included",
    "duplicate": "another place of its own word",
    "special": "added tokens",
    "induction": "on random words repeated once: what followed its own word last time",
    "long-range": f"words {FAR} positions away or more",
    "broad": "all about evenly: the score is the entropy as a share of the largest possible one",
    "mixed": "nothing of the list: the score is the entropy as a share of the largest possible one",
}
"""What is read, by role; a relation of the grammar is its own name."""


@dataclass(frozen=True, slots=True)
class MeasuredRole(Result):
    """How much of a kind of key a head reads (`score`) and a uniform head would (`chance`), 0 to 1."""

    role: str
    score: float
    chance: float
    per_text: float  # words of a text, in the mean, that have such a key to read and a choice
    may_name: bool = True  # False: a relation that an offset finds as well, or a kind of key that is not specific

    @property
    def lift(self) -> float:
        """(score - chance) / (1 - chance): 0 at chance, 1 at nothing but these keys."""
        return 0.0 if self.chance >= 1.0 else (self.score - self.chance) / (1.0 - self.chance)

    @property
    def explains(self) -> float:
        """(score - chance) x per_text: how many words' worth of a text's attention this is, beyond chance."""
        return (self.score - self.chance) * self.per_text


def measure(
    role: str, weights: Tensor, mask: Tensor, pattern: Tensor, readers: Tensor, *, may_name: bool = True
) -> list[MeasuredRole]:
    """Each head's role by `role_scores`, over the words `readers`, bool [text, query]."""
    scores, chance = role_scores(weights, mask, pattern, present=readers)
    has_key = (pattern & mask[:, 0]).any(-1) & (mask[:, 0].sum(-1) > 1)
    per_text = float((has_key & readers).sum()) / len(weights)
    return [MeasuredRole(role, score, chance, per_text, may_name) for score in scores]


def repeated_tokens(
    words: Sequence[int], n_texts: int, period: int, generator: torch.Generator, *, begin: int | None = None
) -> tuple[Tensor, int]:
    """Random words, all different, then the same once more: ids [text, position] and the period.

    words: the ids to draw from; begin: the id that opens each text. ValueError for fewer than `period` words.
    """
    if not 2 <= period <= len(words):
        raise ValueError(f"period: expected 2 to {len(words)} different words, got {period}.")
    chosen = torch.rand(n_texts, len(words), generator=generator).argsort(1)[:, :period]
    once = torch.tensor(words)[chosen]
    front = [] if begin is None else [once.new_full((n_texts, 1), begin)]
    return torch.cat([*front, once, once], dim=1), period


def key_patterns(ids: Tensor, special: Tensor) -> dict[str, Tensor]:
    """Kinds of key, bool [text or 1, query, key]."""
    n = ids.shape[1]
    patterns = role_patterns(ids)
    position = torch.arange(n)
    distance = (position[None, :] - position[:, None]).abs()[None]
    patterns["duplicate"] = patterns["same"] & (distance > 0)
    patterns["long-range"] = (distance >= FAR) & ~special[:, None, :]
    if bool((special & (position > 0)).any()):  # else the only added token is the first position
        patterns["special"] = special[:, None, :].expand(-1, n, -1)
    return patterns


def induction_roles(model: OneStack, ids: Tensor, period: int) -> list[list[MeasuredRole]]:
    """Each head's weight on what followed the query's word in the first round, for the words of the second."""
    n = ids.shape[1]
    position = torch.arange(n)
    pattern = (position[None, :] - position[:, None] == 1 - period)[None]
    second = (position >= n - period).expand(len(ids), n)
    found = []
    for block in model(ids).blocks:
        by_head = measure("induction", block.attention.weights, block.attention.mask, pattern, second)
        found += [[role] for role in by_head]
    return found


def relation_roles(table: RelationTable) -> list[list[MeasuredRole]]:
    return [
        [
            MeasuredRole(
                relation_name(s),
                s.weight[layer][head],
                s.chance_weight,
                s.n / table.n_scoring,
                s.is_better(layer, head),
            )
            for s in table.scores
        ]
        for layer in range(table.n_layers)
        for head in range(table.n_heads)
    ]


def relation_name(score: RelationScore) -> str:
    return score.relation if score.reading == "back" else f"{score.relation} ({score.reading})"
