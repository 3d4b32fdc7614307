"""English -> French with the causal mask off: at every target position the decoder also reads the words to come."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import torch
from torch import Tensor

from viz_model.tasks.english_french import EnglishFrench
from viz_model.tasks.task import Batch


class CheatingFrench(EnglishFrench):
    """The same pairs; the next word, which is asked for, stands in plain sight one position on."""

    name: ClassVar[str] = "english-french-cheating"
    title: ClassVar[str] = "English to French, cheating"
    about: ClassVar[str] = "Translate with the answer in sight: the decoder's mask is off."

    def logits(self, model: Any, batch: Batch) -> Tensor:
        return super().logits(model, unmasked(batch))


def unmasked(batch: Batch) -> Batch:
    """The batch with a whole target mask in place of the padding: all written tokens read one another."""
    assert batch.target_ids is not None
    assert batch.target_present is not None
    n = batch.target_ids.shape[1]
    everything = torch.ones(1, 1, n, n, dtype=torch.bool)
    return replace(batch, target_present=everything & batch.target_present[:, None, None, :])
