"""An encoder and a decoder joined by cross-attention (Vaswani et al., 2017, section 3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from torch import Tensor, nn

from viz_model import masks
from viz_model.blocks import BlockTrace, CrossBlockTrace, Reading, blocks, cross_blocks
from viz_model.config import EncoderDecoderConfig
from viz_model.edits import Edit, check_edits, select
from viz_model.initialization import initialise
from viz_model.models.stack import Stack, StackTrace

if TYPE_CHECKING:
    from viz_model.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True, eq=False)
class EncoderDecoderTrace:
    """What an encoder-decoder computed."""

    encoder: StackTrace[BlockTrace]
    decoder: StackTrace[CrossBlockTrace]
    logits: Tensor  # [batch, target position, target vocab_size]


class EncoderDecoder(nn.Module):
    """The encoder reads the source, the decoder writes the target; their depths and lengths may differ."""

    def __init__(
        self,
        config: EncoderDecoderConfig,
        *,
        seed: int = 0,
        tokenizer: Tokenizer | None = None,
        target_tokenizer: Tokenizer | None = None,
    ) -> None:
        super().__init__()
        self.config = config
        self.tokenizer = tokenizer
        self.target_tokenizer = target_tokenizer
        self.encoder = Stack(config.encoder, blocks[config.encoder.norm_place], is_causal=False)
        self.decoder = Stack(config.decoder, cross_blocks[config.decoder.norm_place], is_causal=True)
        self.unembed = nn.Linear(config.decoder.d_model, config.decoder.vocab_size, bias=False)
        initialise(
            self,
            n_layers=max(config.encoder.n_layers, config.decoder.n_layers),
            seed=seed,
            residual=config.encoder.residual or config.decoder.residual,
        )
        if config.decoder.tied:
            self.unembed.weight = self.decoder.embed.weight

    def forward(
        self,
        ids: Tensor,
        target_ids: Tensor,
        mask: Tensor | None = None,
        target_mask: Tensor | None = None,
        edits: Sequence[Edit] = (),
    ) -> EncoderDecoderTrace:
        """Everything the model computes for ids [batch, source] and target_ids [batch, target].

        mask: bool [batch, source], True = a token; target_mask: bool [batch, target], or a whole mask in place of
        the causal one. An edit names its stack; in the decoder `attention` says which of its two attentions.
        """
        encoder, decoder = self.config.encoder, self.config.decoder
        stacks = {
            "encoder": (encoder.n_layers, encoder.n_heads, False),
            "decoder": (decoder.n_layers, decoder.n_heads, True),
        }
        check_edits(edits, stacks=stacks)
        return self._run(ids, target_ids, mask, target_mask, edits, fused=False)

    def logits(
        self, ids: Tensor, target_ids: Tensor, mask: Tensor | None = None, target_mask: Tensor | None = None
    ) -> Tensor:
        """The same logits by torch's fused attention, for training: [batch, target position, vocab_size]."""
        return self._run(ids, target_ids, mask, target_mask, (), fused=True).logits

    def _run(
        self,
        ids: Tensor,
        target_ids: Tensor,
        mask: Tensor | None,
        target_mask: Tensor | None,
        edits: Sequence[Edit],
        *,
        fused: bool,
    ) -> EncoderDecoderTrace:
        self.encoder.check_ids(ids)
        self.decoder.check_ids(target_ids)
        (batch, n_source), (n_targets, n_target) = ids.shape, target_ids.shape
        if batch != n_targets:
            raise ValueError(f"target_ids: expected {batch} texts as in ids, got {n_targets}.")
        source_mask = masks.resolve(
            masks.full(n_source).to(ids.device), mask, n_query=n_source, n_key=n_source, batch=batch
        )
        encoder: StackTrace[BlockTrace] = self.encoder(
            ids, source_mask, edits=select(edits, stack="encoder"), fused=fused
        )
        own = masks.resolve(
            masks.causal(n_target).to(ids.device), target_mask, n_query=n_target, n_key=n_target, batch=batch
        )
        # Padding of the source hides it from the decoder too; a whole source mask speaks of the encoder alone.
        across = masks.full(n_target, n_source).to(ids.device)
        if mask is not None and mask.dim() == 2:
            across = across & masks.padding(mask)
        decoder = self.decoder(
            target_ids,
            own,
            encoder.final_norm,
            Reading(across, block=None if fused else masks.blocked(across)),
            edits=select(edits, stack="decoder"),
            fused=fused,
        )
        return EncoderDecoderTrace(
            encoder=encoder,
            decoder=cast("StackTrace[CrossBlockTrace]", decoder),
            logits=self.unembed(decoder.final_norm),
        )
