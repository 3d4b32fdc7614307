"""A few numbers for each word as bars that stand in line: a table that is the picture too."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from viz_model.figures.html_table import STYLE, either, full, head, stop, table
from viz_model.figures.theme import format_number


def word_bars(
    words: Sequence[str],
    columns: Mapping[str, Sequence[float]],
    *,
    signed: Collection[str] = (),
    chosen: Collection[int] = (),
    caption: str,
) -> str:
    """A row a word, a bar a column: from 0 to 1, or for a signed column from the middle, its largest size filling half.

    `chosen` rows are bold. Raises ValueError unless every column has a number for each word.
    """
    for name, values in columns.items():
        if len(values) != len(words):
            raise ValueError(f"{name}: expected {len(words)} numbers, one a word, got {len(values)}.")
    largest = {name: max((abs(value) for value in columns[name]), default=0.0) for name in columns}
    rows = []
    for i, word in enumerate(words):
        cells = head(word, "strong" if i in chosen else "")
        for name, values in columns.items():
            cells += _signed(values[i], largest[name]) if name in signed else _share(values[i])
        rows.append(cells)
    made = table(caption, ["word", *columns], rows)
    return f'<style>{STYLE}{_OWN}</style><div class="glass-bars">{made}</div>'


def _share(value: float) -> str:
    width = 100 * min(max(value, 0.0), 1.0)
    return _cell(f'<span class="fill attention" style="left:0;width:{width:.4g}%"></span>', value, "")


def _signed(value: float, largest: float) -> str:
    half = 50 * abs(value) / largest if largest else 0.0
    side = f"left:50%;width:{half:.4g}%" if value >= 0 else f"right:50%;width:{half:.4g}%"
    role = "up" if value >= 0 else "down"
    return _cell(f'<span class="zero"></span><span class="fill {role}" style="{side}"></span>', value, "+")


def _cell(inside: str, value: float, plus: str) -> str:
    sign = plus if value > 0 else ""
    return (
        f'<td class="n" title="{full(value)}"><span class="line">{inside}</span>'
        f'<span class="beside">{sign}{format_number(value)}</span></td>'
    )


_OWN = (
    ".glass-bars .glass-table{max-height:44rem;overflow-y:auto}"
    ".glass-bars .line{display:inline-block;position:relative;width:clamp(4rem,14vw - 4.5rem,9rem);height:.75rem;"
    "vertical-align:middle;"
    f"background:{either('surface')};margin-right:.6rem}}"
    ".glass-bars .fill{position:absolute;top:0;height:100%}"
    f".glass-bars .zero{{position:absolute;left:50%;top:-2px;bottom:-2px;border-left:1px solid {either('muted')}}}"
    f".glass-bars .fill.up{{background:{stop('signed', 8)}}}.glass-bars .fill.down{{background:{stop('signed', 2)}}}"
    ".glass-bars th.strong{font-weight:700}"
    ".glass-bars td.n .beside{min-width:4.4em}"
    "@media (max-width:640px){.glass-bars .line{display:block;width:4.4rem;margin:0 0 .15rem auto}"
    ".glass-bars .glass-table th,.glass-bars .glass-table td{padding-right:.5rem}"
    ".glass-bars td.n .beside{min-width:0;font-size:.8125rem}}"
)
