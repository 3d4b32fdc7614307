"""What is left of each earlier token in a vector, as far as a linear map can read it (Alain and Bengio, 2016)."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from viz_model.analysis.memory import CausalModel, read_out
from viz_model.models import Decoder

TRAINED = 0.75  # the share of examples that the map is fitted to; the others measure it
RIDGE = 1e-3  # per example, against features that are never seen alone


def linear_probe(features: Tensor, classes: Tensor, *, ridge: float = RIDGE) -> float:
    """Held-out accuracy of least squares from features to a one-hot class.

    features: [example, d]; classes: whole numbers [example]. The closed form W = (X'X + ridge n I)^-1 X'Y with a
    constant feature, which is not held back, fitted to the first 3/4 of the examples and measured on the others.
    """
    if features.dim() != 2 or classes.shape != features.shape[:1]:
        shapes = f"{list(features.shape)} and {list(classes.shape)}"
        raise ValueError(f"features, classes: expected [example, d] and [example], got {shapes}.")
    n = int(len(features) * TRAINED)
    if n < 1 or n == len(features):
        raise ValueError(f"features: expected at least 2 examples, got {len(features)}.")
    known, index = torch.unique(classes, return_inverse=True)
    x = features.double()
    mean = x[:n].mean(0)
    x = x - mean
    y = F.one_hot(index, len(known)).double()
    base = y[:n].mean(0)
    gram = x[:n].T @ x[:n] + ridge * n * torch.eye(x.shape[1], dtype=x.dtype)
    weights = torch.linalg.solve(gram, x[:n].T @ (y[:n] - base))
    guessed = (x[n:] @ weights + base).argmax(1)
    return float((guessed == index[n:]).double().mean())


def commonest(classes: Tensor) -> float:
    """Held-out accuracy of always saying the class that is commonest in the fitted examples: a probe's chance level."""
    n = int(len(classes) * TRAINED)
    return float((classes[n:] == classes[:n].mode().values).double().mean())


def tokens_left(model: CausalModel, ids: Tensor, *, position: int = -1) -> tuple[float, ...]:
    """Probe accuracy for the token at each distance back from `position`: [distance], its own token first.

    All are read from the one vector that the unembedding reads at `position`. A recurrent model (of one layer) has
    nothing else of its past; attention has (`tokens_kept`). ids: [example, position].
    """
    end = position % ids.shape[1]
    with torch.inference_mode():
        state = read_out(model(ids[:, : end + 1]))[:, end]
    return tuple(linear_probe(state, ids[:, at]) for at in range(end, -1, -1))


def tokens_kept(model: Decoder, ids: Tensor, *, position: int = -1) -> tuple[float, ...]:
    """The same for attention, each token in the vector that the last layer has of it to read: [distance]."""
    end = position % ids.shape[1]
    with torch.inference_mode():
        kept = model(ids[:, : end + 1]).blocks[-1].resid_pre
    return tuple(linear_probe(kept[:, at], ids[:, at]) for at in range(end, -1, -1))
