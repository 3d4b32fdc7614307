"""A character n-gram model, the yardstick beside a language model of characters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


def n_gram_bits(training: str, held_out: str, n: int = 5) -> float:
    """Bits a character of `held_out` under an interpolated n-gram model counted on `training`.

    Witten-Bell smoothing (Witten & Bell, 1991, method C): p(c | h) = (count(hc) + kinds(h) p(c | h')) / (count(h) +
    kinds(h)), where kinds(h) is the number of different characters seen after h and h' is h without its first
    character; a history never seen leaves p(c | h'). Before the shortest stands the uniform distribution over the
    characters of `training` and one more, which stands for every character that it lacks. Both texts open with n - 1
    beginnings. Raises ValueError for an empty text or n below 1.
    """
    if not training or not held_out or n < 1:
        raise ValueError(f"expected two texts and n of at least 1, got {len(training)}, {len(held_out)} and n {n}.")
    known, codes = np.unique(_codes(training), return_inverse=True)
    asked = _codes(held_out)
    places = np.searchsorted(known, asked).clip(max=len(known) - 1)
    asked = np.where(known[places] == asked, places, len(known))
    beginning = np.full(n - 1, len(known) + 1)
    text = np.concatenate((beginning, codes, beginning, asked)).astype(np.int64)
    seen, new = slice(n - 1, n - 1 + len(codes)), slice(len(text) - len(asked), len(text))
    chance: NDArray[Any] = np.full(len(asked), 1 / (len(known) + 1))
    history: Numbers = np.zeros(len(text), np.int64)  # at each place, the number of the history before it
    for _ in range(n):
        pairs, gram = np.unique(history * (len(known) + 2) + text, return_inverse=True)
        count = np.bincount(gram[seen], minlength=len(pairs))
        size = int(history.max()) + 1
        times = np.bincount(history[seen], minlength=size)
        kinds = np.bincount((pairs // (len(known) + 2))[count > 0], minlength=size)
        after = history[new]
        total = times[after] + kinds[after]
        mixed = (count[gram[new]] + kinds[after] * chance) / np.maximum(total, 1)
        chance = np.where(total > 0, mixed, chance)
        history = np.concatenate((np.zeros(1, np.int64), gram[:-1]))
    return float(-np.log2(chance).mean())


def _codes(text: str) -> Numbers:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.int64)
