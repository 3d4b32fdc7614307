"""A text with a weight behind every word, and the words that were chosen marked: the text itself is the picture."""

from __future__ import annotations

import html
from collections.abc import Collection, Sequence

from viz_model.figures.html_table import either, full, stop
from viz_model.figures.theme import DARK, LIGHT, format_number, readable_on, visible_token

STOPS = len(LIGHT.attention)
CLOSING = frozenset(".,?:;!)]}'")


def marked_text(
    words: Sequence[str],
    weights: Sequence[float],
    chosen: Collection[int] = (),
    *,
    caption: str,
    faint: Collection[int] = (),
) -> str:
    """Words in a row on the attention ramp, weight 0..1 with its bar below; `chosen` ones framed, `faint` ones pale.

    The full weight stands on hovering. Raises ValueError unless every word has its weight.
    """
    if len(words) != len(weights):
        raise ValueError(f"weights: expected one for each of {len(words)} words, got {len(weights)}.")
    parts: list[str] = []
    for i, (word, weight) in enumerate(zip(words, weights, strict=True)):
        glued = i > 0 and (word in CLOSING or words[i - 1] == "'")
        inside = i in chosen
        role = " ".join(name for name, on in (("chosen", inside), ("faint", i in faint)) if on)
        space = "" if glued or i == 0 else " "
        inside_run = inside and i - 1 in chosen
        tag = "mark" if inside else "span"
        edge = " first" * (inside and not inside_run) + " last" * (inside and i + 1 not in chosen)
        before, within = ("", space) if inside_run else (space, "")
        said = f"{format_number(weight)} ({full(weight)})"
        parts.append(
            f'{before}<{tag} class="word w{_step(weight)} {role}{edge}" title="{said}">'
            f"{within}<bdi>{html.escape(visible_token(word))}</bdi></{tag}>"
        )
    ramp = "".join(f'<span class="w{i}"></span>' for i in range(STOPS))
    return (
        f'<style>{_STYLE}</style><figure class="glass-text"><p>{"".join(parts)}</p>'
        f'<figcaption>{html.escape(caption)} <span class="ramp">weight 0 <span class="bar" aria-hidden="true">{ramp}'
        "</span> 1</span></figcaption></figure>"
    )


def _step(weight: float) -> int:
    return min(STOPS - 1, max(0, round(weight * (STOPS - 1))))


_STYLE = (
    ".glass-text{margin:0}"
    f".glass-text p{{font-size:1.375rem;line-height:2;margin:0 0 .5rem;color:{either('text')};max-width:60rem;"
    "overflow-wrap:anywhere;max-height:20rem;overflow-y:auto}"
    ".glass-text .word{padding:.2rem .3rem;border-radius:3px}"
    ".glass-text mark.word{border-top:2px solid;border-bottom:2px solid;border-radius:0;font-weight:600;"
    f"border-color:{either('value')}}}"
    f".glass-text mark.first{{border-left:2px solid {either('value')};border-radius:4px 0 0 4px}}"
    f".glass-text mark.last{{border-right:2px solid {either('value')};border-radius:0 4px 4px 0}}"
    ".glass-text mark.first.last{border-radius:4px}"
    f".glass-text figcaption{{font-size:.875rem;color:{either('muted')}}}"
    ".glass-text .ramp{white-space:nowrap;margin-left:.75rem}"
    f".glass-text .bar{{display:inline-flex;border:1px solid {either('line')};vertical-align:middle}}"
    ".glass-text .bar span{width:.6rem;height:.6rem}"
    + "".join(
        f".glass-text .w{i}{{background:{stop('attention', i)};"
        f"color:light-dark({readable_on(LIGHT.attention[i])},{readable_on(DARK.attention[i])})}}"
        for i in range(STOPS)
    )
    + f".glass-text .w0{{color:{either('text')}}}.glass-text .w0.faint{{color:{either('muted')}}}"
)
