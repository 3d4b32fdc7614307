"""The whole trace beside the plain forward, TransformerLens' cache and Hugging Face's attentions and hidden states."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch

from tests.bench import peers
from tests.bench.pairing import Pair, in_turn
from tests.bench.shape import Shape
from tests.bench.table import Bound, Row, missing, tell

SHAPES = [Shape(64, n_layers, n_tokens) for n_layers in (2, 3, 4) for n_tokens in (12, 64)]
QUICK = [Shape(64, 2, 12), Shape(64, 4, 64)]
PLAIN = Bound(1.15, most=True)
LENS, HUGGING_FACE = "TransformerLens run_with_cache", "Hugging Face attentions + hidden states"


def rows(*, quick: bool) -> Iterator[Row]:
    for shape in QUICK if quick else SHAPES:
        yield from compare(shape, seconds=3 if quick else 8)


def compare(shape: Shape, *, seconds: float) -> Iterator[Row]:
    """The trace at batch 1, as the app runs it, against each other way."""
    what = f"full trace, {shape}"
    tell(what)
    model = peers.our_model(shape).eval()
    ids, _ = shape.batch(1)
    ways: dict[str, Callable[[], object]] = {"ours": lambda: model(ids), "plain forward": lambda: model.logits(ids)}
    try:
        lens = peers.transformer_lens(shape).eval()
        ways[LENS] = lambda: lens.run_with_cache(ids)
    except ImportError:
        tell(f"{LENS} is not installed")
    try:
        gpt2, _ = peers.hugging_face(shape, attention="eager")
        gpt2.eval()
        ways[HUGGING_FACE] = lambda: gpt2(ids, output_attentions=True, output_hidden_states=True)
    except ImportError:
        tell(f"{HUGGING_FACE} is not installed")
    with torch.inference_mode():
        taken = in_turn(ways, turns=300, seconds=seconds, least=0.02)
    for peer in ("plain forward", LENS, HUGGING_FACE):
        bound = PLAIN if peer == "plain forward" else Bound(1.0, most=True)
        if peer not in taken:
            yield missing(f"{what} / {peer}", bound)
            continue
        pair = Pair.of(taken["ours"], taken[peer])
        yield Row(
            f"{what} / {peer}",
            f"{pair.ours * 1000:.2f} ms",
            f"{pair.peer * 1000:.2f} ms",
            f"{pair.ratio:.2f}",
            str(bound),
            bound.holds(pair.ratio),
        )
