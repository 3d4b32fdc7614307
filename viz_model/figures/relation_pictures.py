"""Relations of words: a head's accuracy on each beside the best offset, as a table that needs no plotting library."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Protocol

from viz_model.figures.html_table import bar, either, full, head, number, stop, table
from viz_model.figures.theme import format_number, visible_token


class Relation(Protocol):
    """One relation: the best head's accuracy and the best offset's, on the same questions."""

    @property
    def relation(self) -> str: ...
    @property
    def n(self) -> int: ...
    @property
    def offset(self) -> int: ...
    @property
    def offset_accuracy(self) -> float: ...
    @property
    def best(self) -> tuple[int, int]: ...
    @property
    def verdict(self) -> str: ...
    @property
    def accuracy(self) -> Sequence[Sequence[float]]: ...
    @property
    def weight(self) -> Sequence[Sequence[float]]: ...
    @property
    def error(self) -> Sequence[Sequence[float]]: ...
    @property
    def chance_accuracy(self) -> float: ...


def relation_accuracies(
    relations: Sequence[Relation], *, shown: tuple[int, int] | None = None, errors: float = 2.0, caption: str
) -> str:
    """A row a relation: the best head's accuracy (dot, with its error), the best offset's (upright line), the verdict.

    shown: (layer, head) of one head to show in place of the best; the verdict, which is on the best, then makes room
    for the difference. errors: standard errors that the whisker reaches to either side.
    """
    rows = []
    for one in relations:
        layer, at = one.best if shown is None else shown
        accuracy, error = one.accuracy[layer][at], one.error[layer][at]
        cells = head(one.relation) + f'<td class="n">{layer}.{at}</td>'
        cells += f'<td style="min-width:7rem">{_track(accuracy, one.offset_accuracy, errors * error)}</td>'
        cells += _strong(accuracy) + f'<td class="n">{_signed(one.offset)}</td>' + number(one.offset_accuracy)
        if shown is None:
            said = html.escape(one.verdict)
            said = f"<strong>{said}</strong>" if said.startswith("no better") else said
            cells += f'<td class="n" style="white-space:normal;min-width:8.5rem">{said}</td>'
        else:
            cells += number(accuracy - one.offset_accuracy, signed=True)
        cells += number(one.n) + number(one.weight[layer][at], "attention") + number(one.chance_accuracy, "muted")
        rows.append(cells)
    names = ["relation", "layer.head", "0 \u2013 accuracy \u2013 1", "head", "offset", "its accuracy"]
    names += ["the best head is" if shown is None else "head \u2212 offset"]
    names += ["questions", "weight on the right word", "a random word"]
    return table(caption, names, rows)


def links_table(
    words: Sequence[str],
    links: Sequence[tuple[str, int, int]],
    weights: Sequence[float],
    hits: Sequence[bool],
    *,
    caption: str = "Known links of the sentence",
) -> str:
    """One row a link (relation, query, key as indices of `words`): the head's weight, and whether it is the largest."""
    if not len(links) == len(weights) == len(hits):
        raise ValueError(f"links: expected a weight and a hit for each, got {len(links)}, {len(weights)}, {len(hits)}")
    rows = []
    for (relation, query, key), weight, hit in zip(links, weights, hits, strict=True):
        said = "largest of all words" if hit else "another word has more"
        cells = (
            head(words[query], "query") + f'<td class="key"><bdi>{html.escape(visible_token(words[key]))}</bdi></td>'
        )
        rows.append(cells + f"<td>{html.escape(relation)}</td>" + bar(weight, "attention") + f"<td>{said}</td>")
    return table(caption, ["reads", "is read", "relation", "weight", ""], rows)


def _signed(offset: int) -> str:
    return f"{offset:+d}" if offset else "0"


def _strong(accuracy: float) -> str:
    return f'<td class="n" title="{full(accuracy)}"><strong>{format_number(accuracy)}</strong></td>'


def _track(accuracy: float, offset: float, reach: float) -> str:
    """A line from 0 to 1 with the head's dot and whisker, and the offset as an upright line."""

    def percent(share: float) -> str:
        return f"{100 * min(max(share, 0.0), 1.0):.4g}%"

    frame = "display:block;position:relative;width:100%;min-width:6rem;height:1.1rem"
    line = f"position:absolute;left:0;right:0;top:50%;border-top:1px solid {either('line')}"
    low, high = min(max(accuracy - reach, 0.0), 1.0), min(max(accuracy + reach, 0.0), 1.0)
    whisker = f"position:absolute;left:{percent(low)};width:{percent(high - low)};top:calc(50% - 1px);"
    whisker += f"border-top:2px solid {stop('series', 0)}"
    rule = f"position:absolute;left:calc({percent(offset)} - 1px);top:.1rem;bottom:.1rem;"
    rule += f"border-left:3px solid {either('text')}"
    dot = f"position:absolute;left:calc({percent(accuracy)} - .3rem);top:calc(50% - .3rem);width:.6rem;height:.6rem;"
    dot += f"border-radius:50%;background:{stop('series', 0)};box-shadow:0 0 0 2px {either('background')}"
    parts = "".join(f'<span style="{style}"></span>' for style in (line, whisker, rule, dot))
    return f'<span style="{frame}">{parts}</span>'
