"""A transformer block drawn from its config: boxes, the residual path, and on each arrow the tensor that lies there.

Inline SVG for a page. Its colours are custom properties, so that one string serves light and dark; with a theme they
are written out, for a file that stands by itself. Each arrow is a group with the tensor's name in `data-name`, to which
`script` listens: the browser component of a page, which tells the arrow that was pressed. (Streamlit's `st.html` drops
every SVG.)
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from viz_model.figures.block_plan import Arrow, BlockPlan, Sublayer
from viz_model.figures.block_style import STYLE, written_style
from viz_model.figures.theme import Theme

ASSETS = Path(__file__).parents[2] / "assets"
SKELETON = '<div class="block"></div>'
WIDTH = 340  # of the drawing; the page scales it down to 328 (text stays at 12 px) and up
STREAM = 46  # x of the stream's line
LEFT, RIGHT = 112, 324  # of the boxes on a branch
BRANCH = 136  # x of the lines between them
ACROSS = 304  # x at which the encoder's output comes down
STEP = 50  # y that an arrow with its label takes
CORNER = 10
LONGEST = 36  # characters of a label that fit beside the stream
BOXES = {"attention": "attention", "cross_attention": "attention", "feed_forward": "hidden"}


def block_diagram(
    plan: BlockPlan,
    *,
    chosen: str = "",
    statistics: Mapping[str, str] | None = None,
    selectable: bool = False,
    theme: Theme | None = None,
) -> str:
    """The block of a plan (`block_plan`) as HTML with inline SVG, read from top to bottom.

    chosen: the arrow that is lit up, by any name of its tensor. statistics: a few characters an arrow by its name,
    such as 'norm 4.21', written beside its shape. selectable: arrows take the keyboard's focus and look as if they
    could be pressed. theme: writes the colours out, for a file. Raises ValueError for a name that no arrow has.
    """
    said = {plan.arrow(name).name: text for name, text in (statistics or {}).items()}
    drawing = _Drawing(plan.arrow(chosen).name if chosen else "", said, selectable)
    drawing.block(plan)
    height = drawing.y + 6
    size = "" if theme is None else f' width="{WIDTH}" height="{height}"'
    style = "" if theme is None else written_style(theme)
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"{size} role="group" '
        f'aria-label="{html.escape(plan.summary)}">{style}{"".join(drawing.parts)}</svg>'
    )
    return svg if theme is not None else f'<div class="glass-block"><style>{STYLE}</style>{svg}</div>'


def script() -> str:
    """The component's JavaScript: its html is SKELETON, its data what `block_diagram` gives, its trigger 'arrow'."""
    return (ASSETS / "block_diagram" / "block_diagram.js").read_text(encoding="utf-8")


