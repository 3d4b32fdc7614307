"""A text as tokens, each tied to its characters, and what has to be said about how the text was read."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Encoding:
    """A text as the model reads it; ids to segments have one item a token, except notes.

    text, pair    what was passed, unchanged (pair: None without a second text)
    ids           indices into the vocabulary
    tokens        labels for the eye: space ␣, tab ⇥, newline ⏎, null ␀, part of a character ‹F0 9F› (`token_display`);
                  an unknown word is '[UNK]', as the model sees it
    offsets       (start, end) in characters of `text`, or of `pair` where `segments` is 1; (0, 0) for added specials
    special       True for special tokens, added or typed (not for a word that is merely unknown)
    words         index of the word that the token is part of, counted on through the pair; None for specials
    notes         plain sentences on how the text was read, for the page to show
    bytes         UTF-8 of what the token covers, for byte-level tokens the token's own bytes; b"" for added specials
    segments      0 for the text, 1 for the pair, each with the specials added to it
    """

    text: str
    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    offsets: tuple[tuple[int, int], ...]
    special: tuple[bool, ...]
    words: tuple[int | None, ...]
    notes: tuple[str, ...]
    bytes: tuple[bytes, ...]
    segments: tuple[int, ...]
    pair: str | None = None

    def __len__(self) -> int:
        return len(self.ids)


class Row(NamedTuple):
    """One token on its way into an Encoding."""

    id: int
    offset: tuple[int, int]
    special: bool
    word: int | None
    raw: bytes
    segment: int


def edge_id(rows: Iterable[Row], text: str) -> int | None:
    """The id of the first token that is not white space: " [BOS] The" has its begin token already."""
    return next((row.id for row in rows if text[slice(*row.offset)].strip()), None)


def readable(text: str, keep_null: bool) -> tuple[str, list[int] | None, list[str]]:
    """A text that `tokenizers` can take, the place of each of its characters in the original, and notes on the changes.

    Half characters (lone surrogates) become �, null characters go unless keep_null. Places are None where nothing
    moved. TypeError if text is not a str.
    """
    if not isinstance(text, str):
        raise TypeError(f"expected a text (str), got {type(text).__name__}")
    notes: list[str] = []
    if not text.isascii() and (halves := sum("\ud800" <= char <= "\udfff" for char in text)):
        text = "".join("�" if "\ud800" <= char <= "\udfff" else char for char in text)
        notes.append(f"{'Half a character was' if halves == 1 else f'{halves} half characters were'} read as �.")
    if "\0" not in text:
        return text, None, notes
    nulls = text.count("\0")
    which = "A null character was" if nulls == 1 else f"{nulls} null characters were"
    if keep_null:
        return text, None, [*notes, f"{which} read as the byte 00, shown as ␀."]
    places = [at for at, char in enumerate(text) if char != "\0"]
    return text.replace("\0", ""), places, [*notes, f"{which} removed."]
