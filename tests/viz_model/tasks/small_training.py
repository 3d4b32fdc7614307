"""The base recipe in ten lines: enough to see whether a small model learns a task at all."""

from __future__ import annotations

import torch

from viz_model.config import TransformerConfig
from viz_model.models import Decoder
from viz_model.tasks.task import Task


def trained(task: Task, *, steps: int, **config: object) -> Decoder:
    """A decoder after `steps` steps at a learning rate that rises for 50 steps and then stays."""
    shape = {"vocab_size": task.tokenizer.vocab_size, "position": "learned", "context_length": 64} | config
    model = Decoder(TransformerConfig(**shape), seed=0)  # type: ignore[arg-type]
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3, betas=(0.9, 0.98), fused=True)
    generator = torch.Generator().manual_seed(0)
    for step in range(steps):
        optimiser.param_groups[0]["lr"] = 3e-3 * min(1.0, (step + 1) / 50)
        optimiser.zero_grad()
        task.loss(model, task.batch(64, generator)).backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    return model.eval().requires_grad_(False)
