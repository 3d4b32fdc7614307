"""Where an edit may lie in a model, and which edits belong to a place."""

import re

import pytest

from viz_model.edits import AblateHead, Edit, UniformHead, check_edits, select

ONE_STACK = {"": (2, 3, False)}
TWO_STACKS = {"encoder": (2, 3, False), "decoder": (1, 4, True)}


@pytest.mark.parametrize(
    ("edit", "stacks", "sentence"),
    [
        (AblateHead(2, 0), ONE_STACK, "edit ablate_2_0: expected a layer from 0 to 1, got 2."),
        (AblateHead(-1, 0), ONE_STACK, "expected a layer from 0 to 1, got -1."),
        (UniformHead(0, 3), ONE_STACK, "edit uniform_0_3: expected a head from 0 to 2, got 3."),
        (UniformHead(0, -1), ONE_STACK, "expected a head from 0 to 2, got -1."),
        (AblateHead(0, 0, stack="encoder"), ONE_STACK, "expected stack '', got 'encoder'."),
        (AblateHead(0, 0, attention="cross"), ONE_STACK, "expected self-attention, got cross"),
        (AblateHead(0, 0), TWO_STACKS, "expected stack 'encoder' or 'decoder', got ''."),
        (AblateHead(1, 0, stack="decoder"), TWO_STACKS, "expected a layer from 0 to 0, got 1."),
        (AblateHead(0, 3, stack="encoder"), TWO_STACKS, "expected a head from 0 to 2, got 3."),
        (AblateHead(0, 0, stack="encoder", attention="cross"), TWO_STACKS, "expected self-attention, got cross"),
    ],
)
def test_an_edit_of_no_head_is_refused_in_words(
    edit: Edit, stacks: dict[str, tuple[int, int, bool]], sentence: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        check_edits((AblateHead(0, 0, stack=next(iter(stacks))), edit), stacks=stacks)  # type: ignore[arg-type]


def test_edits_of_the_last_heads_are_fine() -> None:
    check_edits([AblateHead(1, 2)], stacks=ONE_STACK)
    check_edits(
        [AblateHead(1, 2, stack="encoder"), AblateHead(0, 3, stack="decoder", attention="cross")], stacks=TWO_STACKS
    )


def test_select_keeps_the_order_and_what_was_asked() -> None:
    first = UniformHead(1, 0, stack="decoder")
    second = AblateHead(0, 0, stack="decoder", attention="cross")
    third = AblateHead(1, 1, stack="encoder")
    every = (first, second, third)
    assert select(every) == every
    assert select(every, layer=1) == (first, third)
    assert select(every, stack="decoder", layer=0) == (second,)
    assert select(every, attention="self") == (first, third)
