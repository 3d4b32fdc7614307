"""The permutation experiment: the same tokens in another order, with positions and without.

Self-attention in which every position reads every other is equivariant to permutations: without positions, outputs
change places with their tokens and are otherwise the same (Lee et al., 2019, section 3). A causal mask tells order by
itself (Haviv et al., 2022), so it is left away here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import torch
from torch import Tensor

from viz_model.models import Decoder, Encoder

M = TypeVar("M", Decoder, Encoder)


@dataclass(frozen=True, slots=True, eq=False)
class OrderComparison:
    """What a model makes of two orders of the same tokens. `second` is put back into the first text's order."""

    order: tuple[int, ...]  # the place in the first text of each token of the second
    first: Tensor  # [position, d_model]   the outputs (`final_norm`) of the first text
    second: Tensor  # [position, d_model]   those of the second, each beside its own token of the first
    difference: Tensor  # [position]   the largest absolute difference of the two, over d_model

    @property
    def largest(self) -> float:
        """The largest absolute difference of all: 0 but for rounding, where outputs only change places."""
        return float(self.difference.max())

    @property
    def size(self) -> float:
        """The root mean square of the first text's outputs, to read the differences by."""
        return float(self.first.square().mean().sqrt())


def order_between(first: Sequence[int], second: Sequence[int]) -> tuple[int, ...]:
    """The place in `first` of each token of `second`, equal tokens in turn.

    Raises ValueError unless both hold the same tokens.
    """
    places: dict[int, list[int]] = {}
    for place, token in enumerate(first):
        places.setdefault(token, []).append(place)
    if sorted(first) != sorted(second):
        raise ValueError(f"texts: expected the same tokens in another order, got {list(first)} and {list(second)}.")
    return tuple(places[token].pop(0) for token in second)


def compare_orders(model: Decoder | Encoder, ids: Tensor, other_ids: Tensor, *, full: bool = True) -> OrderComparison:
    """Runs both texts, ids [1, position] each, and lays each token's outputs side by side.

    full: every position reads every other, whatever the model's own mask; False keeps that mask, under which a
    decoder's outputs differ even without positions. Raises ValueError unless the texts hold the same tokens.
    """
    if ids.shape[0] != 1 or ids.shape != other_ids.shape:
        raise ValueError(
            f"ids: expected two texts [1, position] of one length, got {list(ids.shape)} and {list(other_ids.shape)}."
        )
    order = order_between(ids[0].tolist(), other_ids[0].tolist())
    n = ids.shape[1]
    mask = torch.ones(1, 1, n, n, dtype=torch.bool, device=ids.device) if full else None
    with torch.inference_mode():
        first, moved = (model(text, mask).final_norm[0] for text in (ids, other_ids))
    second = torch.empty_like(moved)
    second[list(order)] = moved
    return OrderComparison(order, first, second, (first - second).abs().amax(-1))


def compare_texts(
    model: Decoder | Encoder, first: Sequence[int], second: Sequence[int], *, full: bool = True
) -> OrderComparison:
    """`compare_orders` for two texts given as plain token ids."""
    order_between(first, second)  # says what is wrong with texts of unequal length too
    return compare_orders(model, torch.tensor([list(first)]), torch.tensor([list(second)]), full=full)


def without_positions(model: M) -> M:
    """A copy of the model with the same weights and no positions: no vector added, nothing turned, no bias.

    It was not trained so, and predicts badly; it is there to show what its attention knows of order by itself.
    """
    bare = type(model)(replace(model.config, position="none"), tokenizer=model.tokenizer)
    bare.load_state_dict({k: v for k, v in model.state_dict().items() if not k.startswith("stack.positions.")})
    return bare.eval().requires_grad_(False)
