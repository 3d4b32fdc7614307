"""What a task is: examples with known answers, a measure of success, and where it is known the right attention."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from viz_model.tokenizer import Tokenizer

ModelKind = Literal["decoder", "encoder", "encoder-decoder", "vision", "span"]


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Examples as a model reads them, padded, and what it is asked.

    With a target (encoder-decoder) `asked` speaks of the target's positions, else of the ids'.
    """

    ids: Tensor  # [batch, position]; or patches [batch, position, pixel] for a vision model
    present: Tensor  # [batch, position]  bool, True = a token, False = padding; or a whole mask, as a model takes it
    asked: Tensor  # [batch, position]  bool, True = the logits here are compared with an answer
    answers: Tensor  # [asked]  the right ids (or classes), in the order of `asked`
    target_ids: Tensor | None = None  # [batch, target position]  what the decoder reads: begin, then the answer
    target_present: Tensor | None = None  # [batch, target position]


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """The right attention, where it is known: which key each query should read."""

    name: str  # what the link is: 'the symbol to copy', 'the word that is translated'
    keys: Tensor  # [batch, query, key]  bool, True = a right key; a query without one does not count
    attention: Literal["self", "cross"] = "self"
    stack: Literal["", "encoder", "decoder"] = ""


@dataclass(frozen=True, slots=True)
class Probe:
    """The one input whose attention is watched while a model learns."""

    text: str
    tokens: tuple[str, ...]
    target: str | None = None
    target_tokens: tuple[str, ...] | None = None


class Task(ABC):
    """A source of examples. Its batches depend on the generator alone; held-out examples are never trained on."""

    name: ClassVar[str]
    title: ClassVar[str]  # for people: 'Reverse'
    about: ClassVar[str]  # one sentence: what is asked
    metric: ClassVar[str]  # what `accuracy` counts: 'whole answers right'
    kind: ClassVar[ModelKind] = "decoder"

    tokenizer: Tokenizer
    target_tokenizer: Tokenizer | None = None

    @abstractmethod
    def batch(self, size: int, generator: torch.Generator) -> Batch:
        """`size` training examples, drawn by the generator alone."""

    @abstractmethod
    def held_out(self) -> Batch:
        """Fixed examples that training never sees, some hundreds; the same at every call."""

    @abstractmethod
    def probe(self) -> tuple[Probe, Batch]:
        """The watched example, as text and as a batch of one; never trained on."""

    def expected(self, batch: Batch) -> tuple[Expected, ...]:
        """The right attention for a batch of this task; none where nobody knows it."""
        return ()

    def logits(self, model: Any, batch: Batch) -> Tensor:
        """The model's logits for a batch, by fused attention: [batch, position, vocab or class]."""
        found: Tensor
        if batch.target_ids is not None:
            found = model.logits(batch.ids, batch.target_ids, batch.present, batch.target_present)
        else:
            found = model.logits(batch.ids, batch.present)
        return found

    def loss(self, model: Any, batch: Batch) -> Tensor:
        """Cross entropy in nats a predicted token."""
        return F.cross_entropy(self.logits(model, batch)[batch.asked], batch.answers)

    def accuracy(self, model: Any, batch: Batch | None = None) -> float:
        """Share of held-out examples in which every asked token is the likeliest (or what the task's metric says)."""
        batch = batch or self.held_out()
        with torch.inference_mode():
            right = self.logits(model, batch).argmax(-1)
        wrong = batch.asked.clone()
        wrong[batch.asked] = right[batch.asked] != batch.answers
        return float((~wrong.any(-1)).double().mean())

    def figures(self, model: Any) -> dict[str, float]:
        """What a trained model has learned, in numbers, for its card: name (with unit) -> value."""
        return {self.metric: self.accuracy(model)}


def pad(rows: Sequence[Sequence[int]], pad_id: int) -> tuple[Tensor, Tensor]:
    """Rows of ids to one tensor [batch, position], short ones padded, and which entries are tokens (bool)."""
    width = max(len(row) for row in rows)
    ids = torch.tensor([[*row, *[pad_id] * (width - len(row))] for row in rows])
    present = torch.tensor([[True] * len(row) + [False] * (width - len(row)) for row in rows])
    return ids, present
