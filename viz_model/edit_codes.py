"""Edits as short words for a link: `Edit.code` writes them, `parse_edit` reads them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from viz_model.edits import AblateHead, Edit, KnockOut, PatchHead, SetWeight, UniformHead

LONGEST_NUMBER = 9  # digits: no model has a billion layers or positions

kinds: dict[str, type[Edit]] = {kind.name: kind for kind in (AblateHead, KnockOut, SetWeight, UniformHead, PatchHead)}


def parse_edit(code: str, *, source: Any = "") -> Edit:
    """Reads `Edit.code` back; `source` is what a patch takes from. Raises ValueError that says what was expected."""
    name, *parts = code.split("_")
    if name not in kinds:
        raise ValueError(f"edit: expected one of {', '.join(kinds)}, got {name!r}.")
    kind = kinds[name]
    options: dict[str, Any] = {"attention": "self", "stack": ""}
    if parts and parts[-1] == "cross":
        options["attention"] = parts.pop()
    if parts and parts[-1] in ("encoder", "decoder"):
        options["stack"] = parts.pop()
    own = [f for f in fields(kind) if f.name not in (*options, "source")]
    if len(parts) != len(own):
        names = ", ".join(f.name for f in own)
        raise ValueError(f"edit {code!r}: expected {name} with {names}, got {len(parts)} parts.")
    for f, part in zip(own, parts, strict=True):
        options[f.name] = _read(str(f.type), part, f"{f.name} in edit {code!r}")
    if kind is PatchHead:
        options["source"] = source
    return kind(**options)


def _read(annotation: str, text: str, what: str) -> object:
    if annotation == "bool":
        if text not in ("yes", "no"):
            raise ValueError(f"{what}: expected yes or no, got {text!r}.")
        return text == "yes"
    if "None" in annotation and text == "all":
        return None
    if annotation.startswith("int"):
        if not (text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER):
            raise ValueError(f"{what}: expected a whole number, got {text[:40]!r}.")
        return int(text)
    if annotation == "float":
        try:
            return float(text)
        except ValueError:
            raise ValueError(f"{what}: expected a number, got {text!r}.") from None
    return text
