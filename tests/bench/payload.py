"""What the attention view sends to the browser, beside the HTML that BertViz makes of the same weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import torch

from tests.bench.table import Bound, Row, missing, tell, why
from viz_model.figures.attention_view import pack

N_LAYERS, N_HEADS, N_TOKENS = 12, 12, 128
BOUND = Bound(0.7, most=True, of="ours", unit=" MB")
MEGABYTE = 1e6


def rows(*, quick: bool) -> Iterator[Row]:
    scores = np.random.default_rng(0).normal(size=(N_LAYERS, N_HEADS, N_TOKENS, N_TOKENS)) * 2
    scores[..., ~np.tri(N_TOKENS, dtype=bool)] = -np.inf
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights = (weights / weights.sum(-1, keepdims=True)).astype(np.float32)
    tokens = [f"word{i}" for i in range(N_TOKENS)]
    ours = len(pack(weights, tokens, mask=np.tri(N_TOKENS, dtype=bool), layer=5, head=7)) / MEGABYTE
    for view in ("head_view", "model_view"):
        what = f"payload, {N_LAYERS} x {N_HEADS} heads, {N_TOKENS} tokens / BertViz {view}"
        tell(what)
        try:
            draw: Any = getattr(import_module("bertviz"), view)
        except Exception as error:
            yield replace(missing(what, BOUND, why(error)), ours=f"{ours:.2f} MB", holds=BOUND.holds(ours))
            continue
        page = draw([torch.from_numpy(layer)[None] for layer in weights], tokens, html_action="return").data
        theirs = len(page.encode()) / MEGABYTE
        yield Row(what, f"{ours:.2f} MB", f"{theirs:.2f} MB", f"{ours / theirs:.4f}", str(BOUND), BOUND.holds(ours))
