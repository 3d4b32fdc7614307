"""What can be taken of the panels' pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pages.explore.parts.sentence import Bench
from pages.ui import chrome, downloads
from viz_model.figures.theme import Theme


def about(bench: Bench) -> str:
    """What stands below a picture in its files: model, text, edits, the head on show."""
    said = downloads.caption(bench.name, bench.run.reading.text, bench.edits)
    return f"{said} · layer {bench.layer}, head {bench.head}"


def take_map(
    name: str,
    bench: Bench,
    draw: Callable[[Theme], Any],
    title: str,
    queries: Sequence[str],
    keys: Sequence[str],
    values: Any,
) -> None:
    """The menu of a map [query, key]."""
    if not chrome.shown("downloads"):
        return
    cells = [(i, j) for i in range(len(queries)) for j in range(len(keys))]
    columns = {
        "query position": [i for i, _ in cells],
        "query": [queries[i] for i, _ in cells],
        "key position": [j for _, j in cells],
        "key": [keys[j] for _, j in cells],
        "value": [float(values[i, j]) for i, j in cells],
    }
    downloads.menu(name, columns, downloads.Picture(draw, title), caption=about(bench))
