"""Studies: runs that belong together, so that one difference can be seen: recorded once, to be run live as well.

`python -m viz_model.training.studies [name ...]` trains them and writes assets/studies/<name>/: a history for every
run, and what was measured of the trained models; and the results of MADE, each as assets/studies/<name>.json.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch

from viz_model.analysis.extrapolation import loss_by_position
from viz_model.analysis.results import Result
from viz_model.tasks.letter_chain import LetterChain
from viz_model.tasks.names import make_task
from viz_model.tasks.task import Task
from viz_model.training.depth import depth_recipe
from viz_model.training.history import read_history, write_history
from viz_model.training.lesson_recipes import first_token_recipes, recall_recipes
from viz_model.training.position_recipes import LONGEST, position_recipes
from viz_model.training.recipe import Recipe, recipes
from viz_model.training.snapshot import Picture, Snapshot
from viz_model.training.trainer import Trainer

FOLDER = Path(__file__).parents[2] / "assets" / "studies"
SEED = 0
Measures = Mapping[str, Sequence[float | None]]  # name -> numbers; None where there is none


@dataclass(frozen=True, slots=True)
class Study:
    """Runs by name; `measure` says what is measured of a trained model, beside its task's own figures."""

    recipes: Callable[[], dict[str, Recipe]]
    measure: Callable[[Any, Task], Measures] = lambda model, task: {}


@dataclass(frozen=True, slots=True, eq=False)
class Arm:
    """One run of a study, as it was recorded (or as it stands)."""

    recipe: Recipe
    snapshots: Sequence[Snapshot]
    measures: Measures


def by_position(model: Any, task: Task) -> Measures:
    """The loss at every position of texts longer than those of training."""
    assert isinstance(task, LetterChain)
    found = loss_by_position(model, task.long_texts(LONGEST))
    numbers = [None if np.isnan(loss) else float(loss) for loss in found.loss]
    return {"position": found.position.tolist(), "loss by position": numbers}


def _scaled() -> dict[str, Recipe]:
    # One head as wide as the model: the dots are sums of 64 products, and their size is what the scale is for.
    base = replace(recipes["induction"], steps=300)
    return {"divided by √d": base, "not divided": replace(base, scaled=False)}


def _six_layers() -> dict[str, Recipe]:
    names = ("pre-norm", "post-norm", "pre-norm, no residual", "neither")
    return {name: depth_recipe(name, 6) for name in names}


STUDIES: dict[str, Study] = {
    "recall-16": Study(lambda: recall_recipes(16)),
    "first-token-20": Study(lambda: first_token_recipes(20)),
    "first-token-50": Study(lambda: first_token_recipes(50)),
    "positions": Study(lambda: dict(position_recipes), by_position),
    "scale": Study(_scaled),
    "depth-6": Study(_six_layers),
}

# Results that take too long for the opening of a page: name -> 'module:function' that gives a `Result`.
MADE: dict[str, str] = {
    "bottleneck": "viz_model.training.comparison:bottleneck",
    "body-costs": "viz_model.training.comparison:costs",
    "relations-english-causal": "viz_model.analysis.held_out_relations:causal_relations",
    "relations-english-masked": "viz_model.analysis.held_out_relations:masked_relations",
    "held-out-sentences": "viz_model.analysis.held_out_relations:held_out_sentences",
    "atlas-english-causal": "viz_model.analysis.held_out_heads:causal_atlas",
    "atlas-english-masked": "viz_model.analysis.held_out_heads:masked_atlas",
    "atlas-induction": "viz_model.analysis.held_out_heads:induction_atlas",
    "ablation-english-causal": "viz_model.analysis.held_out_heads:causal_ablation",
    "ablation-english-masked": "viz_model.analysis.held_out_heads:masked_ablation",
    "ablation-induction": "viz_model.analysis.held_out_heads:induction_ablation",
    "depth": "viz_model.training.depth:depth_results",
    "fine-tuning": "viz_model.training.fine_tuning:fine_tuning",
    "application-heads": "viz_model.analysis.right_reading:application_heads",
    "code-heads": "viz_model.analysis.code_heads:code_heads",
    "shared-copying": "viz_model.analysis.shared_copying:shared_copying",
    "word-measures": "viz_model.analysis.word_measures:word_measures",
    "translation-by-length": "viz_model.analysis.translation_accuracy:english_french",
    "cheating": "viz_model.training.cheating:cheating",
    "free-running": "viz_model.training.cheating:free_running",
}


def kept(name: str) -> str:
    """The JSON of a made result, for its class's `from_json`."""
    return (FOLDER / f"{name}.json").read_text(encoding="utf-8")


def make(name: str, folder: Path = FOLDER) -> None:
    """Computes a result of MADE anew and writes it."""
    module, _, function = MADE[name].partition(":")
    result: Result = getattr(import_module(module), function)()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(result.to_json() + "\n", encoding="utf-8")


def measured(name: str, model: Any, task: Task) -> Measures:
    """The task's figures of a trained model, and what the study measures beside them."""
    model.eval()
    with torch.inference_mode():
        figures = {figure: [value] for figure, value in task.figures(model).items()}
        return {**figures, **STUDIES[name].measure(model, task)}


@cache
def recorded(name: str) -> dict[str, Arm]:
    """The runs of a study as they were recorded, by their names."""
    folder = FOLDER / name
    card = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    return {
        arm["name"]: Arm(
            Recipe(**arm["recipe"]), read_history((folder / arm["file"]).read_bytes()), dict(arm["measures"])
        )
        for arm in card["arms"]
    }


def record(name: str, folder: Path = FOLDER) -> None:
    """Trains every run of a study and writes what was seen."""
    folder = folder / name
    folder.mkdir(parents=True, exist_ok=True)
    arms = []
    for i, (label, recipe) in enumerate(STUDIES[name].recipes().items()):
        task = make_task(recipe.task)
        trainer = Trainer(recipe, task, seed=SEED)
        seen = [trainer.look()]
        while not trainer.done:
            seen.append(trainer.advance())
        (folder / f"{i}.npz").write_bytes(write_history([_without_pictures(one) for one in seen]))
        measures = measured(name, trainer.model, task)
        arms.append({"name": label, "recipe": asdict(recipe), "file": f"{i}.npz", "measures": measures})
        print(f"{name}, {label}: {task.metric} {measures[task.metric][0]:.3f}", flush=True)
    card = {"seed": SEED, "arms": arms}
    (folder / "study.json").write_text(json.dumps(card, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _without_pictures(one: Snapshot) -> Snapshot:
    """The curve is what a study shows."""
    return one if one.picture is None else replace(one, picture=Picture(one.picture.accuracy, {}, one.picture.roles))


def main(names: list[str]) -> None:
    torch.set_num_threads(1)
    for name in names or (*STUDIES, *MADE):
        if name in STUDIES:
            record(name)
        elif name in MADE:
            make(name)
        else:
            raise SystemExit(f"name: expected one of {', '.join((*STUDIES, *MADE))}, got {name!r}.")


if __name__ == "__main__":
    main(sys.argv[1:])
