"""What a head seems to do: simple scores on one text, each beside what a uniform head would score.

After the patterns in Clark et al. (2019, section 3) and Voita et al. (2019, section 5): a score is the mean weight on
one key (or kind of key). A role is a description of this text's weights, not of the head's purpose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from viz_model.analysis.entropy import normalised_entropy
from viz_model.blocks import BlockTrace
from viz_model.models import StackTrace

LIFT = 0.4  # a role's score has come at least this share of the way from chance to 1
BROAD = 0.9  # the normalised entropy from which a head counts as reading everything about evenly


@dataclass(frozen=True, slots=True)
class RoleScore:
    """How much a head (`score`) and a uniform one under the same mask (`chance`) read of a kind of key, 0 to 1."""

    role: str
    score: float
    chance: float

    @property
    def lift(self) -> float:
        """(score - chance) / (1 - chance): 0 at chance, 1 at nothing but these keys."""
        return 0.0 if self.chance >= 1.0 else (self.score - self.chance) / (1.0 - self.chance)


def role_patterns(ids: Tensor, special: Sequence[bool] = ()) -> dict[str, Tensor]:
    """The keys that each role reads, bool [batch or 1, query, key], from ids [batch, position].

    previous, next: the neighbour; first: position 0; same: the query's own token, wherever it stands, itself included;
    special: added tokens, where `special` tells them ([CLS] and the like).
    """
    n = ids.shape[1]
    position = torch.arange(n, device=ids.device)
    step = (position[None, :] - position[:, None])[None]
    patterns = {
        "previous": step == -1,
        "next": step == 1,
        "first": (position == 0).expand(1, n, n),
        "same": ids[:, :, None] == ids[:, None, :],
    }
    if any(special):
        patterns["special"] = torch.tensor(special, device=ids.device).expand(1, n, n)
    return patterns


def role_scores(
    weights: Tensor, mask: Tensor, pattern: Tensor, *, present: Tensor | None = None
) -> tuple[list[float], float]:
    """Each head's mean weight on a pattern's keys, and the uniform head's: ([head], chance).

    Over the queries (of the whole batch) that have a choice, two open keys or more, one of them of the pattern.
    weights: [batch, head, query, key]; mask: bool [batch or 1, 1, query, key]; pattern: bool [batch or 1, query, key];
    present: bool [batch, query], the queries that are no padding. Without such a query all is 0.
    """
    open_keys = mask[:, 0]
    wanted = pattern & open_keys
    counts = ((open_keys.sum(-1) > 1) & wanted.any(-1)).expand(weights.shape[0], -1)  # [batch, query]
    if present is not None:
        counts = counts & present
    n = counts.sum().clamp(min=1)
    on_pattern = (weights * wanted[:, None]).sum(-1)  # [batch, head, query]
    uniform = wanted.sum(-1) / open_keys.sum(-1).clamp(min=1)  # [batch or 1, query]
    scores = (on_pattern * counts[:, None]).sum((0, 2)) / n
    return scores.tolist(), float((uniform * counts).sum() / n)


def head_roles(
    trace: StackTrace[BlockTrace], *, special: Sequence[bool] = (), present: Tensor | None = None
) -> tuple[tuple[RoleScore, ...], ...]:
    """The role of every self-attention head, as [layer][head], with its score and its chance.

    The role with the largest lift, where that is at least LIFT (.4). Otherwise 'broad' where the mean normalised
    entropy is at least BROAD (.9), else 'mixed', both with that entropy as the score and a uniform head's, 1, as the
    chance. 'one key' where no query has two keys to choose from. special: one for each position, `Encoding.special`.
    """
    n = trace.ids.shape[1]
    if special and len(special) != n:
        raise ValueError(f"special: expected one for each of {n} tokens, got {len(special)}.")
    patterns = role_patterns(trace.ids, special)
    return tuple(_layer_roles(block, patterns, present) for block in trace.blocks)


def _layer_roles(block: BlockTrace, patterns: dict[str, Tensor], present: Tensor | None) -> tuple[RoleScore, ...]:
    weights, mask = block.attention.weights, block.attention.mask
    scores = {role: role_scores(weights, mask, pattern, present=present) for role, pattern in patterns.items()}
    counts = (mask[:, 0].sum(-1) > 1).expand(weights.shape[0], -1)
    if present is not None:
        counts = counts & present
    n_rows = int(counts.sum())
    spread = (normalised_entropy(weights, mask) * counts[:, None]).sum((0, 2)) / max(n_rows, 1)
    roles = []
    for head, even in enumerate(spread.tolist()):
        best = max((RoleScore(role, by_head[head], chance) for role, (by_head, chance) in scores.items()), key=_lift)
        if n_rows == 0:
            roles.append(RoleScore("one key", 1.0, 1.0))
        elif best.lift >= LIFT:
            roles.append(best)
        else:
            roles.append(RoleScore("broad" if even >= BROAD else "mixed", even, 1.0))
    return tuple(roles)


def _lift(score: RoleScore) -> float:
    return score.lift
