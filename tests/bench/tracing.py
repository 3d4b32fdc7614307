"""The whole trace beside the plain forward, TransformerLens' cache and Hugging Face's attentions and hidden states."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from tests.bench import peers
from tests.bench.pairing import Pair, in_turn
from tests.bench.shape import Shape
from tests.bench.table import Bound, Row, missing, tell, why

SHAPES = [Shape(64, n_layers, n_tokens) for n_layers in (2, 3, 4) for n_tokens in (12, 64)]
QUICK = [Shape(64, 2, 12), Shape(64, 4, 64)]
PLAIN = "plain forward"
LENS, HUGGING_FACE = "TransformerLens run_with_cache", "Hugging Face attentions + hidden states"
BOUNDS = {PLAIN: Bound(1.15, most=True), LENS: Bound(1.0, most=True), HUGGING_FACE: Bound(1.0, most=True)}
Way = Callable[[], object]


def rows(*, quick: bool) -> Iterator[Row]:
    for shape in QUICK if quick else SHAPES:
        yield from compare(shape, seconds=3 if quick else 8)


def compare(shape: Shape, *, seconds: float) -> Iterator[Row]:
    """The trace at batch 1, as the app runs it, against each other way."""
    what = f"full trace, {shape}"
    tell(what)
    model = peers.our_model(shape).eval()
    ids, _ = shape.batch(1)
    ways: dict[str, Way] = {"ours": lambda: model(ids), PLAIN: lambda: model.logits(ids)}
    broken = {}
    for peer, make in ((LENS, cache_of_lens), (HUGGING_FACE, outputs_of_hugging_face)):
        try:
            way = make(shape, ids)
            with torch.inference_mode():
                way()
            ways[peer] = way
        except Exception as error:
            broken[peer] = why(error)
    with torch.inference_mode():
        taken = in_turn(ways, turns=300, seconds=seconds, least=0.02)
    for peer, bound in BOUNDS.items():
        if peer in broken:
            yield missing(f"{what} / {peer}", bound, broken[peer])
            continue
        pair = Pair.of(taken["ours"], taken[peer])
        yield Row(
            f"{what} / {peer}",
            f"{pair.ours * 1000:.2f} ms",
            f"{pair.peer * 1000:.2f} ms",
            f"{pair.ratio:.2f}",
            str(bound),
            bound.holds(pair.ratio),
            pair.quartiles,
        )


def cache_of_lens(shape: Shape, ids: Tensor) -> Way:
    model = peers.transformer_lens(shape).eval()
    return lambda: model.run_with_cache(ids)


def outputs_of_hugging_face(shape: Shape, ids: Tensor) -> Way:
    model = peers.hugging_face(shape, attention="eager")[0].eval()
    return lambda: model(ids, output_attentions=True, output_hidden_states=True)
