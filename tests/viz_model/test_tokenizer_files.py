"""Saved tokenizers come back the same; damaged and foreign ones are refused in plain words."""

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.viz_model.trained_tokenizers import AWKWARD, TOKENIZERS, check_columns, every_kind, thorough
from viz_model.tokenizer import KINDS, Tokenizer


@every_kind
def test_saved_and_read_back(kind: str) -> None:
    tokenizer = TOKENIZERS[kind]
    again = Tokenizer.from_json(tokenizer.to_json())
    assert again == tokenizer == pickle.loads(pickle.dumps(tokenizer))
    assert hash(again) == hash(tokenizer)
    assert again.tokens == tokenizer.tokens
    assert again.specials == tokenizer.specials
    for text in AWKWARD:
        assert again.encode(text) == tokenizer.encode(text)
    assert again != TOKENIZERS["word" if kind != "word" else "unigram"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no JSON"), ("{", "no JSON"), ("[" * 100_000, "no JSON"), ("[]", "got list"), ("null", "got NoneType"),
        ('{"version": "1.0", "model": {}}', "'model', 'version'"), ("1984", "got int"),
    ],
)  # fmt: skip
def test_foreign_text_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match="expected") as refusal:
        Tokenizer.from_json(text)
    assert words in str(refusal.value)


DAMAGE: list[tuple[tuple[str, ...], object]] = [
    (("version",), 99), (("kind",), "bpe"), (("kind",), None), (("specials",), {"unknown": "[UNK]"}),
    (("specials",), 3), (("specials", "pad"), []), (("specials", "pad"), "[PADDING]"), (("library",), None),
    (("specials", "add_end"), "yes"), (("library", "model"), {}), (("library", "model", "vocab"), {}),
    (("library", "model", "vocab"), {"[UNK]": 0, "a": 7}), (("library", "model", "vocab"), {"[UNK]": -1}),
    (("library", "model", "vocab"), [["[UNK]", "x"]]), (("library", "model", "type"), "Other"),
    (("library", "pre_tokenizer"), {"type": "Whitespace"}), (("library", "added_tokens"), []),
    (("library", "model", "merges"), [["zz", "qq"]]), (("library", "normalizer"), {"type": "Lowercase"}),
    (("library", "model", "unk_token"), "cat"),
]  # fmt: skip


def scratched(kind: str, path: tuple[str, ...], value: object) -> str | None:
    """A saved tokenizer with one value replaced; None where this kind has no such value."""
    at = saved = json.loads(TOKENIZERS[kind].to_json())
    for key in path[:-1]:
        at = at[key]
    known = path[-1] in at
    at[path[-1]] = value
    return json.dumps(saved) if known else None


@pytest.mark.parametrize("text", [text for kind in KINDS for row in DAMAGE if (text := scratched(kind, *row))])
def test_damaged_files_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected .*got"):
        Tokenizer.from_json(text)


@every_kind
@thorough
@given(data=st.data())
def test_cut_or_scratched_files_never_break_anything(kind: str, data: st.DataObject) -> None:
    whole = TOKENIZERS[kind].to_json()
    at = data.draw(st.integers(0, len(whole) - 1))
    damaged = whole[:at] + data.draw(st.text(max_size=2)) + whole[at + data.draw(st.integers(0, 40)) :]
    try:
        tokenizer = Tokenizer.from_json(damaged)
    except ValueError:  # any other exception fails; a scratch in a word's spelling may well go unseen
        return
    check_columns(tokenizer.encode("The cat sat [MASK] 中"), tokenizer)
