"""Two or more ways of doing a thing, timed in turn: on a busy machine only what was measured side by side compares."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median, quantiles

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Pair:
    """Medians of measurements taken in turn, and the median of the ratios of each turn (not the ratio of medians)."""

    ours: float
    peer: float
    ratio: float  # ours / peer
    quartiles: str  # of the ratios: how far the turns agree

    @classmethod
    def of(cls, ours: Sequence[float], peer: Sequence[float]) -> Pair:
        ratios = [one / other for one, other in zip(ours, peer, strict=True)]
        low, _, high = quantiles(ratios, n=4, method="inclusive") if len(ratios) > 1 else ratios * 3
        return cls(median(ours), median(peer), median(ratios), f"quartiles {low:.2f} to {high:.2f}")


def in_turn(
    ways: dict[str, Callable[[], object]],
    *,
    turns: int,
    seconds: float,
    least: float = 0.0,
    clock: Clock = time.process_time,
) -> dict[str, list[float]]:
    """Seconds that each way took, one a turn; every second turn runs in reverse, so that no way is always first.

    Stops after `turns`, or after `seconds` of wall time once there are nine. A measurement repeats a way until the
    slowest takes about `least` seconds. The usual clock is this process's own processor time: with one thread that
    is what a quiet machine's wall clock would say, and other people's jobs do not enter it.
    """
    slowest = 0.0
    for way in ways.values():
        for _ in range(2):  # the first call of each pays for what is made once
            started = clock()
            way()
            single = clock() - started
        slowest = max(slowest, single)
    repeats = max(1, round(least / slowest)) if slowest else 1
    taken: dict[str, list[float]] = {name: [] for name in ways}
    until = time.monotonic() + seconds
    for turn in range(turns):
        if turn >= 9 and time.monotonic() > until:
            break
        for name in list(ways) if turn % 2 == 0 else reversed(ways):
            started = clock()
            for _ in range(repeats):
                ways[name]()
            taken[name].append((clock() - started) / repeats)
    return taken
