"""What the model says, as a strip of candidates: token, probability, and after edits the change."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np

from viz_model.figures.html_table import STYLE, either, stop
from viz_model.figures.theme import format_number, visible_token


def prediction_strip(
    tokens: Sequence[str], probabilities: Sequence[float], before: Sequence[float] | None = None, *, caption: str
) -> str:
    """Candidates side by side, the likeliest first, each with a bar; with `before`, what it was and the change."""
    cards = []
    for i, (token, share) in enumerate(zip(tokens, probabilities, strict=True)):
        was = None if before is None else before[i]
        lines = [f'<span class="token"><bdi>{html.escape(visible_token(token))}</bdi></span>']
        lines.append(f'<span class="share" title="{np.float32(share)!s}">{format_number(share)}</span>')
        lines.append(f'<span class="track"><span class="fill" style="width:{100 * share:.3g}%"></span></span>')
        if was is not None:
            change = share - was
            direction = "more" if change > 0 else "less" if change < 0 else "muted"
            lines.append(
                f'<span class="track was"><span class="fill was" style="width:{100 * was:.3g}%"></span></span>'
            )
            sign = "+" if change > 0 else ""
            full, shown = f"{sign}{np.float32(change)!s}", f"{sign}{format_number(change)}"
            moved = f'<span class="{direction}" title="{full}">{shown}</span>'
            then = f'<span title="{np.float32(was)!s}">{format_number(was)}</span>'
            lines.append(f'<span class="was-line">was {then}, {moved}</span>')
        cards.append(f"<li>{''.join(lines)}</li>")
    return (
        f"<style>{STYLE}{_OWN}</style>"
        f'<div class="glass-table glass-strip"><p class="caption">{html.escape(caption)}</p>'
        f"<ol>{''.join(cards)}</ol></div>"
    )


_OWN = (
    f".glass-strip .caption{{margin:0 0 .5rem;color:{either('muted')};font-size:.875rem;max-width:none}}"
    ".glass-strip ol{list-style:none;margin:0;padding:0;display:grid;gap:.75rem 1.25rem;"
    "grid-template-columns:repeat(auto-fill,minmax(7.5rem,1fr))}"
    f".glass-strip li{{margin:0;padding:0;display:flex;flex-wrap:wrap;justify-content:space-between;"
    f"align-items:baseline;font-size:.9375rem;font-variant-numeric:tabular-nums;color:{either('text')}}}"
    ".glass-strip .token{font-weight:600;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;max-width:65%}"
    f".glass-strip .track{{display:block;width:100%;height:.375rem;background:{either('surface')};border-radius:3px;"
    "overflow:hidden;margin-top:.25rem}"
    f".glass-strip .fill{{background:{either('text')}}}.glass-strip .fill.was{{background:{stop('magnitude', 3)}}}"
    f".glass-strip .was-line{{width:100%;font-size:.8125rem;color:{either('muted')};margin-top:.2rem}}"
)
