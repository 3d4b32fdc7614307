"""What heads read in code: the bracket that a closing one closes, and at a line's end the end of the line before."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor

from viz_model.models import ModelTrace
from viz_model.tasks.code import bracket_pairs
from viz_model.tokenizer import Tokenizer

Links = list[tuple[int, int]]


def characters_of(tokenizer: Tokenizer, ids: Sequence[int]) -> list[str]:
    """The characters that a character-level tokenizer's ids stand for, a special token's an empty one."""
    n_specials = len(tokenizer.specials.names)
    return [tokenizer.decode([i]) if i >= n_specials else "" for i in ids]


def bracket_links(characters: Sequence[str]) -> Links:
    """(closing place, opening place) of every pair that matches."""
    return bracket_pairs(characters)


def line_end_links(characters: Sequence[str]) -> Links:
    """(end of a line, end of the line before): where the next line's indentation is decided, and was decided last."""
    ends = [place for place, character in enumerate(characters) if character == "\n"]
    return [(end, before) for before, end in pairwise(ends)]


def all_weights(trace: ModelTrace) -> Tensor:
    """The self-attention of a one-text trace: [layer, head, query, key]."""
    return torch.stack([block.attention.weights[0] for block in trace.blocks])


def link_weight(weights: Tensor, links: Links) -> Tensor | None:
    """Mean weight of each head on the links (query, key), [layer, head] of [layer, head, query, key]; None of none."""
    if not links:
        return None
    queries, keys = (torch.tensor(ends) for ends in zip(*links, strict=True))
    found: Tensor = weights[:, :, queries, keys].mean(-1)
    return found
