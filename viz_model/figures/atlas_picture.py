"""Heads at a glance as HTML: the atlas of their roles, one head's measures, and what ablation costs.

Numbers and words in, one string out; colours follow the page. A bar is a weight or a share from 0 to 1, the upright
line across it is chance.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Protocol

from viz_model.figures.html_table import bar, either, full, head, number, stop, table
from viz_model.figures.theme import format_number


class Role(Protocol):
    """How much of a kind of key a head reads, and what a uniform head would."""

    @property
    def role(self) -> str: ...
    @property
    def score(self) -> float: ...
    @property
    def chance(self) -> float: ...


class MayName(Role, Protocol):
    """A role that says whether it may give the head its name."""

    @property
    def may_name(self) -> bool: ...


class Head(Role, Protocol):
    """A head with its name and numbers."""

    @property
    def layer(self) -> int: ...
    @property
    def head(self) -> int: ...
    @property
    def entropy(self) -> float: ...
    @property
    def evenness(self) -> float: ...
    @property
    def distance(self) -> float: ...
    @property
    def finds(self) -> Sequence[str]: ...
    @property
    def roles(self) -> Sequence[Role]: ...


class Ablated(Protocol):
    """The numbers of a run under ablation; None where agreement was not measured."""

    @property
    def layer(self) -> int | None: ...
    @property
    def head(self) -> int | None: ...
    @property
    def loss(self) -> float: ...
    @property
    def accuracy(self) -> float: ...
    @property
    def agreement(self) -> float | None: ...


UNNAMED = ("mixed", "broad")  # their score is an entropy, so the strongest kind of key stands beside it


def atlas_grid(heads: Sequence[Head], *, selected: tuple[int, int] | None = None, caption: str = "Heads") -> str:
    """Layers down the side, heads along the top; each cell names a role, with its score as a bar and chance as a line.

    A head without a role ('mixed', 'broad') shows the kind of key that it reads most. `selected` (layer, head) is
    framed in the accent colour. Cells carry data-layer and data-head, for a page that lets them be picked.
    """
    layers = sorted({one.layer for one in heads})
    n_heads = max((one.head for one in heads), default=-1) + 1
    by_place = {(one.layer, one.head): one for one in heads}
    rows = []
    for layer in layers:
        places = [(layer, i) for i in range(n_heads)]
        cells = [_cell(by_place[at], at == selected, n_heads) if at in by_place else "<td></td>" for at in places]
        rows.append(head(f"layer {layer}") + "".join(cells))
    left = "<style>.glass-atlas .glass-table thead th.n{text-align:left;padding-left:.45rem}</style>"
    return f'<div class="glass-atlas">{left}{table(caption, ["", *(f"head {i}" for i in range(n_heads))], rows)}</div>'


def atlas_table(
    heads: Sequence[Head], *, entropy: float, distance: float, caption: str = "Every head in numbers"
) -> str:
    """The atlas as rows: role, score, chance, mean entropy (nats) and distance (positions), a uniform head last."""
    blank = "<td></td>"
    rows = [
        head(f"layer {one.layer}, head {one.head}")
        + _words(one.role)
        + (blank * 2 if one.role in UNNAMED else bar(one.score, "attention") + number(one.chance))
        + number(one.entropy)
        + number(one.evenness)
        + number(one.distance)
        + _words(", ".join(one.finds))
        for one in heads
    ]
    even = blank * 3 + number(entropy) + number(1.0) + number(distance) + blank
    foot = f'<tr class="sum"><th scope="row">a uniform head</th>{even}</tr>'
    names = ["", "role", "score", "chance", "entropy, nats", "of the largest", "distance, positions"]
    return table(caption, [*names, "finds best of all heads"], rows, foot)


def role_table(roles: Sequence[MayName], about: dict[str, str], *, most: int = 12, caption: str = "One head") -> str:
    """A head's measures: kind of key, score over chance, both numbers.

    roles: those that explain most first. about: what each kind of key is, in words; what is not in it is a relation of
    the grammar, and says whether the head finds it better than a fixed offset does. Beyond `most` rows the caption
    counts what was left out.
    """
    rows = []
    for one in roles[:most]:
        found = "better than any fixed offset" if one.may_name else "no better than a fixed offset"
        note = about.get(one.role, found)
        rows.append(head(one.role) + _marked(one.score, one.chance) + number(one.chance) + _words(note))
    left = len(roles) - most
    caption += f" (the first {most} of {len(roles)})" if left > 0 else ""
    return table(caption, ["reads", "mean weight", "chance", ""], rows)


def ablation_picture(
    whole: Ablated,
    rows: Sequence[Ablated],
    *,
    selected: tuple[int, int] | None = None,
    agreement: str = "agreement",
    caption: str = "The model without each head",
) -> str:
    """One row an ablation: its loss, the change as a bar, accuracy and agreement.

    Where `head` is None no head of the layer is left. Bars are scaled to the largest change; a loss that falls points
    the other way. `selected` (layer, head) has its name in the accent colour. agreement: what it is called.
    """
    has_agreement = whole.agreement is not None
    largest = max((abs(row.loss - whole.loss) for row in rows), default=0.0) or 1.0
    lines = []
    for row in (whole, *rows):
        change = row.loss - whole.loss
        is_chosen = selected is not None and (row.layer, row.head) == selected
        cells = (_chosen_name(row) if is_chosen else head(_name(row))) + number(row.loss)
        if row is whole:
            cells += "<td></td>" * 2
        else:
            cells += _two_sided(change / largest) + number(change, "more" if change > 0 else "less", signed=True)
        cells += bar(row.accuracy)
        cells += "" if not has_agreement else bar(float("nan") if row.agreement is None else row.agreement)
        lines.append(cells)
    names = ["", "loss, nats", "", "change", "accuracy", *([agreement] if has_agreement else [])]
    return table(caption, names, lines)


def _name(row: Ablated) -> str:
    if row.layer is None:
        return "the whole model"
    return f"layer {row.layer}, " + ("no head" if row.head is None else f"head {row.head}")


def _chosen_name(row: Ablated) -> str:
    style = f"color:{either('accent')};font-weight:600"
    return f'<th scope="row" aria-current="true" style="{style}">{html.escape(_name(row))}</th>'


def _cell(one: Head, chosen: bool, n_heads: int) -> str:
    frame = f"outline:2px solid {either('accent')};outline-offset:-2px;" if chosen else ""
    lines = [f'<strong style="display:block">{html.escape(one.role)}</strong>']
    if one.role in UNNAMED and one.roles:
        most = one.roles[0]
        lines.append(f'<span class="muted" style="display:block">most: {html.escape(most.role)}</span>')
        lines.append(_track(most.score, most.chance) + _said(most))
    else:
        lines.append(_track(one.score, one.chance) + _said(one))
    if one.finds:
        lines.append(
            f'<small style="display:block;white-space:normal">finds best: {html.escape(", ".join(one.finds))}</small>'
        )
    style = (
        f"{frame}width:{88 / n_heads:.3g}%;min-width:7rem;box-sizing:border-box;white-space:normal;"
        "padding:.5rem .45rem;vertical-align:top"
    )
    if chosen:
        lines.append(f'<small style="display:block;color:{either("accent")}">the chosen head</small>')
    at = f'data-layer="{one.layer}" data-head="{one.head}"' + (" data-chosen" if chosen else "")
    return f'<td {at} style="{style}">{"".join(lines)}</td>'


def _said(one: Role) -> str:
    numbers = f'{format_number(one.score)} <span class="muted">(chance {format_number(one.chance)})</span>'
    return f'<span style="display:block" title="{full(one.score)}, chance {full(one.chance)}">{numbers}</span>'


def _marked(score: float, chance: float) -> str:
    """A cell with the bar, chance as a line across it, and the number."""
    beside = f'<span class="beside">{format_number(score)}</span>'
    return f'<td class="n" title="{full(score)}">{_track(score, chance)}{beside}</td>'


def _track(score: float, chance: float) -> str:
    wide, at = (100 * min(max(share, 0.0), 1.0) for share in (score, chance))
    frame = (
        f"display:inline-block;position:relative;width:5.5rem;max-width:100%;box-sizing:border-box;height:.6rem;background:{either('surface')};"
        f"border:1px solid {either('line')};margin-right:.6rem;vertical-align:middle"
    )
    filled = f"position:absolute;left:0;top:0;bottom:0;width:{wide:.4g}%;background:{stop('series', 0)}"
    line = f"position:absolute;left:{at:.4g}%;top:-.2rem;bottom:-.2rem;border-left:2px solid {either('text')}"
    return f'<span style="{frame}"><span style="{filled}"></span><span style="{line}"></span></span>'


def _two_sided(share: float) -> str:
    """A cell with a bar from the middle: right and warm for more loss, left for less."""
    left = 50 + 50 * min(0.0, share)
    frame = "display:block;position:relative;width:5rem;max-width:30vw;height:.6rem"
    zero = "position:absolute;left:50%;top:-.2rem;bottom:-.2rem;opacity:.35;border-left:1px solid currentColor"
    colour = stop("signed", 9) if share > 0 else stop("signed", 1)
    drawn = f"position:absolute;top:0;height:100%;left:{left:.4g}%;width:{50 * abs(share):.4g}%;background:{colour}"
    return f'<td><span style="{frame}"><span style="{zero}"></span><span style="{drawn}"></span></span></td>'


def _words(text: str) -> str:
    return f'<td style="white-space:normal;min-width:{min(13, len(text) / 2):g}rem">{html.escape(text)}</td>'