class _Drawing:
    """Parts of the SVG from top to bottom; `y` is how far it has come."""

    def __init__(self, chosen: str, statistics: Mapping[str, str], selectable: bool) -> None:
        self.chosen, self.statistics, self.selectable = chosen, statistics, selectable
        self.parts: list[str] = []
        self.y = 4

    def block(self, plan: BlockPlan) -> None:
        self.stream(plan.enters)
        top = self.y
        frame = len(self.parts)
        self.y += 22
        self.line(f"M{STREAM} {top}V{self.y}")
        for i, one in enumerate(plan.sublayers):
            if one.kind != "none":
                self.sublayer(plan, one)
            if plan.norm_after:
                self.norm_on_stream(plan.norm)
            if i < len(plan.sublayers) - 1:
                self.stream(one.leaves, tip=False)
        bottom = self.y + 18
        self.line(f"M{STREAM} {self.y}V{bottom}")
        times = f"\u00d7 {plan.n_layers}"
        self.parts.insert(
            frame,
            f'<rect class="frame" x="4" y="{top}" width="{WIDTH - 8}" height="{bottom - top}" rx="14"/>'
            f'<text class="times" x="{WIDTH - 18}" y="{top + 26}" text-anchor="end">{times}</text>',
        )
        self.y = bottom
        self.stream(plan.sublayers[-1].leaves)

    def sublayer(self, plan: BlockPlan, one: Sublayer) -> None:
        """A branch from the stream through its boxes and back."""
        start = self.y
        if plan.residual:
            self.parts.append(f'<circle class="dot" cx="{STREAM}" cy="{start}" r="3.5"/>')
        turn = f"H{BRANCH - CORNER}q{CORNER} 0 {CORNER} {CORNER}"
        begins = f"M{STREAM} {start}" if plan.residual else f"M{STREAM} {start - 1}v1"
        row = STEP if one.memory is not None else 0  # in which the encoder's output comes in
        self.y = start + 30
        if one.normed is None:
            self.line(f"{begins}{turn}V{self.y + row}", tip=(BRANCH, self.y + row))
        else:
            self.line(f"{begins}{turn}V{self.y}", tip=(BRANCH, self.y))
            self.box("norm", plan.norm, "")
            end = self.y + STEP + row
            self.arrow(one.normed, f"M{BRANCH} {self.y}V{end}", (BRANCH, end), BRANCH)
            self.y += STEP
        if one.memory is not None:
            end = self.y + row
            across = f"M{WIDTH} {self.y + 12}H{ACROSS + CORNER}q-{CORNER} 0 -{CORNER} {CORNER}V{end}"
            self.arrow(one.memory, across, (ACROSS, end), ACROSS, anchor="end")
            self.y = end
        self.box(BOXES[one.kind], one.title, one.detail)
        end = self.y + STEP
        home = STREAM + (11 if plan.residual else CORNER)
        back = f"M{BRANCH} {self.y}V{end - CORNER}q0 {CORNER} -{CORNER} {CORNER}H{home}"
        if not plan.residual:
            back += f"q-{CORNER} 0 -{CORNER} {CORNER}"
        tip = (home, end) if plan.residual else None
        if one.out is not None:
            self.arrow(one.out, back, tip, BRANCH, point="left")
        else:
            self.line(back, tip=tip, point="left")
        self.residual(plan, start, end)
        self.y = end + (11 if plan.residual else CORNER)

    def residual(self, plan: BlockPlan, start: int, end: int) -> None:
        """The straight way past a sublayer, or where it would be."""
        kind, word = ("residual", "residual") if plan.residual else ("cut", "no residual")
        until = end - 11 if plan.residual else end - 8
        self.parts.append(f'<path class="{kind}" d="M{STREAM} {start + (0 if plan.residual else 8)}V{until}"/>')
        turned = f'transform="translate({STREAM - 12} {(start + end) // 2}) rotate(-90)" text-anchor="middle"'
        self.parts.append(f'<text class="aside" {turned}>{word}</text>')
        if plan.residual:
            self.parts.append(_tip(STREAM, until, "down"))
            self.parts.append(f'<circle class="plus" cx="{STREAM}" cy="{end}" r="11"/>')
            self.parts.append(f'<path class="sign" d="M{STREAM - 5} {end}h10M{STREAM} {end - 5}v10"/>')

    def norm_on_stream(self, norm: str) -> None:
        if not norm:
            return
        self.line(f"M{STREAM} {self.y}v18", tip=(STREAM, self.y + 18))
        self.y += 18
        self.box("norm", norm, "", left=18, right=166)

    def box(self, kind: str, title: str, detail: str, *, left: int = LEFT, right: int = RIGHT) -> None:
        height = 50 if detail else 32
        middle = (left + right) // 2
        self.parts.append(
            f'<rect class="box {kind}" x="{left}" y="{self.y}" width="{right - left}" height="{height}" rx="6"/>'
            f'<text class="title" x="{middle}" y="{self.y + 21}" text-anchor="middle">{html.escape(title)}</text>'
        )
        if detail:
            self.parts.append(
                f'<text class="aside" x="{middle}" y="{self.y + 39}" text-anchor="middle">{html.escape(detail)}</text>'
            )
        self.y += height

    def stream(self, arrow: Arrow, *, tip: bool = True) -> None:
        end = self.y + STEP
        self.arrow(arrow, f"M{STREAM} {self.y}V{end}", (STREAM, end) if tip else None, STREAM)
        self.y = end

    def line(self, path: str, *, tip: tuple[int, int] | None = None, point: str = "down") -> None:
        """A line without a tensor of its own."""
        self.parts.append(f'<path class="line" d="{path}"/>' + ("" if tip is None else _tip(*tip, point)))

    def arrow(
        self,
        arrow: Arrow,
        path: str,
        tip: tuple[int, int] | None,
        beside: int,
        *,
        point: str = "down",
        anchor: Literal["start", "end"] = "start",
    ) -> None:
        """A line with its tensor: names, shape and statistic beside x = `beside`, in the row that begins at `y`."""
        lit = " chosen" if arrow.name == self.chosen else ""
        names, about = " = ".join((arrow.name, *arrow.also)), " \u00d7 ".join(arrow.shape)
        if arrow.name in self.statistics:
            about += f" \u00b7 {self.statistics[arrow.name]}"
        title = f"{names}: {about}"
        if len(names) > LONGEST:
            names, _, last = names.rpartition(" = ")
            about = f"= {last} \u00b7 {about}"
        press = f' role="button" tabindex="0" aria-pressed="{str(bool(lit)).lower()}"' if self.selectable else ""
        parts = [
            f'<g class="arrow{lit}" data-name="{html.escape(arrow.name)}"{press}><title>{html.escape(title)}</title>',
            f'<path class="line" d="{path}"/>',
            "" if tip is None else _tip(*tip, point),
        ]
        left, right = (beside - 10, WIDTH - 12) if anchor == "start" else (BRANCH + 10, beside + 10)
        at = f'x="{beside + (12 if anchor == "start" else -12)}" text-anchor="{anchor}"'
        parts += [
            f'<rect class="touch" x="{left}" y="{self.y + 3}" width="{right - left}" height="{STEP - 6}" rx="4"/>',
            f'<text class="name" {at} y="{self.y + 20}">{html.escape(names)}</text>',
            f'<text class="aside" {at} y="{self.y + 37}">{html.escape(about)}</text></g>',
        ]
        self.parts.append("".join(parts))


def _tip(x: int, y: int, point: str) -> str:
    """An arrow's head that ends at (x, y)."""
    shape = {"down": "l-4.5 -8h9z", "left": "l8 -4.5v9z"}[point]
    return f'<path class="tip" d="M{x} {y}{shape}"/>'
