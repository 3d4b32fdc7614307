"""The look of the block diagram: colours as custom properties for a page, or written out for a file."""

from __future__ import annotations

from collections.abc import Mapping

from viz_model.figures.html_table import either, stop
from viz_model.figures.theme import FONT, MONOSPACE, Theme

SMALLEST, LARGEST = 328, 460  # pixels that a page draws it wide: below, its text would be smaller than 12
COLOURS = ("text", "muted", "line", "surface", "background", "accent")


def rules(where: str, colours: Mapping[str, str]) -> str:
    """The style of the drawing's parts inside the selector `where`; colours are properties or written out."""
    text, muted, line, surface, paper, accent = (colours[name] for name in COLOURS)
    parts = {
        "text": f"fill:{text};font:13px {FONT}",
        ".title": "font-size:14px;font-weight:600",
        ".name": f"font:12.5px {MONOSPACE}",
        ".aside": f"fill:{muted};font-size:12.5px;font-variant-numeric:tabular-nums",
        ".times": "font-size:17px;font-weight:600",
        ".frame": f"fill:{surface};stroke:{line}",
        ".box": f"fill:{paper};stroke:{muted};stroke-width:1.25",
        ".box.attention": f"stroke:{colours['attention']};stroke-width:2",
        ".box.hidden": f"stroke:{colours['hidden']};stroke-width:2",
        ".line": f"fill:none;stroke:{text};stroke-width:1.5",
        ".residual": f"fill:none;stroke:{text};stroke-width:3",
        ".cut": f"fill:none;stroke:{muted};stroke-width:1.5;stroke-dasharray:2 5",
        ".tip,.dot": f"fill:{text}",
        ".plus": f"fill:{paper};stroke:{text};stroke-width:1.5",
        ".sign": f"fill:none;stroke:{text};stroke-width:1.75",
        ".touch": "fill:transparent",
        ".chosen .line": f"stroke:{accent};stroke-width:3",
        ".chosen .tip": f"fill:{accent}",
        ".chosen .name": f"fill:{accent};font-weight:700",
    }
    return "".join(
        ",".join(f"{where}{part}" for part in selector.split(",")) + f"{{{rule}}}" for selector, rule in parts.items()
    )


STYLE = (
    ".glass-block{overflow-x:auto}"
    f".glass-block svg{{display:block;width:100%;min-width:{SMALLEST}px;max-width:{LARGEST}px;height:auto}}"
    + rules(
        ".glass-block ",
        {**{name: either(name) for name in COLOURS}, "attention": stop("series", 0), "hidden": stop("series", 1)},
    )
    + ".glass-block [role=button]{cursor:pointer;outline:none}"
    f".glass-block [role=button]:hover .name{{fill:{either('accent')}}}"
    f".glass-block [role=button]:focus-visible .touch{{stroke:{either('accent')};stroke-width:2}}"
)


def written_style(theme: Theme) -> str:
    """A <style> with the theme's colours written out, and the ground to draw on."""
    plain = {name: str(getattr(theme, name)) for name in COLOURS}
    colours = rules("", {**plain, "attention": theme.series[0], "hidden": theme.series[1]})
    return f'<style>{colours}</style><rect width="100%" height="100%" fill="{theme.background}"/>'
