"""Made-up attention for the browser tests: weights of recognisable shapes, and texts that break pictures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

ENGLISH = "the cat sat on the mat and the old dog by the door slept while two small birds sang in a tall green tree"
HEBREW = ["החתול", "ישב", "על", "השטיח", "ב", "1984", "הישן", "."]
ODD = [
    *("\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466", "e\u0301\u0301", "<s>", "</script>", "中文字"),
    *("Donaudampfschifffahrtsgesellschaft", "1984", "\n", " ", "مرحبا", "the", "the"),
]


@dataclass(frozen=True)
class Case:
    layers: int
    heads: int
    queries: list[str]
    keys: list[str] | None = None
    causal: bool = False
    options: dict[str, Any] = field(default_factory=dict)


def words(count: int) -> list[str]:
    english = ENGLISH.split()
    return [english[i % len(english)] for i in range(count)]


CASES = {
    "one": Case(1, 1, ["cat"]),
    "sat": Case(2, 4, ["The", "cat", "sat"], options={"query": 1, "key": 1}),
    "twelve": Case(
        2, 4, words(12), causal=True,
        options={"query": 5, "key": 4, "model": "english-causal", "caption": "english-causal, seed 0",
                 "roles": [["previous token", "first token", "same token", "subject of verb"]] * 2},
    ),
    "both": Case(4, 4, words(24), options={"title": "Encoder"}),
    "sixty-four": Case(4, 8, words(64), causal=True),
    "large": Case(12, 12, words(128), causal=True, options={"layer": 3, "head": 10}),
    "huge": Case(24, 16, words(512), options={"layer": 20, "head": 10}),
    "hebrew": Case(2, 4, HEBREW, options={"query": 1, "key": 0}),
    "odd": Case(2, 4, ODD),
    "cross": Case(2, 4, ["le", "chat", "noir", "dort"], ["the", "black", "cat", "is", "asleep", "on", "the", "mat"]),
    "edited": Case(2, 4, words(9), causal=True, options={"query": 4, "key": 1, "head": 1}),
    "padded": Case(2, 2, words(6)),
}  # fmt: skip


def made_up(case: Case) -> tuple[list[np.ndarray], list[str], list[str] | None, dict[str, Any]]:
    """Weights [layer][head, query, key] (rows sum to 1), tokens, keys, and the options of `pack`."""
    generator = np.random.default_rng(0)
    nq, nk = len(case.queries), len(case.keys or case.queries)
    distance = np.arange(nq)[:, None] * (nk / nq) - np.arange(nk)[None, :]
    mask = np.ones((nq, nk), bool) if not case.causal else np.tril(np.ones((nq, nk), bool))
    layers: list[np.ndarray] = []
    for layer in range(case.layers):
        if layer > 1 and nq > 256:
            # Enough to look at: real noise for every one of 384 large heads would take a minute.
            layers.append(np.roll(layers[layer % 2], layer, axis=0))
            continue
        heads = []
        for head in range(case.heads):
            kind = (head + 2 * layer) % 5
            scores = 0.8 * generator.normal(size=(nq, nk))
            first = 4.0 * (np.arange(nk) == 0)
            scores += (-((distance - 1) ** 2), -np.abs(distance) / 3, first, -(distance**2) / 8, 0 * distance)[kind]
            scores = np.where(mask, scores * (1.2 + head / case.heads), -np.inf)
            exponentials = np.exp(scores - scores.max(-1, keepdims=True))
            heads.append((exponentials / exponentials.sum(-1, keepdims=True)).astype(np.float32))
        layers.append(np.stack(heads))
    options = dict(case.options)
    if case.causal:
        options["mask"] = mask
    if case is CASES["edited"]:
        options["before"] = layers[1][2]
    if case is CASES["padded"]:
        mask[:, 4:] = False
        mask[4:] = False
        for weights in layers:
            weights *= mask
            weights /= np.maximum(weights.sum(-1, keepdims=True), 1e-9)
        options["mask"] = mask
    return layers, case.queries, case.keys, options
