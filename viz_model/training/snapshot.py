"""What a training run shows of itself after a step: numbers at every step, a picture of the probe at some."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

PICTURES = 120  # at most so many pictures a run, dense at the start, where attention forms


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """The probe's attention and what the heads do, at a step."""

    accuracy: float  # on held-out examples, what the task's metric counts
    attention: Mapping[
        str, NDArray[np.uint8]
    ]  # 'self', 'encoder', 'decoder', 'cross' -> [layer, head, query, key] * 255
    roles: Mapping[str, NDArray[np.float32]]  # role -> [layer, head], mean weight on the keys of that role
    # kind -> [query, key], True = may attend; only in the picture of a run's beginning, for it does not change
    masks: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """Training after a step."""

    step: int  # steps done
    loss: float  # of this step's batch, in nats a predicted token
    gradient_norm: float  # before clipping
    learning_rate: float
    tokens: int  # read in this step
    seconds: float  # that this step took, its picture left out
    picture: Picture | None = None
    stopped: str = ""  # why the run ended before its time: the step and the likely cause


def picture_steps(steps: int, most: int = PICTURES) -> frozenset[int]:
    """The steps after which a picture is taken: 0, 1, 2 ... close together at first, then ever wider, and the last."""
    if steps < most:
        return frozenset(range(steps + 1))
    spaced = (round(steps * (i / (most - 1)) ** 1.5) for i in range(most))
    return frozenset((*spaced, steps))
