"""From a text to a trace: tokenise, run the model, name the tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import overload

import torch

from viz_model.edits import Edit, PatchHead
from viz_model.models import Decoder, Encoder, EncoderDecoder, EncoderDecoderTrace, Model, ModelTrace, Trace
from viz_model.tokenizer import Encoding, Tokenizer


@overload
def run(model: Encoder | Decoder, text: str, *, target: None = None, edits: Sequence[Edit] = ()) -> ModelTrace: ...


@overload
def run(model: EncoderDecoder, text: str, *, target: str, edits: Sequence[Edit] = ()) -> EncoderDecoderTrace: ...


def run(model: Model, text: str, *, target: str | None = None, edits: Sequence[Edit] = ()) -> Trace:
    """Everything that `model` computes for `text`, as a trace of batch 1.

    target: what the decoder of an encoder-decoder has written so far, "" at its start. A `PatchHead` whose source is
    a text takes from an unedited run of that text. Raises ValueError where the text gives no token, or more than the
    model reads.
    """
    edits = resolve_edits(model, edits, target=target)
    if isinstance(model, EncoderDecoder):
        if target is None:
            raise ValueError("target: an encoder-decoder expects the text that its decoder has written, got none.")
        source = encode(_tokenizer(model.tokenizer), text, limit=model.config.encoder.context_length)
        # Before the first word the decoder reads its begin token alone: an empty target is a start, not a mistake.
        written = encode(
            _tokenizer(model.target_tokenizer or model.tokenizer),
            target,
            limit=model.config.decoder.context_length,
            name="target",
            may_be_empty=True,
        )
        with torch.inference_mode():
            trace = model(torch.tensor([source.ids]), torch.tensor([written.ids]), edits=edits)
        return EncoderDecoderTrace(
            encoder=replace(trace.encoder, tokens=source.tokens),
            decoder=replace(trace.decoder, tokens=written.tokens),
            logits=trace.logits,
        )
    if target is not None:
        raise ValueError("target: expected none, since this model has one stack, got a text.")
    encoding = encode(_tokenizer(model.tokenizer), text, limit=model.config.context_length)
    with torch.inference_mode():
        one: ModelTrace = model(torch.tensor([encoding.ids]), edits=edits)
    return replace(one, tokens=encoding.tokens)


def resolve_edits(model: Model, edits: Sequence[Edit], *, target: str | None = None) -> tuple[Edit, ...]:
    """The edits as a model takes them: a patch from a text becomes a patch from that text's trace."""
    return tuple(
        replace(edit, source=_source(model, edit.source, target))
        if isinstance(edit, PatchHead) and isinstance(edit.source, str)
        else edit
        for edit in edits
    )


def _source(model: Model, text: str, target: str | None) -> Trace:
    return run(model, text, target=target or "") if isinstance(model, EncoderDecoder) else run(model, text)


def encode(tokenizer: Tokenizer, text: str, *, limit: int, name: str = "text", may_be_empty: bool = False) -> Encoding:
    """The text's tokens; raises ValueError where it gives none, or where there are more than `limit`.

    name: what the error calls the text; may_be_empty: added special tokens alone are enough.
    """
    encoding = tokenizer.encode(text)
    if not any(end > start for start, end in encoding.offsets) and not (may_be_empty and encoding.ids):
        got = "characters that are left out" if text.strip() else "an empty text"
        raise ValueError(f"{name}: expected at least one word, got {got}.")
    if len(encoding.ids) > limit:
        raise ValueError(f"{name}: expected at most {limit} tokens (the model's context), got {len(encoding.ids)}.")
    return encoding


def _tokenizer(tokenizer: Tokenizer | None) -> Tokenizer:
    if tokenizer is None:
        raise ValueError(
            "model: expected one with a tokenizer (vm.load gives one), got a bare model; call it with ids."
        )
    return tokenizer
