"""What a person changed of a recipe, as words for a link: 'n_heads=1', 'position=none'."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, get_args, get_type_hints

from viz_model.training.recipe import Recipe

_KINDS = get_type_hints(Recipe)
# What a class on one server may ask for: a run at these limits still makes several steps a second.
MOST = {
    **{"d_model": 256, "n_layers": 8, "n_heads": 16, "d_ff": 1024, "context_length": 512},
    **{"steps": 20_000, "batch_size": 512, "warm_up": 20_000},
}


def changed(recipe: Recipe, words: Sequence[str]) -> Recipe:
    """The recipe with these changes. Raises ValueError, one sentence, for one that is not a recipe's."""
    values: dict[str, Any] = {}
    for word in words:
        name, _, text = word.partition("=")
        if name not in _KINDS or name == "task":
            known = ", ".join(each for each in _KINDS if each != "task")
            raise ValueError(f"recipe: expected a change of one of {known}, got {name[:40]!r}.")
        values[name] = _value(name, text)
    made = replace(recipe, **values)
    if made.d_model % made.n_heads:
        fit = ", ".join(str(n) for n in range(1, MOST["n_heads"] + 1) if made.d_model % n == 0)
        raise ValueError(f"n_heads: expected one that divides d_model {made.d_model} ({fit}), got {made.n_heads}.")
    if made.position == "rotary" and made.d_model // made.n_heads % 2:
        raise ValueError(f"rotary positions: expected heads of an even width, got {made.d_model // made.n_heads}.")
    return made


def words_for(recipe: Recipe, usual: Recipe) -> tuple[str, ...]:
    """The inverse of `changed`: what is not as usual."""
    return tuple(
        f"{field.name}={_written(getattr(recipe, field.name))}"
        for field in fields(Recipe)
        if getattr(recipe, field.name) != getattr(usual, field.name)
    )


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _value(name: str, text: str) -> Any:
    kind = _KINDS[name]
    if choices := get_args(kind):
        if text not in choices:
            raise ValueError(f"{name}: expected one of {', '.join(choices)}, got {text[:40]!r}.")
        return text
    if kind is bool:
        if text not in ("0", "1"):
            raise ValueError(f"{name}: expected 1 or 0, got {text[:40]!r}.")
        return text == "1"
    low, high = (
        (0 if name == "warm_up" else 1, MOST.get(name, 4096))
        if kind is int
        else (0.0, 0.9999 if name == "beta2" else 1e4)
    )
    try:
        value = kind(text)
    except ValueError:
        what = "a whole number" if kind is int else "a number"
        raise ValueError(f"{name}: expected {what}, {low} to {high}, got {text[:40]!r}.") from None
    if not low <= value <= high:
        raise ValueError(f"{name}: expected {low} to {high}, got {text[:40]}.")
    return value
