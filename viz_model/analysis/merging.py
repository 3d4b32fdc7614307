"""Another view of the same weights, for display alone: words for sub-words, tokens hidden, a range of a long text.

Every function takes weights [.., query, key], numbers of torch or numpy with a point, and gives the same kind back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Array = TypeVar("Array", Tensor, NDArray[Any])


def word_groups(words: Sequence[int | None]) -> tuple[range, ...]:
    """The positions of each word, in order; a token without a word (None) stands alone."""
    # A None is told apart by its position, so that two special tokens in a row stay two.
    keyed = groupby(range(len(words)), key=lambda i: ("word", words[i]) if words[i] is not None else ("alone", i))
    groups = [list(members) for _, members in keyed]
    return tuple(range(group[0], group[-1] + 1) for group in groups)


def merge_words(weights: Array, words: Sequence[int | None], key_words: Sequence[int | None] | None = None) -> Array:
    """Weights between words: to a split-up word summed, from one averaged (Clark et al., 2019, section 4.1).

    words: the word that each query belongs to (`Encoding.words`); key_words: the keys', where they are other tokens.
    Returns [.., query word, key word], one for each of `word_groups`. Rows that summed to 1 still do.
    """
    key_words = words if key_words is None else key_words
    _check_length("words", words, weights.shape[-2])
    _check_length("key_words", key_words, weights.shape[-1])
    queries, keys = _membership(words), _membership(key_words)
    averages = queries / queries.sum(1, keepdims=True)
    merged: Array = _like(averages, weights) @ weights @ _like(keys.T, weights)
    return merged


def hide(weights: Array, keys: Iterable[int], *, renormalise: bool = False) -> tuple[Array, Array]:
    """The weights with some keys' columns at 0, and each row's visible mass: ([.., query, key], [.., query]).

    renormalise: what is visible grows to sum to 1; a row with nothing visible stays 0. The mass is that from before.
    """
    n = weights.shape[-1]
    visible = np.ones(n)
    for key in keys:
        if not 0 <= key < n:
            raise ValueError(f"keys: expected positions from 0 to {n - 1}, got {key}.")
        visible[key] = 0.0
    shown = weights * _like(visible, weights)
    mass = shown.sum(-1)
    if renormalise:
        divisor = mass + _like(np.ones(()), weights) * (mass == 0)
        shown = shown / divisor[..., None]
    return shown, mass


def token_range(weights: Array, start: int, stop: int) -> Array:
    """The keys start to stop - 1, and all the others' sum in one last column: [.., query, stop - start + 1].

    Rows keep their sums. Queries are rows: choose them by slicing.
    """
    n = weights.shape[-1]
    if not 0 <= start < stop <= n:
        raise ValueError(f"range: expected 0 <= start < stop <= {n}, got {start} to {stop}.")
    rest = weights[..., :start].sum(-1) + weights[..., stop:].sum(-1)
    if isinstance(weights, Tensor):
        return torch.cat((weights[..., start:stop], rest[..., None]), dim=-1)
    return np.concatenate((weights[..., start:stop], rest[..., None]), axis=-1)


def _membership(words: Sequence[int | None]) -> NDArray[Any]:
    """[word, token]: 1 where the token is of the word."""
    groups = word_groups(words)
    member = np.zeros((len(groups), len(words)))
    for row, group in enumerate(groups):
        member[row, group.start : group.stop] = 1.0
    return member


def _check_length(name: str, words: Sequence[int | None], n: int) -> None:
    if len(words) != n:
        raise ValueError(f"{name}: expected one for each of {n} tokens, got {len(words)}.")


def _like(matrix: NDArray[Any], weights: Array) -> Array:
    """The matrix as the kind of array, the type of number and the device that the weights have."""
    if isinstance(weights, Tensor):
        return torch.as_tensor(matrix, dtype=weights.dtype, device=weights.device)
    return matrix.astype(weights.dtype)
