"""One's own text: what is none starts nothing, and what is one is what is trained."""

from __future__ import annotations

import pytest

from tests.pages.live_runs import desk_of, opened, shown
from tests.pages.seeing import by_key, link_of, notes, selector, sound, training
from viz_model.tasks.own_text import OwnText
from viz_model.training.recipe import own_text_recipes

pytestmark = pytest.mark.usefixtures("nowhere")  # no test starts a cluster but the one that says so

LARGEST = 2_000_000  # bytes of one's own text, as its control says


NO_TEXTS = {
    "nothing": (None, "", "expected something to read, got an empty text"),
    "white space": (None, "  \n ", "expected something to read, got white space alone"),
    "one word": (None, "word", "expected at least 640 tokens"),
    "a binary file": (b"\x7fELF\0\1\2" * 500, "", "expected a text file, got a binary one"),
    "no UTF-8": ("שלום עולם".encode("cp1255") * 300, "", "expected UTF-8, got bytes that are not"),
    "UTF-16": ("שלום עולם".encode("utf-16") * 300, "", "expected UTF-8, got UTF-16: save the file again"),
    "no spaces": (None, "天地玄黃" * 400, "got 1 token to learn from. Its words are not set apart by"),
    "an empty file": (b"", "", "expected something to read, got an empty text"),
    "too large a file": (b"word " * (LARGEST // 5 + 1), "", "expected at most 2 MB, got 2.0 MB"),
    "50 MB": (b"word " * 10_000_000, "", "expected at most 2 MB, got 50.0 MB"),
}


@pytest.mark.parametrize("kind", NO_TEXTS)
def test_what_is_no_text_to_learn_from_starts_nothing(visit, nowhere, kind: str) -> None:
    file, typed, expected = NO_TEXTS[kind]
    on_show = shown("running")
    page = opened(visit, on_show, task="own-text", source="yours", tokenizer="wordpiece")
    if file is None:
        by_key(page.text_area, "typed_text").set_value(typed).run()
    else:
        by_key(page.file_uploader, "own_file").set_value(("text.txt", file, "text/plain")).run()
    by_key(sound(page).button, "start").click().run()
    (said,) = notes(sound(page))
    assert said.startswith("Nothing was started: ")
    assert expected in said
    assert (nowhere.started, nowhere.forgotten) == ([], [])
    assert desk_of(page).current is on_show
    assert training(page).header["run"] == "run-1"


HEBREW = "בראשית ברא אלהים את השמים ואת הארץ והארץ היתה תהו ובהו וחשך על פני תהום\n" * 20


@pytest.mark.parametrize("by_file", [False, True], ids=["pasted", "a file"])
def test_ones_own_text_is_what_is_trained(visit, nowhere, by_file: bool) -> None:
    page = sound(visit("live", task="own-text", source="yours", objective="masked"))
    if by_file:
        by_key(page.file_uploader, "own_file").set_value(("text.txt", HEBREW.encode(), "text/plain")).run()
    else:
        by_key(page.text_area, "typed_text").set_value(HEBREW).run()
    by_key(sound(page).button, "start").click().run()
    assert notes(sound(page)) == []
    ((recipe, _, task, _),) = nowhere.started
    assert recipe == own_text_recipes["own-text-masked"]
    assert (task.name, task.text) == ("own-text-masked", HEBREW)
    assert desk_of(page).current.own == OwnText(HEBREW, "masked")
    assert not any(word in "".join(link_of(page).values()) for word in HEBREW.split())  # it stays with the server


@pytest.mark.parametrize("tokenizer", ["byte-bpe", "wordpiece", "unigram"])
def test_a_script_of_many_letters_has_room_in_every_vocabulary(visit, nowhere, tokenizer: str) -> None:
    """700 letters: more than the 512 entries that a text of few letters gets."""
    text = "".join(chr(0x4E00 + i * i % 700) + ("。" if i % 9 == 8 else "") for i in range(9000))
    page = sound(visit("live", task="own-text", source="yours", tokenizer=tokenizer))
    by_key(page.file_uploader, "own_file").set_value(("text.txt", b"\xef\xbb\xbf" + text.encode(), "text/plain")).run()
    by_key(sound(page).button, "start").click().run()
    assert notes(sound(page)) == []
    ((_, _, task, _),) = nowhere.started
    assert task.text == text
    letters = {char for token in task.probe()[0].tokens for char in token if char in text}
    assert len(letters) > 20
    assert "[UNK]" not in task.probe()[0].tokens


def test_what_was_typed_is_there_after_a_look_at_another_page(visit) -> None:
    page = sound(visit("live", task="own-text", source="yours"))
    by_key(page.text_area, "typed_text").set_value(HEBREW).run()
    page.switch_page("../explore/workbench.py").run()
    page.switch_page("../train/live.py").run()
    assert by_key(sound(page).text_area, "typed_text").value == HEBREW


def test_every_python_brings_texts_of_its_own(visit, nowhere) -> None:
    page = sound(visit("live", task="own-text", source="topics"))
    by_key(page.button, "start").click().run()
    ((_, _, task, _),) = nowhere.started
    assert "assert" in task.text
    assert len(task.text) > 100_000
    selector(page, "source").set_value("yours").run()
    assert by_key(sound(page).text_area, "typed_text").value == ""
