"""The JavaScript and the pages of the browser components: modules joined to one, templates filled.

Streamlit mounts a component's script as text, in which relative imports cannot resolve; an exported page has no other
file beside it either.
"""

from __future__ import annotations

import base64
import html
import json
import re
from pathlib import Path
from typing import Any

ASSETS = Path(__file__).parents[2] / "assets"
_IMPORT = re.compile(r'^import \{[^}]*\} from "(\.{1,2}/[\w./]+\.js)";\n', re.MULTILINE)


def joined(entry: Path) -> str:
    """The module at `entry` with all that it imports, each once and before whatever imports from it, as one ES module.

    The modules share one scope: two of them with a name in common at their top do not load. Raises ValueError where
    modules import each other in a circle.
    """
    parts: dict[Path, str] = {}
    open_: list[Path] = []

    def add(path: Path) -> None:
        if path in parts:
            return
        if path in open_:
            raise ValueError(f"expected modules without circles, got {' -> '.join(each.name for each in open_)}")
        open_.append(path)
        source = path.read_text(encoding="utf-8")
        for found in _IMPORT.findall(source):
            add((path.parent / found).resolve())
        parts[path] = _IMPORT.sub("", source)
        open_.pop()

    add(entry.resolve())
    return "\n".join(parts.values())


def style_of(folder: Path) -> str:
    """The CSS of what the views have in common, then the folder's own."""
    sheets = (ASSETS / "shared" / "controls.css", folder / "view.css")
    return "\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets)


def with_template(script: str, template: str) -> str:
    """The script with its page's template as `pageTemplate`: the download menu fills the same one as `filled`."""
    return f"{script}\nconst pageTemplate = {_inert(json.dumps(template))};\n"


def filled(
    template: str, payload: bytes, header: dict[str, Any], *, title: str, caption: str, style: str, script: str
) -> str:
    """A self-contained page of a payload. `title` and `caption` are plain text, which is escaped."""
    marks = {
        "title": html.escape(title),
        "caption": html.escape(caption),
        "light": _page_colours(header["colours"]["light"]),
        "dark": _page_colours(header["colours"]["dark"]),
        "style": style,
        "script": _inert(script),
        "data": base64.b64encode(payload).decode("ascii"),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: marks[mark[1]], template)


def _page_colours(colours: dict[str, str]) -> str:
    names = {"background-color": "paper", "text-color": "ink", "primary-color": "accent"}
    return " ".join(f"--st-{name}: {colours[source]};" for name, source in names.items())


def _inert(source: str) -> str:
    """JavaScript that cannot end or swallow the script element which it stands in; in strings `<\\/` is `</`."""
    return source.replace("</script", r"<\/script").replace("<!--", r"<\!--")
