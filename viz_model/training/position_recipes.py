"""Five kinds of positions on one task, trained alike, to be measured beyond the length that they were trained on."""

from __future__ import annotations

from viz_model.config import PositionKind
from viz_model.training.recipe import Recipe

KINDS: tuple[PositionKind, ...] = ("sinusoidal", "learned", "rotary", "alibi", "none")
TRAINED, LONGEST = 32, 128  # positions of a training example, and the most that are read afterwards


def _letter_chain(position: PositionKind) -> Recipe:
    """All equal but for the positions, and the length of their table.

    A learned table has the rows that training fills and no more: what has no vector cannot be read. The others follow
    a formula, or need no table, and are given room for the long texts.
    """
    return Recipe(
        task="letter-chain",
        d_model=32,
        d_ff=128,
        context_length=TRAINED if position == "learned" else LONGEST,
        position=position,
        learning_rate=8e-3,
        batch_size=32,
        steps=300,
    )


# By the kind of position.
position_recipes: dict[str, Recipe] = {kind: _letter_chain(kind) for kind in KINDS}
