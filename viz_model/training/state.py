"""A run put down and taken up again: weights, the optimiser's moments, the generator, the step. Never pickle."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import MISSING, asdict, fields
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors

from viz_model.checkpoint import LARGEST_CONTEXT
from viz_model.tasks.task import Task
from viz_model.training.recipe import LARGEST_FACTOR, Recipe
from viz_model.training.snapshot import PICTURES
from viz_model.training.trainer import Trainer

FORMAT = "glass-transformer-run"
VERSION = 1
CARD = {  # entry -> its types
    **{"recipe": (dict,), "seed": (int,), "step": (int,), "rate_factor": (float, int)},
    **{"stopped": (str,), "numbers": (dict,)},
}


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


def read_recipe(data: bytes) -> Recipe:
    """The recipe of a saved run, whose `task` says what `load_run` needs. Raises ValueError."""
    with _plainly("a saved run"):
        recipe: Recipe = _read_card(data)["recipe"]
        return recipe


def load_run(data: bytes, task: Task, *, looks: int = PICTURES) -> Trainer:
    """The run that `save_run` wrote, ready to go on as if it had never stopped. Raises ValueError."""
    with _plainly(f"a saved run of {task.name}"):
        card = _read_card(data)
        recipe, tensors = card["recipe"], load_tensors(data)
        if recipe.task != task.name:
            raise ValueError(f"one of {recipe.task}")
        if _fewest_numbers(recipe) > sum(tensor.numel() for tensor in tensors.values()):
            raise ValueError("a model of more numbers than the file holds")
        trainer = Trainer(recipe, task, seed=card["seed"], looks=looks)
        weights = {k.removeprefix("model."): v for k, v in tensors.items() if k.startswith("model.")}
        _fill_model(trainer.model, weights)
        for i, optimiser in enumerate(trainer.optimisers):
            _fill(optimiser, _moments(i, {**tensors, **card["numbers"]}), begun=card["step"] > 0)
        # A run that diverged may hold such, and says so; any other would go on and blame its learning rate.
        if not card["stopped"] and not all(bool(tensor.isfinite().all()) for tensor in tensors.values()):
            raise ValueError("numbers that are not finite")
        trainer.generator.set_state(tensors["generator"])
        trainer.step, trainer.rate_factor, trainer.stopped = card["step"], card["rate_factor"], card["stopped"]
        return trainer


@contextmanager
def _plainly(expected: str) -> Iterator[None]:
    """Whatever a foreign or damaged file leads to, as one sentence."""
    try:
        yield
    except (
        *(SafetensorError, ValueError, KeyError, TypeError, IndexError, AttributeError, RuntimeError),
        *(OverflowError, RecursionError, MemoryError),
    ) as error:
        why = " ".join(str(error).split()).rstrip(".")[:200] or type(error).__name__
        raise ValueError(f"run: expected {expected}, got another or a damaged file ({why}).") from None


def _read_card(data: bytes) -> dict[str, Any]:
    """What the file says of itself, each entry of its right type; the recipe as a Recipe."""
    length = int.from_bytes(data[:8], "little")
    card = json.loads(json.loads(data[8 : 8 + length])["__metadata__"]["run"])
    if (card["format"], card["version"]) != (FORMAT, VERSION):
        raise ValueError(f"{card['format']} version {card['version']}")
    for name, kinds in CARD.items():
        if type(card.get(name)) not in kinds:
            raise ValueError(f"{name} {card[name]!r}" if name in card else f"no {name}")
    for field in fields(Recipe):
        value = card["recipe"].get(field.name, field.default)
        like = str if field.default is MISSING else type(field.default)
        if type(value) is not like and not (like is float and type(value) is int):
            raise ValueError(f"{field.name} {value!r}")
    recipe = Recipe(**card["recipe"])
    if not 0 <= card["step"] <= recipe.steps or not 0 < card["rate_factor"] <= LARGEST_FACTOR:
        raise ValueError(f"step {card['step']} of {recipe.steps}, learning rate times {card['rate_factor']}")
    return {**card, "recipe": recipe}


def _fewest_numbers(recipe: Recipe) -> int:
    """A model of this recipe has at least so many weights: known before any memory is taken."""
    if recipe.body != "transformer":
        return recipe.n_layers * recipe.d_model**2 * (recipe.kernel if recipe.body == "cnn" else 2)
    if recipe.context_length * recipe.d_model > LARGEST_CONTEXT:
        raise ValueError(f"a context of {recipe.context_length}")
    feed_forward = 2 * recipe.d_ff * recipe.d_model if recipe.feed_forward else 0
    return recipe.n_layers * (4 * recipe.d_model**2 + feed_forward)


def _moments(i: int, entries: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """The entries of the i-th optimiser: parameter -> name -> value."""
    state: dict[int, dict[str, Any]] = {}
    for key, value in entries.items():
        if key.startswith(f"optimiser.{i}."):
            _, _, parameter, name = key.split(".", 3)
            state.setdefault(int(parameter), {})[name] = value
    return state


def _fill_model(model: torch.nn.Module, weights: dict[str, torch.Tensor]) -> None:
    own = model.state_dict()
    if {k: (v.shape, v.dtype) for k, v in weights.items()} != {k: (v.shape, v.dtype) for k, v in own.items()}:
        raise ValueError("weights that are not those of its model")
    model.load_state_dict(weights)


def _fill(optimiser: torch.optim.Optimizer, state: dict[int, dict[str, Any]], *, begun: bool) -> None:
    """Gives the optimiser its moments, if they are such as it makes itself."""
    parameters = [parameter for group in optimiser.param_groups for parameter in group["params"]]
    momentum = isinstance(optimiser, torch.optim.SGD | torch.optim.Muon)
    names = {"momentum_buffer"} if momentum else {"step", "exp_avg", "exp_avg_sq"}
    if bool(state) != begun:
        raise ValueError("moments that do not fit the step")
    for i, entry in state.items():
        shapes = {tuple(value.shape) for name, value in entry.items() if name != "step"}
        if entry.keys() != names or shapes != {tuple(parameters[i].shape)}:
            raise ValueError(f"moments of parameter {i} that do not fit")
        if any(type(value) is str for value in entry.values()):
            raise ValueError(f"words among the moments of parameter {i}")
    whole = optimiser.state_dict()
    whole["state"] = state
    optimiser.load_state_dict(whole)
