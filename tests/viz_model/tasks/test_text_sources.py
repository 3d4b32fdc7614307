"""What a person brings is a text or one plain sentence; and every Python has something to read."""

from __future__ import annotations

import inspect
import re
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz_model.tasks.text_sources import MODULES, python_source, python_topics, read_text

AGAIN = "save the file again as UTF-8."
BAD: list[tuple[str, str | bytes, str]] = [
    ("empty", "", "text: expected something to read, got an empty text."),
    ("no bytes", b"", "text: expected something to read, got an empty text."),
    ("spaces", " \n\t  ", "text: expected something to read, got white space alone."),
    ("50 MB", b"word " * 10_000_000, "text: expected at most 2 MB, got 50.0 MB."),
    ("50 MB pasted", "word " * 10_000_000, "text: expected at most 2 MB, got 50.0 MB."),
    ("few letters of many bytes", "猫" * 700_000, "text: expected at most 2 MB, got 2.1 MB."),
    ("binary", b"\x7fELF\x02\x01\0\0", "text: expected a text file, got a binary one (a null byte at place 6)."),
    ("UTF-16 of Notepad", "cat".encode("utf-16"), f"text: expected UTF-8, got UTF-16: {AGAIN}"),
    ("UTF-16, the other end first", b"\xfe\xff\x05\xd0", f"text: expected UTF-8, got UTF-16: {AGAIN}"),
    ("UTF-16", "cat".encode("utf-16-le"), "text: expected a text file, got a binary one (a null byte at place 1)."),
    ("a picture", b"\x89PNG\r\n\x1a\n", f"text: expected UTF-8, got bytes that are not (byte 89 at place 0): {AGAIN}"),
    (
        "Latin-1",
        "caf\u00e9".encode("latin-1"),
        f"text: expected UTF-8, got bytes that are not (byte E9 at place 3): {AGAIN}",
    ),
    ("null pasted", "cat\0", "text: expected plain text, got a null character, as binary files have them."),
]


@pytest.mark.parametrize(("data", "sentence"), [pytest.param(*rest, id=name) for name, *rest in BAD])
def test_what_is_no_text_gets_one_sentence(data: str | bytes, sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        read_text(data)


@pytest.mark.parametrize("text", ["The cat sat.", "חתול ישב", "猫坐在垫子上", "นั่ง", "👩‍🚀🏽", "a\tb\n\nc", "[MASK]"])
def test_any_script_stays_as_it_is(text: str) -> None:
    assert read_text(text) == read_text(text.encode()) == text


def test_line_ends_and_marks_of_editors_are_made_plain() -> None:
    assert read_text("one\r\ntwo\rthree\n") == "one\ntwo\nthree\n"
    assert read_text(b"\xef\xbb\xbfone\r\ntwo") == read_text("\ufeffone\ntwo") == "one\ntwo"
    assert read_text("a\ud83db") == "a�b"


@given(st.text())
def test_pasted_or_as_a_file_a_text_is_the_same(text: str) -> None:
    """Any text of whole characters; where one way is refused, so is the other."""
    got: list[str] = []
    for data in (text, text.encode("utf-8", "replace")):
        try:
            got.append(read_text(data))
        except ValueError as error:
            got.append("bad" if str(error).startswith("text: expected") else "")
    if not re.search("[\ud800-\udfff]", text):
        assert got[0] == got[1] != ""


def test_pythons_topics_are_english() -> None:
    text = python_topics()
    assert 200_000 < len(text) < 2_000_000
    assert text == python_topics()
    assert all(word in text for word in ('The "while" statement is used', "namespace", "operator"))


def test_pythons_source_is_code() -> None:
    text = python_source()
    assert 300_000 < len(text.encode()) < 1_500_000
    assert text == python_source()
    assert len(re.findall(r"^def \w+\(", text, re.MULTILINE)) > 200
    for module in MODULES:
        assert inspect.getsource(import_module(module)) in text
