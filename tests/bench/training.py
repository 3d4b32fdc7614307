"""Training: steps a second of our models beside the peers', at equal shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
import torch.nn.functional as F
from torch import nn

from tests.bench import peers
from tests.bench.pairing import Pair, in_turn
from tests.bench.shape import VOCABULARY, Shape
from tests.bench.table import Bound, Row, missing, tell, why

BATCH = 64
BOUND = Bound(1.0, most=False)
# Each width, depth and length that the bound speaks of, and the corners; not every one of the 27.
CAUSAL = [
    *(Shape(32, 1, 8), Shape(32, 2, 32), Shape(32, 4, 64), Shape(32, 4, 8)),
    *(Shape(64, 1, 32), Shape(64, 2, 8), Shape(64, 2, 32), Shape(64, 4, 64)),
    *(Shape(128, 1, 64), Shape(128, 2, 32), Shape(128, 4, 8), Shape(128, 4, 64)),
]
BIDIRECTIONAL = [Shape(64, 2, 32)]
QUICK = [Shape(32, 2, 8), Shape(64, 2, 32), Shape(128, 1, 32)]
PEERS = {
    "nn.TransformerEncoder": peers.torch_encoder,
    "x-transformers": peers.x_transformers,
    "Hugging Face GPT-2": peers.hugging_face,
}


def rows(*, quick: bool) -> Iterator[Row]:
    for shape in QUICK if quick else CAUSAL:
        yield from compare(shape, causal=True, seconds=5 if quick else 12)
    for shape in [] if quick else BIDIRECTIONAL:
        yield from compare(shape, causal=False, seconds=12)


def compare(shape: Shape, *, causal: bool, seconds: float) -> Iterator[Row]:
    """Our row against each peer at one shape, all of them in turn."""
    name = f"training step, {'decoder' if causal else 'encoder'}, {shape}"
    tell(name)
    ours = peers.our_model(shape, causal=causal)
    ways = {"ours": step_of(ours, ours.logits, shape)}
    made = {peer: build for peer, build in PEERS.items() if causal or build is not peers.hugging_face}
    broken = {}
    for peer, build in made.items():
        try:
            model, logits = build(shape) if causal else build(shape, causal=False)  # type: ignore[call-arg]
            step = step_of(model, logits, shape)
            step()
            ways[peer] = step
        except Exception as error:
            broken[peer] = why(error)
    taken = in_turn(ways, turns=200, seconds=seconds, least=0.02)
    for peer in made:
        what = f"{name} / {peer}"
        if peer in broken:
            yield missing(what, BOUND, broken[peer])
            continue
        pair = Pair.of([1 / each for each in taken["ours"]], [1 / each for each in taken[peer]])
        yield Row(
            what,
            f"{pair.ours:.1f} steps/s",
            f"{pair.peer:.1f} steps/s",
            f"{pair.ratio:.2f}",
            str(BOUND),
            BOUND.holds(pair.ratio),
            pair.quartiles,
        )


def step_of(model: nn.Module, logits: peers.Logits, shape: Shape) -> Callable[[], None]:
    """One whole step of training: forward, loss, backward, AdamW."""
    model.train()
    ids, answers = shape.batch(BATCH)
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.98), weight_decay=0.01, fused=True)

    def step() -> None:
        loss = F.cross_entropy(logits(ids).view(-1, VOCABULARY), answers.view(-1))
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()

    return step
