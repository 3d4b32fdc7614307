"""The block in numbers: what each sublayer adds to the stream, a norm written out, and what neurons look for."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from viz_model.figures.html_table import bar, check_line, either, head, number, table
from viz_model.figures.theme import format_number, visible_token

Floats = NDArray[np.float64]
SUBLAYERS = {"attention": "attention", "cross_attention": "cross-attention", "feed_forward": "feed-forward"}
LAW = (
    "the length of the sum: |stream|\u00b2 + |out|\u00b2 + 2 |stream| |out| cosine = |stream + out|\u00b2, on every row"
)
CONTEXT = 3  # tokens before the one that excites


class Addition(Protocol):
    """What one sublayer adds, one number a position."""

    @property
    def layer(self) -> int: ...
    @property
    def sublayer(self) -> str: ...
    @property
    def stream(self) -> Sequence[float]: ...
    @property
    def out(self) -> Sequence[float]: ...
    @property
    def cosine(self) -> Sequence[float]: ...
    @property
    def share(self) -> Sequence[float]: ...
    @property
    def sum(self) -> Sequence[float]: ...


class Norm(Protocol):
    """A norm of one vector, part by part."""

    @property
    def kind(self) -> str: ...
    @property
    def before(self) -> Sequence[float]: ...
    @property
    def mean(self) -> float: ...
    @property
    def variance(self) -> float: ...
    @property
    def epsilon(self) -> float: ...
    @property
    def divisor(self) -> float: ...
    @property
    def normalised(self) -> Sequence[float]: ...
    @property
    def gain(self) -> Sequence[float]: ...
    @property
    def bias(self) -> Sequence[float]: ...
    @property
    def after(self) -> Sequence[float]: ...


class Example(Protocol):
    """A token in a text that excites a neuron."""

    @property
    def text(self) -> int: ...
    @property
    def position(self) -> int: ...
    @property
    def activation(self) -> float: ...


class Token(Protocol):
    """A token and what the neuron does to its logit."""

    @property
    def token(self) -> str: ...
    @property
    def value(self) -> float: ...


class Neuron(Protocol):
    """One neuron over a corpus."""

    @property
    def layer(self) -> int: ...
    @property
    def index(self) -> int: ...
    @property
    def active(self) -> float: ...
    @property
    def by_token(self) -> float: ...
    @property
    def examples(self) -> Sequence[Example]: ...
    @property
    def up(self) -> Sequence[Token]: ...
    @property
    def down(self) -> Sequence[Token]: ...


def additions_table(
    additions: Sequence[Addition],
    position: int,
    *,
    residual: bool = True,
    caption: str = "What each sublayer adds at this position",
) -> str:
    """Lengths before, of what is added, and after; the cosine between the first two; the law of cosines as the check.

    residual: False where each output takes the stream's place, so that nothing is added up.
    """
    rows, worst = [], (0.0, 0.0)
    for one in additions:
        before, out, turn, after = (part[position] for part in (one.stream, one.out, one.cosine, one.sum))
        name = f"layer {one.layer}, {SUBLAYERS.get(one.sublayer, one.sublayer)}"
        cells = head(name) + number(before) + number(out) + number(one.share[position]) + number(turn)
        rows.append(cells + (number(after) if residual else ""))
        law = math.sqrt(max(before**2 + out**2 + 2 * before * out * turn, 0.0))
        worst = max(worst, (law, after), key=lambda pair: abs(pair[0] - pair[1]))
    names = ["", "|stream|", "|out|", "|out| / |stream|", "cosine", *(["|stream + out|"] if residual else [])]
    return table(caption, names, rows, check=check_line(*worst, LAW) if residual and rows else "")


def norm_table(parts: Norm, own: ArrayLike, *, limit: int = 16, caption: str = "") -> str:
    """A norm of one vector, entry by entry, checked against `own` [d_model], what the model itself computed.

    Beyond `limit` entries the table says so; mean, variance and the check are over all of them.
    """
    expected = np.asarray(own, dtype=np.float64)
    after = np.asarray(parts.after, dtype=np.float64)
    if expected.shape != after.shape:
        raise ValueError(f"own: expected {len(after)} values, got shape {expected.shape}")
    layer = parts.kind == "layer"
    rows = []
    for i in range(min(limit, len(after))):
        centred = parts.before[i] - parts.mean
        cells = [head(f"d{i}"), number(parts.before[i])]
        cells += [number(centred)] if layer else []
        cells += [number(parts.normalised[i]), number(parts.gain[i])]
        cells += [number(parts.bias[i])] if layer else []
        rows.append("".join((*cells, number(after[i]))))
    columns: list[Iterable[float] | None] = [parts.before]
    columns += [[x - parts.mean for x in parts.before]] if layer else []
    columns += [parts.normalised, None]
    columns += [None] if layer else []
    columns += [parts.after]
    foot = _statistics("mean", columns, np.mean) + _statistics("variance", columns, np.var)
    names = ["dimension", "x", *(["x \u2212 mean"] if layer else []), "\u00f7 divisor", "gain"]
    names += [*(["bias"] if layer else []), "out"]
    worst = int(np.abs(after - expected).argmax())
    what = "variance" if layer else "mean square"
    root = f"divisor = \u221a({what} + \u03b5) = \u221a({format_number(parts.variance)} + {parts.epsilon:g})"
    said = f'<p class="check">{root} = {format_number(parts.divisor)}</p>'
    if not caption:
        caption = f"{'LayerNorm' if layer else 'RMSNorm'} of one vector, entry by entry"
    if len(after) > limit:
        caption += f" (the first {limit} of {len(after)} entries; mean and variance are over all)"
    return table(caption, names, rows, foot, said + check_line(float(after[worst]), float(expected[worst])))


def neuron_table(neurons: Sequence[Neuron], texts: Sequence[Sequence[str]], *, caption: str = "Neurons") -> str:
    """A neuron a row: what excites it most, which tokens it makes likelier or less likely, how often it is active.

    texts: the tokens of each text that an example can be in. The token that excites stands in bold after the
    ones before it; its activation follows.
    """
    rows = []
    for one in neurons:
        seen = "".join(f"<p>{_in_context(texts[e.text], e)}</p>" for e in one.examples)
        rows.append(
            head(f"{one.layer}.{one.index}")
            + f'<td class="seen">{seen}</td>'
            + "".join(
                f'<td class="tokens">{_tokens(of, how)}</td>' for of, how in ((one.up, "more"), (one.down, "less"))
            )
            + bar(one.active)
            + bar(one.by_token)
        )
    names = ["layer.neuron", "strongest on", "makes likelier", "less likely", "active", "explained by the token"]
    return f"<style>{STYLE}</style>" + table(caption, names, rows).replace(
        'class="glass-table"', 'class="glass-table glass-neurons"', 1
    )


def _statistics(name: str, columns: Sequence[Iterable[float] | None], of: Callable[[Floats], Any]) -> str:
    cells = (
        "<td></td>" if values is None else number(round(float(of(np.asarray(list(values), dtype=np.float64))), 12))
        for values in columns
    )
    return f'<tr class="sum"><th scope="row">{name}</th>{"".join(cells)}</tr>'


def _in_context(text: Sequence[str], example: Example) -> str:
    start = max(0, example.position - CONTEXT)
    before = " ".join(visible_token(token) for token in text[start : example.position])
    lead = ("\u2026 " if start else "") + (f"{before} " if before else "")
    token = html.escape(visible_token(text[example.position]))
    return (
        f'<span class="muted"><bdi>{html.escape(lead)}</bdi></span><strong><bdi>{token}</bdi></strong> '
        f'<span class="muted" title="{example.activation!r}">{format_number(example.activation)}</span>'
    )


def _tokens(tokens: Sequence[Token], role: str) -> str:
    return ", ".join(
        f'<span class="{role}" title="{one.value!r}"><bdi>{html.escape(visible_token(one.token))}</bdi></span>'
        for one in tokens
    )


STYLE = (
    ".glass-neurons .seen p{margin:0;line-height:1.5;font-size:inherit;max-width:none}"
    ".glass-neurons .tokens{white-space:normal;min-width:6.5rem}"
    ".glass-neurons thead th:nth-child(-n+4){text-align:left}"
    ".glass-neurons tbody td,.glass-neurons tbody th{vertical-align:top}"
    f".glass-neurons strong{{color:{either('text')}}}"
)
