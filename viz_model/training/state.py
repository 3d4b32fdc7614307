"""A run put down and taken up again: weights, the optimiser's moments, the generator, the step. Never pickle."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors

from viz_model.tasks.task import Task
from viz_model.training.recipe import Recipe
from viz_model.training.trainer import Trainer

FORMAT = "glass-transformer-run"
VERSION = 1


def save_run(trainer: Trainer) -> bytes:
    """The run as safetensors bytes; what is no tensor stands as JSON in their metadata."""
    tensors = {f"model.{name}": tensor.contiguous().clone() for name, tensor in trainer.model.state_dict().items()}
    numbers: dict[str, Any] = {}
    for i, optimiser in enumerate(trainer.optimisers):
        for parameter, state in optimiser.state_dict()["state"].items():
            for name, value in state.items():
                key = f"optimiser.{i}.{parameter}.{name}"
                if isinstance(value, torch.Tensor):
                    tensors[key] = value.contiguous().clone()
                else:
                    numbers[key] = value
    tensors["generator"] = trainer.generator.get_state()
    card = {
        "format": FORMAT,
        "version": VERSION,
        "recipe": asdict(trainer.recipe),
        "seed": trainer.seed,
        "step": trainer.step,
        "rate_factor": trainer.rate_factor,
        "stopped": trainer.stopped,
        "numbers": numbers,
    }
    return save_tensors(tensors, {"run": json.dumps(card)})


def load_run(data: bytes, task: Task) -> Trainer:
    """The run that `save_run` wrote, ready to go on as if it had never stopped. Raises ValueError."""
    try:
        length = int.from_bytes(data[:8], "little")
        card = json.loads(json.loads(data[8 : 8 + length])["__metadata__"]["run"])
        tensors = load_tensors(data)
        if card["format"] != FORMAT or card["version"] != VERSION:
            raise ValueError(f"run: expected {FORMAT} version {VERSION}, got {card['format']} {card['version']}.")
        trainer = Trainer(Recipe(**card["recipe"]), task, seed=card["seed"])
        trainer.model.load_state_dict({k[6:]: v for k, v in tensors.items() if k.startswith("model.")})
        for i, optimiser in enumerate(trainer.optimisers):
            _fill(optimiser, i, tensors, card["numbers"])
        trainer.generator.set_state(tensors["generator"])
    except (
        SafetensorError,
        KeyError,
        TypeError,
        IndexError,
        UnicodeDecodeError,
        json.JSONDecodeError,
        RuntimeError,
    ) as e:
        raise ValueError(f"run: expected a saved run of this task, got something else or damaged ({e}).") from None
    trainer.step, trainer.rate_factor, trainer.stopped = card["step"], card["rate_factor"], card["stopped"]
    return trainer


def _fill(optimiser: torch.optim.Optimizer, i: int, tensors: dict[str, torch.Tensor], numbers: dict[str, Any]) -> None:
    state: dict[int, dict[str, Any]] = {}
    for source in (tensors, numbers):
        for key, value in source.items():
            if key.startswith(f"optimiser.{i}."):
                _, _, parameter, name = key.split(".", 3)
                state.setdefault(int(parameter), {})[name] = value
    whole = optimiser.state_dict()
    whole["state"] = state
    optimiser.load_state_dict(whole)
