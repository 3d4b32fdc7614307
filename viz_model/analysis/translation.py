"""A sentence translated by an encoder-decoder: the words written, what was read for each, and what should have been.

The position that reads token t of the target writes token t + 1, so row t of the cross-attention stands for the word
that is written next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from viz_model.edits import AblateHead, Edit
from viz_model.models import EncoderDecoder, EncoderDecoderTrace
from viz_model.tasks.english_french import Pair, clean, translate
from viz_model.written import write

MODEL = "english-french"


@dataclass(frozen=True, slots=True, eq=False)
class Writing:
    """A translation, greedy, with one full pass over it."""

    source: tuple[str, ...]  # tokens that the encoder read, its end token last
    read: tuple[str, ...]  # tokens that the decoder read, its begin token first
    written: tuple[str, ...]  # what each position wrote; the end token last, where it came to an end
    ended: bool
    trace: EncoderDecoderTrace  # of all of `read`, batch 1
    known: Pair | None  # the grammar's own translation, where it makes the sentence

    @property
    def french(self) -> tuple[str, ...]:
        """The words written, without the end token."""
        return self.written[:-1] if self.ended else self.written

    @property
    def right(self) -> bool | None:
        """Whether it is the grammar's translation; None where nobody knows."""
        return None if self.known is None else self.known.french == self.french

    @property
    def gold(self) -> tuple[frozenset[int], ...]:
        """For each word of `french` the source positions that it translates; empty where they are not known."""
        if self.known is None or not self.right:
            return ()
        return self.known.alignment

    def probabilities(self, step: int) -> NDArray[np.float64]:
        """Over the target's vocabulary, for the word at `step`."""
        found: NDArray[np.float64] = self.trace.logits[0, step].double().softmax(-1).numpy()
        return found


def ids_of(model: EncoderDecoder, text: str) -> tuple[torch.Tensor, torch.Tensor, int]:
    """Source ids [1, source] of a typed text, the start of the target [1, 1], and the target's end token."""
    assert model.tokenizer is not None
    assert model.target_tokenizer is not None
    begin, end = (model.target_tokenizer.id(name) for name in ("[BOS]", "[EOS]"))
    assert begin is not None
    assert end is not None
    return torch.tensor([model.tokenizer.encode(" ".join(clean(text))).ids]), torch.tensor([[begin]]), end


def writing(model: EncoderDecoder, text: str, *, most: int, edits: Sequence[Edit] = ()) -> Writing:
    """Translates a typed English text greedily, up to `most` tokens."""
    assert model.tokenizer is not None
    assert model.target_tokenizer is not None
    found = write(model, model.tokenizer.encode(" ".join(clean(text))), n=most, edits=edits)
    return Writing(
        source=found.source.tokens,
        read=tuple(map(model.target_tokenizer.token, found.trace.decoder.ids[0].tolist())),
        written=found.tokens,
        ended=found.ended,
        trace=found.trace,
        known=translate(clean(text)),
    )


def without_head(model: EncoderDecoder, text: str, layer: int, head: int, *, most: int) -> Writing:
    """The translation with one head of cross-attention silenced."""
    return writing(
        model, text, most=most, edits=(AblateHead(layer=layer, head=head, stack="decoder", attention="cross"),)
    )


@torch.inference_mode()
def forced_words(model: EncoderDecoder, text: str, french: Sequence[str], *, causal: bool = True) -> tuple[str, ...]:
    """The likeliest next word after [BOS] and after each word of the right French: what teacher forcing asks for.

    causal: False takes the mask off, so that each position also reads the words to come.
    """
    tokenizer = model.target_tokenizer
    assert tokenizer is not None
    ids, start, _ = ids_of(model, text)
    found = [tokenizer.id(word) for word in french]
    target = torch.cat((start, torch.tensor([[i for i in found if i is not None]], dtype=torch.long)), dim=1)
    n = target.shape[1]
    mask = None if causal else torch.ones(1, 1, n, n, dtype=torch.bool)
    logits: Any = model.logits(ids, target, None, mask)
    return tuple(map(tokenizer.token, logits[0].argmax(-1).tolist()))
