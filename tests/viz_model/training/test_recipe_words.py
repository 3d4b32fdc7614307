"""A recipe's changes as words: what is written comes back, and a bad word is refused by its name."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from viz_model.training.recipe import Recipe, own_text_recipes, recipes
from viz_model.training.recipe_words import MOST, changed, words_for

USUAL = Recipe(task="copy")
KINDS = get_type_hints(Recipe)
RATES = {"learning_rate": 1e-6, "adamw_rate": 1e-6, "clip": 1e-6}  # fields that have to be above 0


def values_of(name: str) -> st.SearchStrategy[Any]:
    """What a field may hold, with the six digits that a link carries of a fraction."""
    kind = KINDS[name]
    if choices := get_args(kind):
        return st.sampled_from(choices)
    if kind is bool:
        return st.booleans()
    if kind is int:
        return st.integers(0 if name == "warm_up" else 1, MOST.get(name, 4096))
    high = 0.99 if name == "beta2" else 9999.0
    return st.floats(RATES.get(name, 0.0), high).map(lambda value: float(f"{value:.6g}"))


RECIPES = st.fixed_dictionaries({f.name: values_of(f.name) for f in fields(Recipe) if f.name != "task"}).map(
    lambda values: Recipe(task="copy", **values | {"residual": values["residual"] or not values["feed_forward"]})
)


def possible(recipe: Recipe) -> bool:
    width, left = divmod(recipe.d_model, recipe.n_heads)
    return left == 0 and (recipe.position != "rotary" or width % 2 == 0)


@given(RECIPES, st.integers(0, 16), RECIPES)
def test_what_is_written_comes_back(recipe: Recipe, width: int, usual: Recipe) -> None:
    recipe = replace(recipe, d_model=recipe.n_heads * min(2 * (width or 1), MOST["d_model"] // recipe.n_heads))
    assume(possible(recipe))
    words = words_for(recipe, usual)
    assert changed(usual, words) == recipe
    assert len(words) == sum(getattr(recipe, f.name) != getattr(usual, f.name) for f in fields(Recipe))
    assert not any("~" in word or " " in word for word in words)  # the link joins them by ~


@given(RECIPES)
def test_a_recipe_that_is_as_usual_needs_no_words(recipe: Recipe) -> None:
    assert words_for(recipe, recipe) == ()


@pytest.mark.parametrize("recipe", [*recipes.values(), *own_text_recipes.values()], ids=lambda recipe: recipe.task)
def test_every_recipe_is_within_what_a_link_may_say(recipe: Recipe) -> None:
    words = words_for(recipe, Recipe(task=recipe.task))
    assert changed(Recipe(task=recipe.task), words) == recipe


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("n_heads=1",), {"n_heads": 1}),
        (("position=none", "feed_forward=0"), {"position": "none", "feed_forward": False}),
        (("learning_rate=0.03", "warm_up=0"), {"learning_rate": 0.03, "warm_up": 0}),
        (
            ("optimiser=sgd", "learning_rate=1000", "clip=1000"),
            dict(optimiser="sgd", learning_rate=1000.0, clip=1000.0),
        ),
        (("n_heads=3", "d_model=48"), {"n_heads": 3, "d_model": 48}),
        (("n_heads=3", "n_heads=2"), {"n_heads": 2}),
        ((), {}),
    ],
)
def test_words_say_what_they_change(words: tuple[str, ...], expected: dict[str, Any]) -> None:
    assert changed(USUAL, words) == replace(USUAL, **expected)


def test_words_are_written_in_the_recipe_s_order() -> None:
    made = replace(USUAL, steps=60, learning_rate=0.0001, scaled=False, position="none")
    assert words_for(made, USUAL) == ("position=none", "scaled=0", "learning_rate=0.0001", "steps=60")


BAD = {
    "": "recipe: expected a change of one of d_model, n_layers,",
    "=": "recipe: expected a change of one of d_model",
    "colour=red": "got 'colour'.",
    "task=sort": "got 'task'.",
    "__class__=1": "got '__class__'.",
    "x" * 500: f"got {'x' * 40!r}.",
    "n_heads": "n_heads: expected a whole number, 1 to 16, got ''.",
    "steps=1e9": "steps: expected a whole number, 1 to 20000, got '1e9'.",
    "steps=1000000000": "steps: expected 1 to 20000, got 1000000000.",
    "n_heads=": "n_heads: expected a whole number, 1 to 16, got ''.",
    "n_heads=four": "n_heads: expected a whole number, 1 to 16, got 'four'.",
    "n_heads=1.5": "n_heads: expected a whole number, 1 to 16, got '1.5'.",
    "n_heads=2=2": "n_heads: expected a whole number, 1 to 16, got '2=2'.",
    "n_heads=" + "9" * 6000: "n_heads: expected a whole number, 1 to 16, got '999",
    "n_heads=0": "n_heads: expected 1 to 16, got 0.",
    "n_heads=-1": "n_heads: expected 1 to 16, got -1.",
    "n_heads=17": "n_heads: expected 1 to 16, got 17.",
    "n_heads=3": "n_heads: expected one that divides d_model 64 (1, 2, 4, 8, 16), got 3.",
    "d_model=257": "d_model: expected 1 to 256, got 257.",
    "n_layers=9": "n_layers: expected 1 to 8, got 9.",
    "d_ff=99999": "d_ff: expected 1 to 1024, got 99999.",
    "context_length=100000": "context_length: expected 1 to 512, got 100000.",
    "steps=20001": "steps: expected 1 to 20000, got 20001.",
    "steps=0": "steps: expected 1 to 20000, got 0.",
    "batch_size=513": "batch_size: expected 1 to 512, got 513.",
    "warm_up=-1": "warm_up: expected 0 to 20000, got -1.",
    "learning_rate=nan": "learning_rate: expected 0.0 to 10000.0, got nan.",
    "learning_rate=inf": "learning_rate: expected 0.0 to 10000.0, got inf.",
    "learning_rate=-1": "learning_rate: expected 0.0 to 10000.0, got -1.",
    "learning_rate=0": "learning_rate: expected a number above 0 and below a million, got 0.0.",
    "learning_rate=fast": "learning_rate: expected a number, 0.0 to 10000.0, got 'fast'.",
    "clip=0": "clip: expected a number above 0 and below a million, got 0.0.",
    "beta2=1": "beta2: expected 0.0 to 0.9999, got 1.",
    "weight_decay=-0.1": "weight_decay: expected 0.0 to 10000.0, got -0.1.",
    "position=magic": "position: expected one of ",
    "norm_place=mid": "norm_place: expected one of pre, post, got 'mid'.",
    "optimiser=AdamW": "optimiser: expected one of adamw, adam, sgd, muon, got 'AdamW'.",
    "feed_forward=True": "feed_forward: expected 1 or 0, got 'True'.",
    "feed_forward=2": "feed_forward: expected 1 or 0, got '2'.",
}


@pytest.mark.parametrize("word", BAD, ids=lambda word: word[:30] or "empty")
def test_a_bad_word_is_refused_in_a_short_sentence_with_its_name(word: str) -> None:
    for words in ((word,), ("position=none", word)):
        with pytest.raises(ValueError) as caught:  # noqa: PT011
            changed(USUAL, words)
        said = str(caught.value)
        assert BAD[word] in said
        assert said.endswith(".")
        assert len(said) < 400


def test_rotary_positions_turn_pairs_of_numbers() -> None:
    with pytest.raises(ValueError, match=r"^rotary positions: expected heads of an even width, got 3\.$"):
        changed(USUAL, ("position=rotary", "d_model=6", "n_heads=2"))
    assert changed(USUAL, ("position=learned", "d_model=6", "n_heads=2")).d_model == 6


@given(st.lists(st.text(max_size=30) | st.sampled_from([f"{f.name}=" for f in fields(Recipe)]), max_size=3))
def test_any_text_gives_a_recipe_or_a_sentence(words: list[str]) -> None:
    said = ""
    try:
        made = changed(USUAL, words)
    except ValueError as error:
        said, made = str(error), USUAL
    assert isinstance(made, Recipe)
    assert "\n" not in said
    assert said.endswith(".") or not said


def test_a_change_leaves_the_usual_recipe_as_it_was() -> None:
    before = replace(USUAL)
    changed(USUAL, ("n_layers=1",))
    assert before == USUAL
