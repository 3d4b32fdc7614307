"""Edits as words for a link: every edit has its own and is read back, and any other word gets a sentence."""

import re
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz_model import edits as edits_module
from viz_model.edit_codes import kinds, parse_edit
from viz_model.edits import AblateHead, Edit, KnockOut, PatchHead, SetWeight, UniformHead

numbers = st.integers(0, 10**6)
place = {
    "layer": numbers,
    "head": numbers,
    "stack": st.sampled_from(get_args(edits_module.StackName)),
    "attention": st.sampled_from(get_args(edits_module.AttentionName)),
}
any_edit = st.one_of(
    st.builds(AblateHead, **place),
    st.builds(UniformHead, **place),
    st.builds(KnockOut, **place, query=st.none() | numbers, key=numbers, renormalise=st.booleans()),
    st.builds(SetWeight, **place, query=numbers, key=numbers, value=st.floats(0, 1), renormalise=st.booleans()),
    st.builds(PatchHead, **place, source=st.just("The cat"), what=st.sampled_from(["heads", "weights"])),
)


@given(any_edit)
def test_an_edit_is_a_word_and_back(edit: Edit) -> None:
    assert re.fullmatch(r"[a-z0-9_.-]+", edit.code)
    assert parse_edit(edit.code, source="The cat") == edit


@given(any_edit, any_edit)
def test_other_edits_have_other_words(first: Edit, second: Edit) -> None:
    assert (first == second) == (first.code == second.code)


def test_every_kind_can_be_read() -> None:
    defined = {
        thing
        for thing in vars(edits_module).values()
        if isinstance(thing, type) and issubclass(thing, Edit) and thing is not Edit
    }
    assert set(kinds.values()) == defined
    assert all(kind.name == name for name, kind in kinds.items())


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("", "expected one of ablate, cut, set, uniform, patch, got ''"),
        ("explode_0_1", "expected one of ablate, cut, set, uniform, patch, got 'explode'"),
        ("ABLATE_0_1", "got 'ABLATE'"),
        ("ablate", "expected ablate with layer, head, got 0 parts"),
        ("ablate_0", "expected ablate with layer, head, got 1 parts"),
        ("ablate_0_1_2", "expected ablate with layer, head, got 3 parts"),
        ("ablate_0_1_cross_encoder", "expected ablate with layer, head, got 3 parts"),
        ("ablate_0_x", "head in edit 'ablate_0_x': expected a whole number, got 'x'"),
        ("ablate_0_-1", "expected a whole number, got '-1'"),
        ("ablate_0_1.0", "expected a whole number, got '1.0'"),
        ("ablate_0_", "expected a whole number, got ''"),
        ("ablate_٣_1", "layer in edit 'ablate_٣_1': expected a whole number"),
        ("ablate_all_1", "expected a whole number, got 'all'"),
        ("cut_0_1_2_3_maybe", "renormalise in edit 'cut_0_1_2_3_maybe': expected yes or no, got 'maybe'"),
        ("set_0_1_all_3_0.5_yes", "query in edit"),
        ("set_0_1_2_3_half_yes", "value in edit 'set_0_1_2_3_half_yes': expected a number, got 'half'"),
        ("set_0_1_2_3_1.5_yes", "expected a weight from 0 to 1, got 1.5"),
        ("set_0_1_2_3_nan_yes", "expected a weight from 0 to 1, got nan"),
        ("patch_0_1_brains", "what: expected 'heads' or 'weights', got 'brains'"),
    ],
)
def test_a_bad_word_is_refused_in_a_sentence(code: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        parse_edit(code)


@given(st.text(alphabet="abcelostuyn_0123.-", max_size=14) | st.text(max_size=14))
def test_any_word_is_an_edit_or_a_sentence(code: str) -> None:
    try:
        edit = parse_edit(code)
    except ValueError as error:
        sentence = str(error)
    else:
        sentence = "expected"
        assert parse_edit(edit.code) == edit
    assert "expected" in sentence


def test_a_number_too_long_to_read_is_refused_in_a_sentence() -> None:
    with pytest.raises(ValueError, match="expected a whole number"):
        parse_edit(f"ablate_{'9' * 5000}_1")
