"""Hand-written digits (Alpaydin & Kaynak, 1998), read as sixteen patches."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from viz_model.models.vision import patches_of
from viz_model.tasks.task import Batch, Probe, Task

DATA = Path(__file__).parent.parent.parent / "assets" / "data" / "digits.npz"  # its source and licence: digits.txt
INK = 16  # the largest value of a pixel
SEED_HELD_OUT, N_HELD_OUT = 2, 360


class Digits(Task):
    """Which digit is it? The images are split at random: held-out ones are new, their writers are not."""

    name, title = "digits", "Hand-written digits"
    about = "An image of 8 x 8 pixels, read as 16 patches of 2 x 2; which digit is it?"
    metric = "digits named right"
    kind = "vision"
    classes = tuple("0123456789")
    n_patches = 16

    def batch(self, size: int, generator: torch.Generator) -> Batch:
        training = self.split[0]
        return self.ask(training[torch.randint(len(training), (size,), generator=generator)])

    def held_out(self) -> Batch:
        return self.ask(self.split[1])

    def probe(self) -> tuple[Probe, Batch]:
        batch = self.ask(self.split[1][:1])
        places = tuple(f"row {at // 4} column {at % 4}" for at in range(self.n_patches))
        return Probe(f"a hand-written {int(batch.answers)}", places), batch

    def ask(self, chosen: Tensor) -> Batch:
        """Images by their number [example] as patches of 0 (paper) to 1 (ink), and which digit each shows."""
        images, labels = self.data
        present = torch.ones(len(chosen), self.n_patches, dtype=torch.bool)
        asked = torch.ones(len(chosen), 1, dtype=torch.bool)  # one question an image
        return Batch(patches_of(images[chosen]), present, asked, labels[chosen])

    def logits(self, model: Any, batch: Batch) -> Tensor:
        """One answer an image: [batch, 1, class]."""
        found: Tensor = model.logits(batch.ids)
        return found[:, None]

    @cached_property
    def data(self) -> tuple[Tensor, Tensor]:
        """All images [example, row, column] from 0 to 1, and their digits [example]."""
        with np.load(DATA, allow_pickle=False) as file:
            images, labels = torch.from_numpy(file["images"]), torch.from_numpy(file["labels"])
        return images.float() / INK, labels.long()

    @cached_property
    def split(self) -> tuple[Tensor, Tensor]:
        """The numbers of the images that train, and of those held out."""
        order = torch.randperm(len(self.data[1]), generator=torch.Generator().manual_seed(SEED_HELD_OUT))
        return order[N_HELD_OUT:], order[:N_HELD_OUT]
