"""An encoder that reads an image as a sequence of patches and names its class (Dosovitskiy et al., 2021, section 3.1).

Unlike theirs it has no class token: the class is read from the mean over the patches (their appendix D.3).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor, nn

from viz_model import masks
from viz_model.config import TransformerConfig
from viz_model.edits import Edit
from viz_model.initialization import initialise
from viz_model.models.encoder import Encoder
from viz_model.models.stack import ModelTrace

PATCH = 2  # pixels along each side of a patch


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class VisionTrace(ModelTrace):
    """What a vision encoder computed. `ids` are the patches, [batch, position, pixel]; `tokens` name their places.

    token_embedding: the patches' linear embedding; logits: [batch, class].
    """

    pooled: Tensor  # [batch, d_model]  mean of final_norm over the patches that are there


class VisionEncoder(Encoder):
    """Patches of 2 x 2 pixels, a linear embedding of each, bidirectional blocks, their mean, one logit a class.

    Call it, or its `logits`, with patches [batch, position, pixel] (see `patches_of`) in place of ids; a mask [batch,
    position] also leaves patches out of the mean. config.vocab_size is the number of classes, config.context_length
    that of the patches of an image: a square number, for the images are squares. It has no tokenizer.
    """

    def __init__(self, config: TransformerConfig, *, seed: int = 0) -> None:
        rows = math.isqrt(config.context_length)
        if rows**2 != config.context_length:
            raise ValueError(f"context_length: expected a square number of patches, got {config.context_length}.")
        if config.tied:
            raise ValueError("tied: expected False, since this model reads pixels and writes classes, got True.")
        super().__init__(config, seed=seed)
        self.rows = rows  # of patches, and as many columns
        self.stack.add_module("embed", nn.Linear(PATCH**2, config.d_model))  # in place of the table of tokens
        initialise(self, n_layers=config.n_layers, seed=seed, residual=config.residual)

    @property
    def places(self) -> tuple[str, ...]:
        """One a patch, in reading order: 'row 0 column 0', 'row 0 column 1' ..."""
        return tuple(f"row {row} column {column}" for row in range(self.rows) for column in range(self.rows))

    def _run(self, ids: Tensor, mask: Tensor | None, edits: Sequence[Edit], *, fused: bool) -> VisionTrace:
        n = self.config.context_length
        if ids.shape[1:] != (n, PATCH**2) or not ids.is_floating_point():
            raise ValueError(
                f"patches: expected decimal numbers [batch, {n}, {PATCH**2}], "
                f"got {list(ids.shape)} of {str(ids.dtype)[6:]}."
            )
        own = self.own_mask(n).to(ids.device)
        whole = masks.resolve(own, mask, n_query=n, n_key=n, batch=ids.shape[0])
        trace = self.stack(ids, whole, edits=edits, fused=fused)
        if mask is None or mask.dim() == 4:
            pooled = trace.final_norm.mean(1)
        else:
            share = mask / mask.sum(1, keepdim=True).clamp(min=1)
            pooled = (trace.final_norm * share[..., None]).sum(1)
        return VisionTrace(
            tokens=self.places,
            ids=ids,
            token_embedding=trace.token_embedding,
            position_embedding=trace.position_embedding,
            embedding=trace.embedding,
            blocks=trace.blocks,
            final_norm=trace.final_norm,
            pooled=pooled,
            logits=self.unembed(pooled),
        )


def patches_of(images: Tensor) -> Tensor:
    """Images [batch, row, column] cut into patches [batch, position, pixel], both in reading order.

    Position 1 is right of position 0; the pixels of a patch are its upper left, upper right, lower left, lower right.
    Raises ValueError for images whose sides are no multiples of the patch's.
    """
    if images.dim() != 3 or images.shape[1] % PATCH or images.shape[2] % PATCH:
        raise ValueError(
            f"images: expected [batch, row, column] with sides that {PATCH} divides, got {list(images.shape)}."
        )
    n, rows, columns = len(images), images.shape[1] // PATCH, images.shape[2] // PATCH
    cut = images.reshape(n, rows, PATCH, columns, PATCH).transpose(2, 3)  # [batch, row, column, pixel row, ...]
    return cut.reshape(n, rows * columns, PATCH**2)


def image_of(patches: Tensor) -> Tensor:
    """The inverse of `patches_of` for square images: [batch, position, pixel] to [batch, row, column]."""
    n, rows = len(patches), math.isqrt(patches.shape[1])
    cut = patches.reshape(n, rows, rows, PATCH, PATCH).transpose(2, 3)
    return cut.reshape(n, rows * PATCH, rows * PATCH)
