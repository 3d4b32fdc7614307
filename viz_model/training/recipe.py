"""What a training run is, as data, and the recipes of the models that ship."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from viz_model.config import ActivationKind, NormKind, NormPlace, PositionKind

OptimiserKind = Literal["adamw", "adam", "sgd", "muon"]
BodyKind = Literal["transformer", "rnn", "lstm", "cnn"]
LARGEST_FACTOR = 1e6  # by which a person may multiply the learning rate while a run goes on


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A run: task, model and optimiser. The same recipe and seed give the same curve."""

    task: str
    # the model
    d_model: int = 64
    n_layers: int = 2
    n_heads: int = 4
    d_ff: int = 256
    context_length: int = 512
    position: PositionKind = "sinusoidal"
    norm: NormKind = "layer"
    norm_place: NormPlace = "pre"
    activation: ActivationKind = "gelu"
    scaled: bool = True  # dots divided by sqrt(d_head)
    feed_forward: bool = True
    residual: bool = True
    # a model without attention, of d_model and n_layers; only the cnn has a kernel and a dilation
    body: BodyKind = "transformer"
    kernel: int = 3
    dilation: int = 1
    forget_bias: float = 0.0  # the lstm's
    # the optimiser
    optimiser: OptimiserKind = "adamw"
    learning_rate: float = 3e-3
    adamw_rate: float = 3e-3  # beside Muon: of what it does not train, the embeddings above all
    warm_up: int = 50  # steps of linear rise; then a cosine falls to `final_rate` of the learning rate
    final_rate: float = 0.1
    weight_decay: float = 0.01
    beta2: float = 0.98
    clip: float = 1.0  # the largest gradient norm
    # the run
    steps: int = 1000
    batch_size: int = 64

    def __post_init__(self) -> None:
        for name in ("steps", "batch_size"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}: expected at least 1, got {getattr(self, name)}.")
        for name in ("learning_rate", "adamw_rate", "clip"):
            if not 0 < getattr(self, name) < 1e6:
                raise ValueError(f"{name}: expected a number above 0 and below a million, got {getattr(self, name)}.")
        if not (self.residual or self.feed_forward):
            raise ValueError("residual: expected True without feed-forward layers, or nothing would go on, got False.")


def _drawn(task: str, steps: int) -> Recipe:
    """A task of single symbols: learned positions, and no more of them than its examples have."""
    return Recipe(task=task, position="learned", context_length=32, steps=steps)


# By the name of the model that ships.
recipes: dict[str, Recipe] = {
    "copy": _drawn("copy", 120),
    "reverse": _drawn("reverse", 120),
    "sort": _drawn("sort", 800),
    # Two layers of one head, attention alone: the smallest model in which induction heads form (Olsson et al., 2022).
    "induction": Recipe(
        task="induction", position="rotary", n_heads=1, feed_forward=False, context_length=64, steps=300
    ),
    "addition": _drawn("addition", 500),
    "brackets": _drawn("brackets", 600),
    "english-causal": Recipe(
        task="english-causal",
        n_layers=3,
        optimiser="muon",
        learning_rate=0.02,
        adamw_rate=0.015,
        warm_up=60,
        batch_size=512,
        steps=400,
    ),
    "english-masked": Recipe(
        task="english-masked",
        n_layers=3,
        optimiser="muon",
        learning_rate=0.03,
        adamw_rate=0.02,
        warm_up=100,
        batch_size=512,
        steps=840,
    ),
    "digits": Recipe(
        task="digits",
        d_model=32,
        d_ff=128,
        context_length=16,
        position="learned",
        optimiser="muon",
        learning_rate=0.02,
        steps=400,
    ),
    "sentiment": Recipe(
        task="sentiment",
        position="rotary",
        n_layers=3,
        context_length=64,
        learning_rate=4e-3,
        batch_size=256,
        steps=300,
    ),
    "question-answering": Recipe(
        task="question-answering", position="rotary", n_layers=3, context_length=96, batch_size=256, steps=560
    ),
    "summarising": Recipe(task="summarising", position="rotary", context_length=96, steps=400),
    "english-french": Recipe(
        task="english-french", n_layers=1, learning_rate=0.015, warm_up=40, batch_size=512, steps=200
    ),
    "code": Recipe(
        task="code",
        d_model=128,
        d_ff=384,
        n_layers=3,
        context_length=128,
        position="rotary",
        optimiser="muon",
        learning_rate=0.02,
        batch_size=16,
        steps=1200,
    ),
}

# By the name of the task (`tasks.own_text`), for windows of 64 tokens; no model of these ships.
own_text_recipes: dict[str, Recipe] = {
    f"own-text-{objective}": Recipe(task=f"own-text-{objective}", position="rotary", context_length=128)
    for objective in ("causal", "masked", "prefix", "denoising")
}
