"""Whatever a person types or pastes, both pages show a picture and say in plain sentences how it was read."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

import viz_model as vm
from pages.ui import link_table, models
from tests.pages.seeing import attention, by_key, calculation, component, link_of, notes, panes, predictions, sound

PAGES = ("workbench", "")
ODD = {
    "one token": "cat",
    "script": "<script>alert(1)</script>",
    "begin of another model": "<s>",
    "emoji families": "👨‍👩‍👧‍👦 👩🏽‍🚀 🇩🇪",
    "Hebrew with digits": "שלום 123 עולם",
    "Arabic with digits": "مرحبا 123 بالعالم",
    "Chinese": "黑猫坐在垫子上",
    "number": "1984",
    "boolean": "true",
    "null inside": "The c\0at",
    "markdown": "$x$ :red[a] **b** `c` [d](e)",
    "controls": "\x01\u202e\u200b",
    "no breath": "x" * 3000,
}
# Those that read sentences; what the models of single symbols make of them is looked at below.
READERS = ("english-causal", "english-masked", "untrained")
BLANKS = ("", "   ", "\u3000\t", "\0")
# The byte-level model has a token for the null character: to it, that is a text.
NOTHING = [(blank, name) for blank in BLANKS for name in READERS if (blank, name) != ("\0", "untrained")]
SPECIAL = {"[MASK]": "mask", "[BOS]": "begin", "[CLS]": "begin", "[EOS]": "end", "[SEP]": "end", "[PAD]": "pad"}


def show(visit, path: str, name: str, text: str) -> AppTest:
    lesson = {} if path else {"mode": "sentence", "step": "softmax"}
    return sound(visit(path, model=name, text=text, query="1", key="0", **lesson))


def tokens_on_show(page: AppTest, path: str) -> list[str]:
    if path:
        return attention(page).header["queries"]
    items = calculation(page).header["items"]
    return next(item["columns"] for item in items if item["kind"] == "matrix" and item["key"] == "result")


@pytest.mark.parametrize("path", PAGES, ids=["workbench", "lesson"])
@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("text", ODD.values(), ids=list(ODD))
def test_odd_text_is_shown_as_the_model_reads_it(visit, path: str, name: str, text: str) -> None:
    page = show(visit, path, name, text)
    tokenizer = vm.load(name).tokenizer
    read = tokenizer.encode(text[: 600 if name == "untrained" else None])
    shown = tokens_on_show(page, path)
    assert len(shown) == min(len(tokenizer.encode(text)), 512)
    assert shown[:200] == list(read.tokens)[:200]
    said = notes(page)
    unknown = tokenizer.unknown_words(text)
    assert any("read as [UNK]" in note for note in said) == bool(unknown)
    assert not any("asked for" in note for note in said)
    assert link_of(page)["text"] == page.session_state["text"] == text
    assert not any("<script>alert" in pane for pane in panes(page))


@pytest.mark.parametrize("path", PAGES, ids=["workbench", "lesson"])
@pytest.mark.parametrize("name", READERS)
def test_a_null_character_is_said(visit, path: str, name: str) -> None:
    said = " ".join(notes(show(visit, path, name, "The cat x\0y")))
    assert ("read as the byte 00, shown as ␀" if name == "untrained" else "A null character was removed") in said
    if name != "untrained":
        assert "“x␀y”" in said
        assert "\0" not in said


@pytest.mark.parametrize("path", PAGES, ids=["workbench", "lesson"])
@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("typed", SPECIAL)
def test_a_special_token_typed_by_hand_says_how_it_was_read(visit, path: str, name: str, typed: str) -> None:
    known = vm.load(name).tokenizer.specials.names
    for text in (typed, f"The {typed} sat"):
        page = show(visit, path, name, text)
        said = notes(page)
        assert (f'"{typed}" was read as the {SPECIAL[typed]} token.' in said) == (typed in known)
        assert any(note.startswith(f"{typed}: no special token of this model") for note in said) == (typed not in known)
        assert (typed in tokens_on_show(page, path)) == (typed in known)


def test_the_masks_word_is_asked_for_only_where_there_is_a_mask(visit) -> None:
    page = show(visit, "workbench", "english-masked", "The [MASK] sat")
    assert any("The word behind [MASK], position 2" in pane for pane in panes(page))


@pytest.mark.parametrize("path", PAGES, ids=["workbench", "lesson"])
@pytest.mark.parametrize(("empty", "name"), NOTHING)
def test_nothing_keeps_the_last_good_picture_and_asks_for_text(visit, path: str, name: str, empty: str) -> None:
    page = show(visit, path, name, "The old dog runs")
    key = "attention" if path else "calculation_0"
    before = component(page, key).bytes
    by_key(page.text_input, "text").set_value(empty).run()
    said = notes(sound(page))
    assert [note for note in said if note.startswith("Type a sentence") and "still of “The old dog runs”" in note]
    assert component(page, key).bytes == before
    by_key(page.text_input, "text").set_value("The dog").run()
    assert notes(sound(page)) == []
    assert component(page, key).bytes != before


@pytest.mark.parametrize("path", PAGES, ids=["workbench", "lesson"])
@pytest.mark.parametrize("empty", ["", "  ", "\0"], ids=["empty", "spaces", "null"])
def test_a_link_without_text_shows_the_default_and_asks(visit, path: str, empty: str) -> None:
    page = show(visit, path, "english-causal", empty)
    assert any("still of “The cat sat on the mat”" in note for note in notes(page))
    assert tokens_on_show(page, path)[1:3] == ["The", "cat"]


def test_a_text_that_only_another_model_can_read_is_not_kept(visit) -> None:
    page = show(visit, "workbench", "untrained", "\0")
    by_key(page.selectbox, "model").set_value("english-causal").run()
    assert any("still of “The cat sat on the mat”" in note for note in notes(sound(page)))


@pytest.mark.parametrize("path", PAGES, ids=["workbench", "lesson"])
@pytest.mark.parametrize("name", READERS)
def test_five_thousand_words_say_how_many_are_shown(visit, path: str, name: str) -> None:
    text = "cat " * 4999 + "cat"
    page = show(visit, path, name, text)
    total = len(vm.load(name).tokenizer.encode(text))
    assert total > 5000
    assert any(f"showing the first 512 tokens of {total:,}" in note for note in notes(page))
    assert len(tokens_on_show(page, path)) == 512


@pytest.mark.parametrize("path", PAGES, ids=["workbench", "lesson"])
@pytest.mark.parametrize("name", [name for name in link_table.MODELS if name not in READERS])
def test_a_model_of_symbols_bears_any_text_too(visit, path: str, name: str) -> None:
    model = vm.load(name)
    for text in (ODD["script"], "cat " * 4999 + "cat", "$x$ :red[a]"):
        shown = tokens_on_show(show(visit, path, name, text), path)
        assert len(shown) == min(len(model.tokenizer.encode(text)), model.config.context_length)
    page = show(visit, path, name, "  ")
    example = models.CARDS[name][1]
    assert any(f"still of “{example[:60]}”" in note for note in notes(page))
    assert tokens_on_show(page, path) == list(model.tokenizer.encode(example).tokens)


@pytest.mark.parametrize("text", ["*a* _b_ `c` [d](e) $f$ :g: <h> ~i~ #j |k|", "1. a", "\\*"])
def test_notes_show_a_text_as_it_was_typed(visit, text: str) -> None:
    page = sound(visit("workbench", text=text))
    by_key(page.text_input, "text").set_value("").run()
    written, read = next(
        (each.value, note) for each, note in zip(page.info, notes(page), strict=True) if "Type a sentence" in note
    )
    assert not re.search(r"[*_`\[\]$<>#|~:]", re.sub(r"\\.", "", written))
    assert f"“{text}”" in read


def test_a_bad_second_sentence_leaves_the_first_in_peace(visit) -> None:
    plain = predictions(visit("workbench"))
    for text in ("", "  ", "\0", "[MASK]", "<script>", "word " * 3000):
        page = sound(visit("workbench", text_b=text))
        assert predictions(page) == plain
