"""Changes to a run, as data: `model(ids, edits=(AblateHead(layer=0, head=2),))`.

An edit is a small frozen callable. Attention calls it with the tensor that it changes (the weights, or the heads'
outputs) and gets a changed copy back: nothing is stored on the model, so two people's edits cannot meet. Edits
apply in the order given. `code` writes an edit as a short word for a link; `edit_codes.parse_edit` reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor

StackName = Literal["", "encoder", "decoder"]
AttentionName = Literal["self", "cross"]
Site = Literal["weights", "heads"]


@dataclass(frozen=True, slots=True)
class Edit:
    """One head of one layer; `stack` and `attention` say which, where a model has several."""

    layer: int
    head: int
    stack: StackName = field(default="", kw_only=True)
    attention: AttentionName = field(default="self", kw_only=True)

    name: ClassVar[str]

    @property
    def site(self) -> Site:
        """What `__call__` changes: 'weights' [batch, head, query, key] or 'heads' [batch, head, query, d_head]."""
        return "weights"

    def __call__(self, x: Tensor, mask: Tensor) -> Tensor:
        """A changed copy of `x`; mask is bool [batch or 1, 1, query, key], True = may attend."""
        raise NotImplementedError

    @property
    def code(self) -> str:
        """The edit as a word for a link, e.g. 'ablate_0_2'; its parts in the order of the fields."""
        own = [f.name for f in fields(self) if f.name not in ("stack", "attention", "source")]
        parts = [self.name, *(_written(getattr(self, name)) for name in own)]
        parts += [self.stack] if self.stack else []
        return "_".join(parts + (["cross"] if self.attention == "cross" else []))


@dataclass(frozen=True, slots=True)
class AblateHead(Edit):
    """Silences a head: its output becomes zero, so its term leaves the residual stream."""

    name: ClassVar[str] = "ablate"

    @property
    def site(self) -> Site:
        return "heads"

    def __call__(self, x: Tensor, mask: Tensor) -> Tensor:
        return _with_head(x, self.head, torch.zeros_like(x[:, self.head]))


@dataclass(frozen=True, slots=True)
class UniformHead(Edit):
    """Makes a head read all keys that it may attend to equally."""

    name: ClassVar[str] = "uniform"

    def __call__(self, x: Tensor, mask: Tensor) -> Tensor:
        open_keys = mask[:, 0].to(x.dtype)
        uniform = open_keys / open_keys.sum(-1, keepdim=True).clamp(min=1)
        return _with_head(x, self.head, uniform.expand_as(x[:, self.head]))


@dataclass(frozen=True, slots=True)
class KnockOut(Edit):
    """Cuts the link from a query to a key; query None cuts it for every query.

    renormalise: the row's other weights grow to sum to 1 again, as if the key had been masked. Otherwise they stay
    and the row sums to less. A row with nothing left becomes zeros.
    """

    query: int | None
    key: int
    renormalise: bool = True
    name: ClassVar[str] = "cut"

    def __call__(self, x: Tensor, mask: Tensor) -> Tensor:
        _check_position("key", self.key, x.shape[-1])
        cut = torch.zeros(x.shape[-2:], dtype=torch.bool, device=x.device)
        cut[_rows(self.query, x.shape[-2]), self.key] = True
        kept = x[:, self.head].masked_fill(cut, 0.0)
        if self.renormalise:
            scaled = _to_sum(kept, 1.0)
            kept = torch.where(cut.any(-1, keepdim=True), scaled, kept)
        return _with_head(x, self.head, kept)


@dataclass(frozen=True, slots=True)
class SetWeight(Edit):
    """Sets the weight of one query-key link to `value` in 0..1.

    renormalise: the row's other weights share 1 - value in their old proportions (equally among the keys that may
    be attended to, where all of them were zero). A masked link can be set too: the edit is the person's will.
    """

    query: int
    key: int
    value: float
    renormalise: bool = True
    name: ClassVar[str] = "set"

    def __post_init__(self) -> None:
        if not 0.0 <= self.value <= 1.0:
            raise ValueError(f"value: expected a weight from 0 to 1, got {self.value}.")

    def __call__(self, x: Tensor, mask: Tensor) -> Tensor:
        _check_position("key", self.key, x.shape[-1])
        at_query = torch.zeros(x.shape[-2], 1, dtype=torch.bool, device=x.device)
        at_query[_rows(self.query, x.shape[-2])] = True
        at_key = torch.arange(x.shape[-1], device=x.device) == self.key
        row = x[:, self.head, self.query]
        if self.renormalise:
            others = row.masked_fill(at_key, 0.0)
            spare = (mask[:, 0, self.query] & ~at_key).to(x.dtype).expand_as(others)
            row = _to_sum(torch.where(others.sum(-1, keepdim=True) > 0, others, spare), 1.0 - self.value)
        row = row.masked_fill(at_key, self.value)
        return _with_head(x, self.head, torch.where(at_query, row[:, None], x[:, self.head]))


@dataclass(frozen=True, slots=True)
class PatchHead(Edit):
    """Puts in what the same head computed in another run: its outputs ('heads') or its weights.

    source: the other run's trace, or a text that `vm.run` first runs without edits. Both runs must have the same
    number of positions.
    """

    source: Any  # str, or a trace: a text keeps the edit hashable by value, a trace by identity
    what: Site = "heads"
    name: ClassVar[str] = "patch"

    def __post_init__(self) -> None:
        if self.what not in ("weights", "heads"):
            raise ValueError(f"what: expected 'heads' or 'weights', got {self.what!r}.")

    @property
    def site(self) -> Site:
        return self.what

    def __call__(self, x: Tensor, mask: Tensor) -> Tensor:
        if isinstance(self.source, str):
            raise TypeError("source: a model expects a trace here, got a text; vm.run turns texts into traces.")
        stack = getattr(self.source, self.stack, None) if self.stack else self.source
        blocks = getattr(stack, "blocks", ())
        if not self.layer < len(blocks):
            raise ValueError(f"{self._where}: expected a run with such a layer, got one of {len(blocks)} layers.")
        block = blocks[self.layer]
        trace = getattr(block, "cross_attention" if self.attention == "cross" else "attention", None)
        heads: Tensor | None = getattr(trace, self.what, None)
        if heads is None or not self.head < heads.shape[1]:
            raise ValueError(f"{self._where}: expected a run with such a head, got one without.")
        other = heads[:, self.head]
        if other.shape[1:] != x.shape[2:] or other.shape[0] not in (1, x.shape[0]):
            raise ValueError(
                f"{self._where}: expected {self.what} of shape {[x.shape[0], *x.shape[2:]]} from the other run, "
                f"got {list(other.shape)}; both texts must have the same number of tokens."
            )
        return _with_head(x, self.head, other.expand_as(x[:, self.head]))

    @property
    def _where(self) -> str:
        return f"patch of layer {self.layer}, head {self.head}"


def check_edits(edits: Iterable[Edit], *, stacks: dict[str, tuple[int, int, bool]]) -> None:
    """Raises ValueError for an edit that names no head of the model.

    stacks: name -> (n_layers, n_heads, whether it has cross-attention); the name is '' where there is one stack.
    """
    for edit in edits:
        if edit.stack not in stacks:
            names = " or ".join(repr(name) for name in stacks)
            raise ValueError(f"edit {edit.code}: expected stack {names}, got {edit.stack!r}.")
        n_layers, n_heads, has_cross = stacks[edit.stack]
        if edit.attention == "cross" and not has_cross:
            raise ValueError(f"edit {edit.code}: expected self-attention, got cross, which this stack does not have.")
        if not 0 <= edit.layer < n_layers:
            known = f"a layer from 0 to {n_layers - 1}" if n_layers else "no edit, since there is no layer"
            raise ValueError(f"edit {edit.code}: expected {known}, got {edit.layer}.")
        if not 0 <= edit.head < n_heads:
            raise ValueError(f"edit {edit.code}: expected a head from 0 to {n_heads - 1}, got {edit.head}.")


def select(
    edits: Sequence[Edit], *, layer: int | None = None, stack: str | None = None, attention: str | None = None
) -> tuple[Edit, ...]:
    """The edits of one layer, stack or kind of attention, in their order."""
    return tuple(
        edit
        for edit in edits
        if layer in (None, edit.layer) and stack in (None, edit.stack) and attention in (None, edit.attention)
    )


def _with_head(x: Tensor, head: int, values: Tensor) -> Tensor:
    return torch.cat((x[:, :head], values[:, None], x[:, head + 1 :]), dim=1)


def _to_sum(weights: Tensor, total: float) -> Tensor:
    """Rows scaled to sum to `total`; a row of zeros stays zeros."""
    now = weights.sum(-1, keepdim=True)
    # Divided first: what is left may be next to nothing, and 1 / next to nothing is infinite.
    return torch.where(now > 0, weights / torch.where(now > 0, now, 1.0) * total, 0.0)


def _rows(query: int | None, n: int) -> slice:
    if query is None:
        return slice(None)
    _check_position("query", query, n)
    return slice(query, query + 1)


def _check_position(name: str, position: int, n: int) -> None:
    if not 0 <= position < n:
        raise ValueError(f"{name}: expected a position from 0 to {n - 1}, got {position}.")


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "all" if value is None else str(value)
