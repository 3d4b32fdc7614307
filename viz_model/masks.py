"""Who may read whom: boolean masks, True = the query (row) may attend to the key (column)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Blocked:
    """A mask as the softmax uses it: made once, used by every layer."""

    penalty: Tensor  # [batch or 1, 1, query, key]  0 where a query may attend, the lowest number elsewhere
    closed: Tensor | None  # bool [batch or 1, 1, query, 1]  queries without any key; None where each has one


def blocked(mask: Tensor, dtype: torch.dtype = torch.float32) -> Blocked:
    """mask: bool [batch or 1, 1, query, key], True = may attend."""
    # Not -inf: the softmax of a row of nothing else would be NaN, and so would its gradient.
    penalty = torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(~mask, torch.finfo(dtype).min)
    closed = ~mask.any(dim=-1, keepdim=True)
    return Blocked(penalty, closed if mask.device.type == "meta" or bool(closed.any()) else None)


def full(n_query: int, n_key: int | None = None) -> Tensor:
    """Every query may read every key. Returns bool [1, 1, query, key]."""
    return torch.ones(1, 1, n_query, n_query if n_key is None else n_key, dtype=torch.bool)


def causal(n: int) -> Tensor:
    """A query reads itself and what came before (Vaswani et al., 2017, section 3.2.3). Bool [1, 1, query, key]."""
    return full(n).tril()


def prefix(n: int, length: int) -> Tensor:
    """The first `length` positions read each other freely, the rest is causal (Raffel et al., 2020, section 3.2.1)."""
    _at_least("length", length, 0)
    mask = causal(n)
    mask[..., :length] = True
    return mask


def window(n: int, width: int, *, is_causal: bool = False) -> Tensor:
    """A query reads keys less than `width` positions away (Beltagy et al., 2020). Bool [1, 1, query, key]."""
    _at_least("width", width, 1)
    position = torch.arange(n)
    near = (position[:, None] - position[None, :]).abs() < width
    return near[None, None] & causal(n) if is_causal else near[None, None]


def strided(n: int, stride: int) -> Tensor:
    """Causal; the last `stride` keys and every `stride`-th before them (Child et al., 2019, section 4.2)."""
    _at_least("stride", stride, 1)
    distance = torch.arange(n)[:, None] - torch.arange(n)[None, :]
    return (((distance < stride) | (distance % stride == 0)) & (distance >= 0))[None, None]


def block(n: int, size: int) -> Tensor:
    """A query reads the keys of its own block of `size` positions. Bool [1, 1, query, key]."""
    _at_least("size", size, 1)
    of = torch.arange(n) // size
    return (of[:, None] == of[None, :])[None, None]


def padding(present: Tensor) -> Tensor:
    """Keys that are real tokens. From bool [batch, key] (True = a token) to bool [batch, 1, 1, key]."""
    return present.bool()[:, None, None, :]


def resolve(own: Tensor, given: Tensor | None, *, n_query: int, n_key: int, batch: int) -> Tensor:
    """The mask that attention uses: the model's own, narrowed by padding or replaced by a whole mask.

    given: None, or bool [batch, key] (which keys are tokens: narrows), or bool [batch or 1, 1, query, key] (replaces).
    Returns bool [batch or 1, 1, query, key].
    """
    if given is None:
        return own
    if given.dtype != torch.bool:
        raise TypeError(f"mask: expected bool (True = may attend), got {str(given.dtype).removeprefix('torch.')}.")
    narrows = given.dim() == 2 and given.shape[1] == n_key
    if not narrows and not (given.dim() == 4 and given.shape[1:] == (1, n_query, n_key)):
        raise ValueError(
            f"mask: expected [batch, {n_key}] or [batch or 1, 1, {n_query}, {n_key}], got {list(given.shape)}."
        )
    if given.shape[0] not in (1, batch):
        raise ValueError(f"mask: expected one row, or one for each of {batch} texts, got {given.shape[0]}.")
    return own & padding(given) if narrows else given


def _at_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise ValueError(f"{name}: expected at least {least}, got {value}.")
