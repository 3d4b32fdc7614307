"""What heads may read in code: the bracket that is closed, the end of the line before, the indentation above."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor

from viz_model.models import ModelTrace
from viz_model.tasks.code import bracket_pairs
from viz_model.tokenizer import Tokenizer

Links = list[tuple[int, int]]  # (query, key)
Aims = list[tuple[int, tuple[int, ...]]]  # (query, all the keys that are right for it)


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


def indentation_aims(characters: Sequence[str]) -> Aims:
    """A space that opens a line reads the spaces that open the line above: how deep is this line to go?

    Of lines whose line above ended within the text, begins with spaces and holds more than them.
    """
    ends = [place for place, character in enumerate(characters) if character == "\n"]
    aims: Aims = []
    for before, end in pairwise(ends):
        above = _opening_spaces(characters, before + 1)
        if above and above[-1] + 1 < end:
            aims += [(place, above) for place in _opening_spaces(characters, end + 1)]
    return aims


def aims_in(characters: Sequence[str]) -> dict[str, Aims]:
    """All kinds of place that should be read: "bracket", "line end" and "indentation"."""
    return {
        "bracket": [(query, (key,)) for query, key in bracket_links(characters)],
        "line end": [(query, (key,)) for query, key in line_end_links(characters)],
        "indentation": indentation_aims(characters),
    }


def all_weights(trace: ModelTrace) -> Tensor:
    """The self-attention of a one-text trace: [layer, head, query, key]."""
    return torch.stack([block.attention.weights[0] for block in trace.blocks])


def aim_weight(weights: Tensor, aims: Aims) -> Tensor | None:
    """Mean weight of each head on the right keys together, [layer, head] of [layer, head, query, key]; None of none."""
    if not aims:
        return None
    each = [weights[:, :, query, list(keys)].sum(-1) for query, keys in aims]
    found: Tensor = torch.stack(each).mean(0)
    return found


def _opening_spaces(characters: Sequence[str], start: int) -> tuple[int, ...]:
    """The places of the spaces from `start` on."""
    stop = start
    while stop < len(characters) and characters[stop] == " ":
        stop += 1
    return tuple(range(start, stop))
