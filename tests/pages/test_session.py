"""The link: what is written comes back, what is bad is said, and the state lives on across pages."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages.ui import link_table, session
from tests.pages.seeing import by_key, link_of, notes, selector, sound
from viz_model.computation import steps
from viz_model.textbook import textbook_example

TEXT = st.text(st.characters(codec="utf-8"), max_size=60)
WORDS = st.lists(st.from_regex(r"[a-zA-Z_0-9.:-]{1,12}", fullmatch=True), max_size=4).map(tuple)
CHOICES = {
    "mode": ("textbook", "sentence"),
    "step": link_table.STEPS,
    "view": link_table.VIEWS,
    "panel": link_table.PANELS,
    "task": link_table.TASKS,
    "source": link_table.SOURCES,
    "objective": link_table.OBJECTIVES,
    "tokenizer": link_table.TOKENIZERS,
    "relation": link_table.RELATIONS,
    "reading": link_table.READINGS,
    "scored": link_table.SCORED,
    "d_k": link_table.WIDTHS,
    "scale_panel": link_table.SCALE_PANELS,
    "scale_measure": link_table.SCALE_MEASURES,
    "positions_part": link_table.POSITIONS_PARTS,
    "order_mask": link_table.ORDER_MASKS,
    "block_part": link_table.BLOCK_PARTS,
    "block_layout": link_table.BLOCK_LAYOUTS,
    "block_arrow": link_table.BLOCK_ARROWS,
    "block_norm": link_table.BLOCK_NORMS,
    "block_neurons": link_table.BLOCK_NEURONS,
    "heads_panel": link_table.HEADS_PANELS,
    "kept": link_table.KEPT,
    "comparison": link_table.COMPARISONS,
    "distance": link_table.DISTANCES,
    "counted": link_table.COUNTED,
    "stepped": link_table.STEPPED,
    "probed": link_table.PROBED,
    "translation_part": link_table.TRANSLATION_PARTS,
    "translation_kind": link_table.TRANSLATION_KINDS,
    "application": link_table.APPLICATIONS,
    "tuned_with": link_table.TUNED_WITH,
    "film": ("", "self", "encoder", "decoder", "cross"),
}
RANGES = {
    "layer": (0, 63),
    "head": (0, 63),
    "query": (0, 4095),
    "key": (0, 4095),
    "word": (0, 4095),
    "first": (0, 4095),
    "last": (0, 4095),
    "top_k": (0, 1000),
    "n_new": (1, 64),
    "seed": (0, 2**31 - 1),
    "drawn": (0, 999),
    "scale_seed": (0, 999),
    "pe_position": (0, 63),
    "pe_width": (2, 96),
    "pe_offset": (1, 50),
    "pe_pair": (0, 47),
    "block_depth": (2, 24),
    "block_step": (0, 150),
    "far": (0, 63),
    "tick": (0, 32),
    "field_layers": (1, 4),
    "field_dilation": (1, 3),
    "written_to": (1, 64),
    "translation_layer": (0, 63),
    "translation_head": (0, 63),
    "beam_width": (1, 5),
    "beam_penalty": (0.0, 3.0),
    "encoder_depth": (1, 6),
    "decoder_depth": (1, 6),
    "app_layer": (-1, 63),
    "app_head": (-1, 63),
    "tuned_layer": (0, 63),
    "tuned_head": (0, 63),
    "softmax_temperature": (0.1, 10.0),
    "share": (0.0, 1.0),
    "temperature": (0.0, 5.0),
    "top_p": (0.05, 1.0),
}


def values_of(key: str) -> st.SearchStrategy[Any]:
    """What the state may hold under a key."""
    default = link_table.TABLE[key].default
    if key == "model":
        trained = st.from_regex(r"trained-[0-9a-f]{16}", fullmatch=True)
        return st.sampled_from(link_table.MODELS) | trained
    if key in CHOICES:
        return st.sampled_from(CHOICES[key])
    if key == "cell":
        return st.just("") | st.tuples(*[st.integers(0, 999)] * 4).map(lambda four: ".".join(map(str, four)))
    if isinstance(default, bool):
        return st.booleans()
    if isinstance(default, int):
        return st.integers(*RANGES[key])
    if isinstance(default, float):
        return st.floats(*RANGES[key])
    return TEXT if isinstance(default, str) else WORDS


STATES = st.fixed_dictionaries({key: values_of(key) for key in link_table.TABLE})


def only_the_link() -> None:
    """A page that restores and publishes, and nothing else: quick enough for many examples."""
    import streamlit as st

    from pages.ui import session

    session.restore()
    for sentence in session.take_notes():
        st.info(sentence)
    session.publish()


def follow(**link: str) -> AppTest:
    page = AppTest.from_function(only_the_link)
    for key, value in link.items():
        page.query_params[key] = value
    return page.run()


@given(STATES)
def test_every_value_of_the_state_comes_back_from_its_link(state: dict[str, Any]) -> None:
    for key, value in state.items():
        entry = link_table.TABLE[key]
        back = entry.parse(entry.write(value))
        assert back == value
        assert type(back) is type(value)
        assert entry.write(back) == entry.write(value)


@pytest.mark.parametrize("key", link_table.TABLE)
def test_the_default_of_every_key_can_be_written_and_read(key: str) -> None:
    entry = link_table.TABLE[key]
    assert entry.parse(entry.write(entry.default)) == entry.default


@settings(max_examples=10)
@given(STATES)
def test_a_link_opens_the_state_that_wrote_it(state: dict[str, Any]) -> None:
    known = {key: entry.known[: len(state[key])] for key, entry in link_table.TABLE.items() if entry.known}
    state = {**state, **{key: words or link_table.TABLE[key].default for key, words in known.items()}}
    page = follow(**{key: link_table.TABLE[key].write(value) for key, value in state.items()})
    sound(page)
    assert notes(page) == []
    assert {key: page.session_state[key] for key in link_table.TABLE} == state
    assert link_of(follow(**link_of(page))) == link_of(page)
    assert set(link_of(page)) - {"v"} == {key for key, value in state.items() if value != link_table.TABLE[key].default}


def test_the_state_of_a_plain_visit_needs_no_link() -> None:
    assert link_of(sound(follow())) == {}


@settings(max_examples=25)
@given(st.dictionaries(st.sampled_from(sorted(link_table.TABLE)), TEXT, min_size=1))
def test_garbage_falls_back_to_the_default_and_is_named(link: dict[str, str]) -> None:
    page = sound(follow(**link))
    said = " ".join(notes(page))
    for key, text in link.items():
        entry = link_table.TABLE[key]
        try:
            expected = entry.parse(text)
        except ValueError:
            expected = entry.default
            assert f"The link's {key} was not read" in said
        if entry.known:
            left = set(expected) & set(entry.known)
            assert set(page.session_state[key]) == (left or set(entry.default) if set(expected) - left else left)
            assert (f"The link's {key} does not know" in said) == bool(set(expected) - left)
        else:
            assert page.session_state[key] == expected


@pytest.mark.parametrize("path", ["", "workbench", "live"])
@pytest.mark.parametrize("junk", ["<script>alert(1)</script>", "~~~", "-7", "💥"])
def test_garbage_in_every_key_at_once_leaves_a_page_that_runs(visit, path: str, junk: str) -> None:
    numbers_and_words = {key: junk for key in link_table.TABLE if key not in ("text", "text_b")}
    page = sound(visit(path, **numbers_and_words))
    said = " ".join(notes(page))
    for key in ("layer", "model", "temperature", "scaled"):
        assert f"The link's {key} was not read" in said
    assert (page.session_state["layer"], page.session_state["model"]) == (0, "english-causal")


@pytest.mark.parametrize("path", ["", "workbench", "live"])
@pytest.mark.parametrize("end", [0, 1], ids=["lowest", "highest"])
def test_the_ends_of_every_range_are_taken_by_the_widgets(visit, path: str, end: int) -> None:
    link = {key: str(bounds[end]) for key, bounds in RANGES.items()}
    sound(visit(path, panel="generate", mode="sentence", **{**link, "n_new": str((1, 4)[end])}))


def test_an_old_link_is_read_as_far_as_it_is_known(visit) -> None:
    page = sound(visit("workbench", v="0", head="2", colour="red", embed="true"))
    assert page.session_state["head"] == 2
    assert any("version '0'" in note and "version 1" in note for note in notes(page))
    assert [note for note in notes(page) if "colour" in note and "embed" not in note]
    assert link_of(page) == {"v": "1", "head": "2", "embed": "true"}  # Streamlit's own stay
    assert notes(page.run()) == []


@pytest.mark.parametrize("text", ["1984", "true", "007", "1e3", "None", "[1]", "a&b=c#d%20+e", "~", "  two  spaces "])
def test_a_text_stays_the_text_that_it_is(visit, text: str) -> None:
    page = sound(visit("workbench", text=text))
    assert by_key(page.text_input, "text").value == text
    assert link_of(page)["text"] == page.session_state["text"] == text


def test_a_text_longer_than_a_link_says_so_and_shows_the_same_picture(visit) -> None:
    words = "government " * 5000
    page = visit("workbench")
    by_key(page.text_input, "text").set_value(words).run()
    assert [note for note in notes(sound(page)) if "longer than a link" in note]
    again = sound(visit("workbench", **link_of(page)))
    assert page.session_state["text"] == words
    assert 15_000 < len(again.session_state["text"]) < len(words)
    assert words.startswith(again.session_state["text"])
    assert "first 512 tokens" in " ".join(notes(again))


def test_a_text_of_4000_characters_is_kept_whole(visit) -> None:
    text = "the cat sat on the mat " * 200
    page = sound(visit("workbench", text=text))
    assert link_of(page)["text"] == page.session_state["text"] == text


def test_what_is_out_of_range_is_moved_in_and_said(visit) -> None:
    page = sound(visit("workbench", layer="9", head="9", query="99", key="99"))
    state = page.session_state
    assert (state["layer"], state["head"], state["query"], state["key"]) == (2, 3, 6, 6)
    said = " ".join(notes(page))
    for asked in ("layers 0 to 2; 9 was asked for", "heads 0 to 3; 9", "positions 0 to 6; 99"):
        assert asked in said
    assert link_of(page) == {"v": "1", "layer": "2", "head": "3", "query": "6", "key": "6"}
    assert notes(page.run()) == []


def test_a_default_that_does_not_fit_is_nobodys_mistake(visit) -> None:
    assert notes(sound(visit("workbench", text="cat"))) == []


def test_state_lives_on_across_pages(visit) -> None:
    link = {"text": "the dog ran", "layer": "1", "head": "2", "edits": "ablate_1_2", "panel": "lens", "seed": "7"}
    page = sound(visit("workbench", hide_specials="1", **link))
    selector(page, "panel").set_value("rollout").run()
    page.switch_page("../learn/the_cat_sat.py").run()
    assert [each.value for each in sound(page).title] == ["The cat sat"]
    selector(page, "mode").set_value("sentence").run()
    assert by_key(page.text_input, "text").value == "the dog ran"
    assert (by_key(page.selectbox, "layer").value, by_key(page.selectbox, "head").value) == (1, 2)
    by_key(page.selectbox, "head").set_value(3).run()
    page.switch_page("../explore/workbench.py").run()
    assert selector(sound(page), "panel").value == "rollout"
    assert by_key(page.toggle, "hide_specials").value is True
    assert link_of(page) == {
        **link,
        "v": "1",
        "hide_specials": "1",
        "panel": "rollout",
        "head": "3",
        "mode": "sentence",
    }


def test_put_refuses_what_the_table_does_not_know() -> None:
    with pytest.raises(KeyError, match=r"expected one of text, .* got 'colour'"):
        session.put(colour="red")


def test_the_steps_of_a_link_are_the_steps_of_the_lesson() -> None:
    import viz_model as vm

    model = vm.load("english-causal")
    of_a_model = [step.name for step in steps(model, vm.run(model, "the cat"), layer=0, head=0, query=0)]
    assert list(link_table.STEPS) == of_a_model
    assert {step.name for step in textbook_example().steps} <= set(link_table.STEPS)


def test_the_table_holds_only_what_a_link_can_hold() -> None:
    assert all(dataclasses.is_dataclass(entry) and callable(entry.parse) for entry in link_table.TABLE.values())
    assert not {"v", "embed", "embed_options"} & set(link_table.TABLE)
    assert not any(
        isinstance(entry.default, float) and math.isnan(entry.default) for entry in link_table.TABLE.values()
    )
