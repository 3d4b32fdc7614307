"""The one colour language of every picture, light and dark, and how numbers and tokens are written.

Query is blue, key orange, value green. Attention is one violet ramp over the fixed range 0..1; other signed values are
one teal-to-ochre ramp, symmetric about 0; masked cells are hatched. The accent is for what a person can act on.
The tests hold text contrast (WCAG 2.1, section 1.4.3) and distinguishability under simulated colour blindness.
Nothing here imports a plotting library: templates are plain dictionaries.
"""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass, fields
from typing import Any, SupportsFloat

FONT = '"Source Sans", system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif'
MONOSPACE = '"Source Code Pro", ui-monospace, Menlo, Consolas, "Noto Sans Mono", monospace'


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of one appearance, each '#rrggbb'.

    `attention` has ten stops evenly spaced in OKLab (Ottosson, 2020) from the background (weight 0) to weight 1.
    `signed` has eleven, negative to positive, the background in the middle; `magnitude` is for unsigned values that are
    not attention. `series` names lines and bars of equal rank. The `_soft` colours are backgrounds for text.
    """

    name: str
    background: str
    surface: str
    line: str
    text: str
    muted: str
    accent: str
    on_accent: str
    query: str
    key: str
    value: str
    query_soft: str
    key_soft: str
    value_soft: str
    masked: str
    masked_line: str
    attention: tuple[str, ...]
    signed: tuple[str, ...]
    magnitude: tuple[str, ...]
    series: tuple[str, ...]


LIGHT = Theme(
    name="light",
    background="#ffffff",
    surface="#f5f5f8",
    line="#d9d9e2",
    text="#1c1b22",
    muted="#5b5b6b",
    accent="#a5106a",
    on_accent="#ffffff",
    query="#1a66d9",
    key="#ae4f08",
    value="#04593f",
    query_soft="#e8f0fe",
    key_soft="#fdf0e4",
    value_soft="#e2f4ec",
    masked="#f0f0f3",
    masked_line="#a9a9b6",
    attention=(
        *("#ffffff", "#ede2fe", "#dac3ff", "#c6a3ff", "#b183f9"),
        *("#9763e9", "#7b46cf", "#5f2dae", "#45168b", "#2d0167"),
    ),
    signed=(
        *("#02585f", "#1a7a83", "#539ca5", "#8abfc5", "#c3e0e3", "#ffffff"),
        *("#e6d8c1", "#cbb088", "#ad8a55", "#8c6525", "#694501"),
    ),
    magnitude=("#ffffff", "#dedee6", "#b4b4c2", "#80808f", "#4d4d5c", "#24232c"),
    series=("#7b46cf", "#1a7a83", "#a06f12", "#5b5b6b", "#1c1b22"),
)

DARK = Theme(
    name="dark",
    background="#121217",
    surface="#1d1d24",
    line="#373743",
    text="#ececf2",
    muted="#a6a6b6",
    accent="#f7639b",
    on_accent="#1b0a12",
    query="#7cb8ff",
    key="#ffb26b",
    value="#35a873",
    query_soft="#16263f",
    key_soft="#332110",
    value_soft="#0f2a1e",
    masked="#1d1d24",
    masked_line="#5d5d6c",
    attention=(
        *("#121217", "#231e41", "#38286d", "#513498", "#6e47c0"),
        *("#8c62de", "#a881f2", "#c3a1fd", "#d9c1ff", "#eee2ff"),
    ),
    signed=(
        *("#5de8f6", "#20bac8", "#018d98", "#01626a", "#12393d", "#121217"),
        *("#402f12", "#724f08", "#a67307", "#da9b30", "#ffc674"),
    ),
    magnitude=("#121217", "#2c2c36", "#4f4f5d", "#7d7d8c", "#b1b1c0", "#ececf2"),
    series=("#a881f2", "#20bac8", "#da9b30", "#a6a6b6", "#ececf2"),
)


def theme_named(name: str | None) -> Theme:
    """The theme called 'light' or 'dark'; anything else (not known yet) is light."""
    return DARK if name == "dark" else LIGHT


def sample(ramp: tuple[str, ...], position: float) -> str:
    """The colour at `position` (0..1, clipped) of evenly spaced stops, mixed in sRGB between neighbours."""
    at = min(max(position, 0.0), 1.0) * (len(ramp) - 1)
    low = min(int(at), len(ramp) - 2)
    parts = (
        round(int(ramp[low][i : i + 2], 16) * (low + 1 - at) + int(ramp[low + 1][i : i + 2], 16) * (at - low))
        for i in (1, 3, 5)
    )
    return "#" + "".join(f"{part:02x}" for part in parts)


def luminance(colour: str) -> float:
    """Relative luminance, 0..1, of '#rrggbb' (WCAG 2.1, definition of relative luminance)."""
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def readable_on(colour: str) -> str:
    """Black or white, whichever has more contrast on `colour`: at least 4.58:1 on any colour."""
    # Contrast with white equals contrast with black where (1.05)/(L + .05) = (L + .05)/.05.
    return "#ffffff" if luminance(colour) < (1.05 * 0.05) ** 0.5 - 0.05 else "#000000"


def format_number(x: SupportsFloat, digits: int = 3) -> str:
    """A number as people read it: `digits` significant digits, plain between 0.001 and 1e6, else with an exponent.

    Whole digits are never rounded away (12345.6 is '12346'), integers keep no decimals, '-0' does not occur, and what
    is not finite is said in words. The minus sign is ASCII so that a copied number pastes as a number.
    """
    value = float(x)
    if math.isnan(value):
        return "not a number"
    if math.isinf(value):
        return "infinity" if value > 0 else "-infinity"
    if hasattr(x, "__index__") and abs(value) < 1e6:
        return str(int(value))
    if value == 0:
        return f"{0.0:.{digits - 1}f}"
    # Rounding first decides the exponent: 0.9996 is 1.00, not 1.000.
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    power = int(exponent)
    if power < -3 or power >= 6:
        return f"{mantissa}e{power}"
    return f"{value:.{max(0, digits - 1 - power)}f}"


def visible_token(token: str, limit: int | None = None) -> str:
    """A token as one readable line: spaces alone, control and direction characters become symbols.

    Joiners inside emoji and all printable text stay as they are. Longer than `limit` characters ends in an ellipsis.
    """
    if not token:
        return "(empty)"
    if not token.strip(" "):
        return "\u2423" * len(token)
    shown = "".join(_visible_character(character) for character in token)
    return shown if limit is None or len(shown) <= limit else shown[: limit - 1] + "\u2026"


def _visible_character(character: str) -> str:
    code = ord(character)
    if character in "\t\n":
        return "\u21e5" if character == "\t" else "\u21b5"
    if code < 32 or code == 127:
        return chr(0x2421 if code == 127 else 0x2400 + code)
    if unicodedata.category(character) == "Cs":
        return "\ufffd"
    # A stray override would turn a label around; a noncharacter makes XML ill-formed.
    direction = 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069
    return f"U+{code:04X}" if direction or code in (0xFFFE, 0xFFFF) or 0x80 <= code < 0xA0 else character


def colours_of(theme: Theme) -> dict[str, str]:
    """Every colour by its CSS name without prefix: 'query', 'query-soft', 'attention-0' ... 'attention-9', ..."""
    named: dict[str, str] = {}
    for field in fields(theme):
        value, name = getattr(theme, field.name), field.name.replace("_", "-")
        if isinstance(value, tuple):
            named |= {f"{name}-{i}": colour for i, colour in enumerate(value)}
        elif name != "name":
            named[name] = value
    return named


def css_variables(theme: Theme | None = None) -> str:
    """CSS custom properties ('--glass-query: #...; ...') for a rule or a style attribute; ramps as numbered stops.

    Without a theme each is `light-dark(...)` and follows the `color-scheme` of the element that uses it.
    """
    if theme is not None:
        return " ".join(f"--glass-{name}: {colour};" for name, colour in colours_of(theme).items())
    pairs = zip(colours_of(LIGHT).items(), colours_of(DARK).values(), strict=True)
    return " ".join(f"--glass-{name}: light-dark({light}, {dark});" for (name, light), dark in pairs)


def view_colours(theme: Theme) -> dict[str, Any]:
    """The colours that a picture drawn in the browser is sent for one appearance, by what they are for."""
    return {
        "paper": theme.background,
        "ink": theme.text,
        "accent": theme.accent,
        "query": theme.query,
        "key": theme.key,
        "on_token": theme.background,
        "muted": theme.muted,
        "line": theme.line,
        "hatch": theme.masked_line,
        "link": theme.series[0],
        "ramp": theme.attention,
        "diverging": theme.signed,
    }
