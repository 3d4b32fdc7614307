"""What a model loses without each head, and what each head does alone: losses over one batch, under edits.

Michel et al. (2019, section 3.2, all heads but one kept; section 3.3, one head of a layer kept), with zero for a
silenced head's output, not its mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from viz_model import masks
from viz_model.analysis.results import Result
from viz_model.blocks import BlockTrace, Reading
from viz_model.edits import AblateHead, Edit, select
from viz_model.models.one_stack import OneStack
from viz_model.tasks.task import Batch

Kept = Literal["whole", "without", "only", "none"]

CHUNK = 128  # texts that are run at once


@dataclass(frozen=True, slots=True, eq=False)
class Choices:
    """Pairs of tokens of which one is right: `Choices(*task.verbs(1))` asks for the verb's number."""

    ids: Tensor  # [item, position]
    present: Tensor  # bool [item, position]
    at: Tensor  # [item]  the position whose logits are asked
    right: Tensor  # [item]  ids
    wrong: Tensor  # [item]


@dataclass(frozen=True, slots=True)
class Ablation(Result):
    """A run under ablation: 'whole' (none), 'without' this head, 'only' this head of its layer, 'none' of the layer."""

    kept: Kept
    layer: int | None
    head: int | None
    loss: float  # nats an asked token
    accuracy: float  # share of the asked tokens whose answer is the likeliest
    agreement: float | None  # share of the choices whose right token has the larger logit; None: not measured


@dataclass(frozen=True, slots=True)
class AblationTable(Result):
    """The whole model, then each head's ablations, on the same questions."""

    n_texts: int
    n_asked: int
    n_choices: int
    n_layers: int
    n_heads: int
    whole: Ablation
    without: tuple[Ablation, ...]  # layer by layer, head by head
    only: tuple[Ablation, ...]
    none: tuple[Ablation, ...]  # one for each layer

    def of(self, kept: Literal["without", "only"], layer: int, head: int) -> Ablation:
        """The row of one head."""
        return (self.without if kept == "without" else self.only)[layer * self.n_heads + head]


def ablation_edits(n_heads: int, kept: Kept, layer: int, head: int | None = None) -> tuple[Edit, ...]:
    """The edits of an ablation: AblateHead for this head ('without'), all others of its layer ('only') or all."""
    if kept == "without":
        silent = [h for h in range(n_heads) if h == head]
    else:
        silent = [h for h in range(n_heads) if kept == "none" or (kept == "only" and h != head)]
    return tuple(AblateHead(layer, other) for other in silent)


@torch.inference_mode()
def ablation_table(
    model: OneStack, batch: Batch, *, choices: Choices | None = None, edits: Sequence[Edit] = ()
) -> AblationTable:
    """Every ablation of a one-stack model on a batch of its task, `edits` in force throughout."""
    n_layers, n_heads = model.config.n_layers, model.config.n_heads
    questions = _questions(model, batch.ids, batch.present, batch.asked, batch.answers, edits)
    pairs: list[_Question] = []
    if choices is not None:
        asked = torch.zeros_like(choices.present)
        asked[torch.arange(len(choices.at)), choices.at] = True
        two = torch.stack((choices.right, choices.wrong), 1)
        pairs = _questions(model, choices.ids, choices.present, asked, two, edits)

    def run(kept: Kept, layer: int | None, head: int | None) -> Ablation:
        made = (*edits, *(() if layer is None else ablation_edits(n_heads, kept, layer, head)))
        loss = right = agrees = 0.0
        for question in questions:
            logits = question.logits(model, layer or 0, made)
            loss += float(F.cross_entropy(logits, question.answers, reduction="sum"))
            right += float((logits.argmax(-1) == question.answers).sum())
        for pair in pairs:
            rivals = pair.logits(model, layer or 0, made).gather(1, pair.answers)
            agrees += float((rivals[:, 0] > rivals[:, 1]).sum())
        n = max(len(batch.answers), 1)
        agreement = None if choices is None else agrees / max(len(choices.at), 1)
        return Ablation(kept, layer, head, loss / n, right / n, agreement)

    every = [(layer, head) for layer in range(n_layers) for head in range(n_heads)]
    return AblationTable(
        n_texts=len(batch.ids),
        n_asked=len(batch.answers),
        n_choices=0 if choices is None else len(choices.at),
        n_layers=n_layers,
        n_heads=n_heads,
        whole=run("whole", None, None),
        without=tuple(run("without", *at) for at in every),
        only=tuple(run("only", *at) for at in every),
        none=tuple(run("none", layer, None) for layer in range(n_layers)),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Question:
    """Texts of about one length, cut to the longest of them."""

    reading: Reading
    resid_pre: tuple[Tensor, ...]  # what enters each layer of the unablated run: the layers below need no second run
    asked: Tensor  # bool [text, position]
    answers: Tensor  # [asked, ...]

    def logits(self, model: OneStack, layer: int, edits: Sequence[Edit]) -> Tensor:
        """[asked, vocab_size], run anew from `layer` on."""
        resid = self.resid_pre[layer]
        for i in range(layer, model.config.n_layers):
            block: BlockTrace = model.stack.blocks[i](resid, self.reading, edits=select(edits, layer=i))
            resid = block.resid_post
        logits: Tensor = model.unembed(model.stack.final_norm(resid[self.asked]))
        return logits


def _questions(
    model: OneStack, ids: Tensor, present: Tensor, asked: Tensor, answers: Tensor, edits: Sequence[Edit]
) -> list[_Question]:
    """Short texts first, so that few of them are padded far."""
    of_text = torch.split(answers, asked.sum(1).tolist())
    if present.dim() == 2:
        lengths = present.sum(1)
        chunks = [(rows, int(lengths[rows].max())) for rows in torch.split(lengths.argsort(stable=True), CHUNK)]
    else:  # a whole mask is not cut
        chunks = [(torch.arange(len(ids)), ids.shape[1])]
    questions = []
    for rows, n in chunks:
        given = present[rows, :n] if present.dim() == 2 else present
        trace = model(ids[rows, :n], mask=given, edits=edits)
        positions, own = model.stack.positions, model.own_mask(n)
        mask = masks.resolve(own, given, n_query=n, n_key=n, batch=len(rows))
        reading = Reading(mask, positions.rotate, positions.bias(n), masks.blocked(mask))
        residuals = (*(block.resid_pre for block in trace.blocks),) or (trace.embedding,)
        right = torch.cat([of_text[row] for row in rows.tolist()])
        questions.append(_Question(reading, residuals, asked[rows, :n], right))
    return questions
