"""What the lesson 'Why not RNNs or CNNs' measures beside its curves: sizes, gradients, costs, and what is left."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from viz_model.analysis.equal_size import parameter_count
from viz_model.analysis.layer_costs import counted_multiplications
from viz_model.analysis.linear_probe import commonest, linear_probe, tokens_kept, tokens_left
from viz_model.analysis.memory import CausalModel, gradient_by_distance
from viz_model.analysis.results import Result
from viz_model.analysis.timing import forward_seconds
from viz_model.analysis.wiring import Node, Wiring, longest_path, schedule, sequential_steps, shortest_path, wiring
from viz_model.models import Convolutional, Decoder, Recurrent
from viz_model.tasks.names import make_task
from viz_model.tasks.recall import AssociativeRecall, FirstToken
from viz_model.training.build import build
from viz_model.training.lesson_recipes import FORGET_BIAS, first_token_recipes, recall_recipes
from viz_model.training.recipe import Recipe
from viz_model.training.trainer import Trainer

SEED = 0
FARTHEST = 63  # tokens back, the distance at which the gradients are still measured
LENGTHS = (8, 16, 32, 64, 128, 256)  # positions that the costs are counted for
TIMED = (16, 64, 256, 1024)  # positions that the clock is read for
PROBED = 4000  # telephone books
SEED_PROBED = 3


@dataclass(frozen=True, slots=True)
class BodySize:
    """How large a model is, and how far back its last output can see (None: to the beginning)."""

    parameters: int
    d_model: int
    n_layers: int
    sees: int | None


@dataclass(frozen=True, slots=True)
class BodyCost:
    """What a model takes, counted for each of the `lengths` of a `Costs`."""

    body: str
    parameters: int
    d_model: int
    n_layers: int
    multiplications: tuple[int, ...]  # of all layers; embeddings left out
    steps: tuple[int, ...]  # that must wait for one another
    path: tuple[int | None, ...]  # from the farthest token to the last output; None where there is no way


@dataclass(frozen=True, slots=True)
class Costs(Result):
    """The bodies of associative recall, counted."""

    lengths: tuple[int, ...]
    bodies: tuple[BodyCost, ...]


@dataclass(frozen=True, slots=True)
class Probe:
    """What a linear map reads from one body: accuracy for the number and the name of each pair, the last pair first."""

    body: str
    read_from: str
    width: int  # numbers that are kept, of all vectors together
    numbers: tuple[float, ...]
    names: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Bottleneck(Result):
    """What is left of every pair of a telephone book once all of it has been read."""

    n_pairs: int
    n_examples: int
    chance_number: float  # accuracy of always saying the commonest
    chance_name: float
    accuracy: tuple[tuple[str, float], ...]  # of each body, as trained: share of the numbers right
    probes: tuple[Probe, ...]


@dataclass(frozen=True, slots=True, eq=False)
class WorkPlan:
    """When a body can compute which vector, were there a processor for each."""

    body: str
    n_layers: int
    step: dict[Node, int]
    reads: Wiring
    way: tuple[Node, ...]  # from the first token to the last output; empty where there is none


def sizes(recipes: Mapping[str, Recipe]) -> dict[str, BodySize]:
    """The models of these recipes: name -> size."""
    found = {}
    for name, recipe in recipes.items():
        model = build(recipe, make_task(recipe.task), seed=SEED)
        sees = model.config.receptive_field if isinstance(model, Convolutional) else None
        found[name] = BodySize(parameter_count(model), model.config.d_model, model.config.n_layers, sees)
    return found


def gradient_at_start(body: str, *, n_texts: int = 2) -> tuple[float, ...]:
    """||d last output / d token|| by distance, 0 to FARTHEST, of an untrained body of `first_token_recipes`."""
    recipe = first_token_recipes(50)[body]
    task = FirstToken(FARTHEST)
    ids = task.held_out().ids[:n_texts, 1:]  # from the letter on, which is the farthest
    found: list[float] = gradient_by_distance(build(recipe, task, seed=SEED), ids).tolist()
    return tuple(found)


def lesson_models(context_length: int = max(LENGTHS)) -> dict[str, CausalModel]:
    """The untrained bodies of associative recall, attention with room for so many positions."""
    recipes = recall_recipes(16)
    return {
        name: build(replace(recipe, context_length=context_length), make_task(recipe.task), seed=SEED).eval()
        for name, recipe in recipes.items()
    }


def seconds_by_length(body: str, lengths: tuple[int, ...] = TIMED, *, repeats: int = 5) -> tuple[float, ...]:
    """Wall clock of one forward pass of a body of associative recall, on this machine, for each length."""
    return forward_seconds(lesson_models(max(lengths))[body], lengths, repeats=repeats)


def work_plans(n: int) -> tuple[WorkPlan, ...]:
    """The bodies of associative recall over n positions."""
    plans = []
    for name, model in lesson_models().items():
        graph, n_layers = wiring(model, n), model.config.n_layers
        way = shortest_path(graph, (0, 0), (n_layers, n - 1))
        plans.append(WorkPlan(name, n_layers, schedule(graph), graph, way))
    return tuple(plans)


def forget_gate(bias: float = FORGET_BIAS) -> tuple[float, float]:
    """How much of its cell an LSTM keeps a token at the start, and after how many tokens half of it is left."""
    gate = 1 / (1 + math.exp(-bias))
    return gate, math.log(0.5) / math.log(gate)


def costs() -> Costs:
    """Counts what each body of associative recall takes."""
    rows = []
    for name, model in lesson_models().items():
        rows.append(
            BodyCost(
                name,
                parameter_count(model),
                model.config.d_model,
                model.config.n_layers,
                tuple(counted_multiplications(model, n) for n in LENGTHS),
                tuple(sequential_steps(model, n) for n in LENGTHS),
                tuple(longest_path(model, n) for n in LENGTHS),
            )
        )
    return Costs(LENGTHS, tuple(rows))


def bottleneck() -> Bottleneck:
    """Trains the bodies of associative recall and probes each at the end of the telephone book (about a minute)."""
    trained: dict[str, tuple[CausalModel, AssociativeRecall]] = {}
    for name, recipe in recall_recipes(16).items():
        task = make_task(recipe.task)
        assert isinstance(task, AssociativeRecall)
        trainer = Trainer(recipe, task, seed=SEED)
        while not trainer.done:
            trainer.advance()
        trained[name] = trainer.model.eval(), task
    return probed(trained)


def probed(trained: Mapping[str, tuple[CausalModel, AssociativeRecall]], n_examples: int = PROBED) -> Bottleneck:
    """The probes of trained bodies of associative recall, all on the same telephone books."""
    probes, accuracy = [], []
    for name, (model, task) in trained.items():
        books = task.draw(n_examples, torch.Generator().manual_seed(SEED_PROBED))
        ids = task.ask(books).ids[:, : 1 + 2 * task.n_pairs]  # no name is asked yet
        accuracy.append((name, task.accuracy(model)))
        width = model.config.d_model
        if isinstance(model, Recurrent) and model.config.cell == "lstm":
            probes.append(_probe(name, "state and cell", 2 * width, _from_cell(model, ids)))
        else:
            probes.append(_probe(name, "last vector", width, tokens_left(model, ids)))
        if isinstance(model, Decoder):
            probes.append(_probe(name, "every vector", width * ids.shape[1], tokens_kept(model, ids)))
    chances = commonest(ids[:, -1]), commonest(ids[:, -2])
    return Bottleneck(task.n_pairs, n_examples, *chances, tuple(accuracy), tuple(probes))


def _probe(body: str, read_from: str, width: int, by_distance: tuple[float, ...]) -> Probe:
    # Back from the end stand a number, its name, the number before ... and at last [BOS].
    return Probe(body, read_from, width, by_distance[0:-1:2], by_distance[1:-1:2])


def _from_cell(model: Recurrent, ids: Tensor) -> tuple[float, ...]:
    """As `tokens_left`, from all that an LSTM of one layer carries on: its hidden state and its cell."""
    with torch.inference_mode():
        layer: Any = model(ids).layers[-1]
        state = torch.cat([layer.hidden[:, -1], layer.gates.cell[:, -1]], 1)
    return tuple(linear_probe(state, ids[:, at]) for at in range(ids.shape[1] - 1, -1, -1))
