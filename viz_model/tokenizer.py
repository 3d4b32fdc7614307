"""Text to tokens to ids and back, over the `tokenizers` library, with every token tied to its characters."""

import difflib
import json
from collections.abc import Iterable
from dataclasses import asdict, fields
from functools import cached_property
from itertools import count, repeat
from typing import Any, Self

from viz_model import tokenizer_kinds as kinds
from viz_model.encoding import Encoding, Row, edge_id, readable
from viz_model.special_tokens import SpecialIds, Specials
from viz_model.token_display import BYTE_OF_SIGN, bytes_label, label, token_bytes

__all__ = ["KINDS", "Encoding", "SpecialIds", "Specials", "Tokenizer"]

KINDS = kinds.KINDS
_FORMAT, _VERSION = "glass-transformer-tokenizer", 1
_CLOSING = frozenset(".,;:!?)]}%…。，、！？；：")  # marks that `decode` writes without a space before them


class Tokenizer:
    """A vocabulary and its way of cutting text. Never changes once made: safe to share between threads, hashable.

    kind: one of KINDS. specials, special_ids: names and ids of the special tokens. tokens: the vocabulary by id, as the
    labels that `Encoding.tokens` has.
    """

    def __init__(self, kind: str, specials: Specials, model: kinds.Model) -> None:
        """From a built model; use `train`, `from_words` or `from_json` instead."""
        self.kind, self.specials, self.special_ids = kind, specials, specials.ids
        self._library = kinds.assemble(kind, model, specials.names)
        self._entries = tuple(self._library.id_to_token(i) or "" for i in range(self._library.get_vocab_size()))
        n_specials = len(specials.names)
        pieces = self._entries[n_specials:]
        complete = self._library.get_vocab_size(with_added_tokens=False) == len(self._entries) > n_specials
        if not complete or self._entries[:n_specials] != specials.names or "" in pieces:
            raise ValueError(f"expected ids without a gap that begin with {specials.names}, got {self._entries[:8]}")
        if kind == "byte-bpe":
            if missing := BYTE_OF_SIGN.keys() - set(pieces):
                raise ValueError(f"expected an entry for each of the 256 bytes, got {256 - len(missing)}")
            raw = tuple(token_bytes(piece) for piece in pieces)
            self._bytes = (*(name.encode() for name in specials.names), *raw)
            labels = tuple(map(bytes_label, raw))
        else:
            labels = tuple(label(piece.replace(kinds.SPACE, " ") if kind == "unigram" else piece) for piece in pieces)
        self.tokens: tuple[str, ...] = (*specials.names, *labels)
        # Labels win: byte-level vocabularies write the byte E9 as "é", which a person means as the letter.
        self._ids = {name: at for names in (self._entries, self.tokens) for at, name in enumerate(names)}

    @classmethod
    def train(
        cls, kind: str, texts: Iterable[str], vocab_size: int | None = None, specials: Specials | None = None
    ) -> Self:
        """Learn a vocabulary from texts; the same texts give the same vocabulary, ids included.

        kind        "word", "character", "byte-bpe" (Sennrich et al., 2016; Radford et al., 2019), "wordpiece" (Schuster
                    and Nakajima, 2012, in the library's version: merges by frequency) or "unigram" (Kudo, 2018)
        vocab_size  the most entries, special tokens included; None: every word or character, 512 for sub-words
        specials    Specials.causal() unless given
        ValueError  unknown kind, no text in the texts, vocab_size too small, no unknown token where one is needed
        """
        if isinstance(texts, str):
            raise ValueError("expected several texts (a list of str), got one str")
        chosen = specials or Specials()
        kinds.check_kind(kind, chosen.unknown)
        read = [readable(text, keep_null=kind == "byte-bpe")[0] for text in texts]
        return cls(kind, chosen, kinds.train_model(kind, read, vocab_size, chosen.names, chosen.unknown))

    @classmethod
    def from_words(cls, words: Iterable[str], specials: Specials | None = None) -> Self:
        """A word-level vocabulary of exactly these words, in their order, after the special tokens.

        ValueError for no words, and for an item that is not one word to this tokenizer ("don't", "New York", "[BOS]").
        """
        if isinstance(words, str) or not (listed := list(dict.fromkeys(words))):
            raise ValueError(f"expected several words (a list of str), got {words!r}")
        chosen = specials or Specials()
        kinds.check_kind("word", chosen.unknown)
        cut = kinds.pre_tokenizer("word")
        for word in listed:
            whole = readable(word, keep_null=False)[0] == word and [(word, (0, len(word)))] == cut.pre_tokenize_str(
                word
            )
            if not whole or word in chosen.names:
                raise ValueError(f"expected single words without spaces or punctuation in them, got {word!r}")
        return cls("word", chosen, kinds.listed_model("word", listed, chosen.names, chosen.unknown))

    @property
    def vocab_size(self) -> int:
        """Number of entries, special tokens included; ids run from 0 to vocab_size - 1."""
        return len(self._entries)

    def encode(self, text: str, add_special: bool = True, pair: str | None = None) -> Encoding:
        """Read a text (and a second one after it): begin text end pair end, where `specials` adds begin and end.

        A special token's name typed in the text is that special token, and a note says so; where it is the begin or end
        token in its own place, no second one is added. Null characters are left out, with a note, except by byte-level
        vocabularies, which have a token for them. TypeError if text is not a str.
        """
        rows: list[Row] = []
        notes: list[str] = []
        for segment, part in enumerate((text,) if pair is None else (text, pair)):
            n_words = max((row.word + 1 for row in rows if row.word is not None), default=0)
            read, said = self._read(part, segment, n_words)
            notes += said
            begin, end = self.special_ids.begin, self.special_ids.end
            opens = add_special and self.specials.add_begin and segment == 0 and begin != edge_id(read, part)
            closes = add_special and self.specials.add_end and end != edge_id(reversed(read), part)
            if opens and begin is not None:
                rows.append(Row(begin, (0, 0), True, None, b"", segment))
            rows += read
            if closes and end is not None:
                rows.append(Row(end, (0, 0), True, None, b"", segment))
        ids, offsets, special, words, raw, segments = zip(*rows, strict=True) if rows else ((),) * 6
        tokens = tuple([self.tokens[index] for index in ids])
        return Encoding(text, ids, tokens, offsets, special, words, tuple(dict.fromkeys(notes)), raw, segments, pair)

    def decode(self, ids: Iterable[int], keep_special: bool = False) -> str:
        """The text of ids; exactly what was encoded for byte-level, up to white space and unknown words for the rest.

        Padding, begin and end tokens are left out unless keep_special. Bytes that make no character become �.
        ValueError for an id outside the vocabulary.
        """
        hidden = {self.special_ids.pad, self.special_ids.begin, self.special_ids.end}
        kept = [index for index in map(self._checked_id, ids) if keep_special or index not in hidden]
        if self.kind == "byte-bpe":
            return b"".join(self._bytes[index] for index in kept).decode("utf-8", "replace")
        pieces = [self._entries[index] for index in kept]
        if self.kind == "character":
            return "".join(pieces)
        if self.kind == "unigram":
            return "".join(pieces).replace(kinds.SPACE, " ")
        words: list[str] = []
        for piece in pieces:
            if self.kind == "wordpiece" and piece.startswith(kinds.PREFIX) and len(piece) > len(kinds.PREFIX) and words:
                words[-1] += piece.removeprefix(kinds.PREFIX)
            else:
                words.append(piece)
        return "".join(word if word in _CLOSING or at == 0 else " " + word for at, word in enumerate(words))

    def id(self, token: str) -> int | None:
        """The id of a token, by its label or as the library writes it ("␣the" or "Ġthe"); None if there is none."""
        return self._ids.get(token)

    def token(self, id: int) -> str:
        """The label of an id, as in `Encoding.tokens`. ValueError for an id outside the vocabulary."""
        return self.tokens[self._checked_id(id)]

    def unknown_words(self, text: str) -> tuple[str, ...]:
        """The pieces of the text that the model cannot tell apart from any unknown word, each once, in their order."""
        encoding = self.encode(text, add_special=False)
        unknown = self.special_ids.unknown
        tokens = zip(encoding.ids, encoding.special, encoding.offsets, strict=True)
        return tuple(dict.fromkeys(text[slice(*at)] for index, typed, at in tokens if index == unknown and not typed))

    def near(self, word: str, n: int = 3) -> tuple[str, ...]:
        """At most n tokens of the vocabulary that are spelt most like the word, likest first (case is overlooked)."""
        spelt: dict[str, list[str]] = {}
        for token in self.tokens[len(self.specials.names) :]:
            spelt.setdefault(token.casefold(), []).append(token)
        found = difflib.get_close_matches(word.casefold(), spelt, n=max(n, 1), cutoff=0.5)
        return tuple(token for form in found for token in spelt[form])[: max(n, 0)]

    def to_json(self) -> str:
        """One line of JSON: kind and special tokens, and the library's own tokenizer.json as "library"."""
        return self._json

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The tokenizer that `to_json` wrote. ValueError, saying what was expected and what was got, for other text."""
        try:
            saved = json.loads(text)
        except (ValueError, TypeError, RecursionError) as error:
            raise ValueError(f"expected the JSON of a saved tokenizer, got text that is no JSON ({error})") from None
        if not isinstance(saved, dict) or saved.get("format") != _FORMAT:
            got = f"an object with the keys {sorted(saved)[:6]}" if isinstance(saved, dict) else type(saved).__name__
            raise ValueError(f'expected a saved tokenizer ("format": "{_FORMAT}"), got {got}')
        if saved.get("version") != _VERSION:
            raise ValueError(f"expected a saved tokenizer of version {_VERSION}, got version {saved.get('version')!r}")
        if not isinstance(saved.get("specials"), dict) or set(saved["specials"]) != {f.name for f in fields(Specials)}:
            raise ValueError(f'expected the special tokens\' names as "specials", got {saved.get("specials")!r:.80}')
        kind, specials = str(saved.get("kind")), Specials(**saved["specials"])
        kinds.check_kind(kind, specials.unknown)
        try:
            made = cls(kind, specials, kinds.build_model(kind, saved["library"]["model"], specials.unknown))
        except Exception as error:  # the library raises bare Exception for entries that do not fit each other
            reason = f"{type(error).__name__}: {error}"[:120]
            raise ValueError(f'expected a {kind} vocabulary as "library", got a damaged one ({reason})') from None
        if (got_at := _difference(json.loads(made.to_json())["library"], saved["library"])) is not None:
            raise ValueError(f"expected the library's settings for kind {kind!r}, got a different {got_at}")
        return made

    def __repr__(self) -> str:
        return f"Tokenizer(kind={self.kind!r}, vocab_size={self.vocab_size})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tokenizer) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __reduce__(self) -> tuple[Any, ...]:
        return Tokenizer.from_json, (self.to_json(),)

    @cached_property
    def _json(self) -> str:
        about = {"format": _FORMAT, "version": _VERSION, "kind": self.kind, "specials": asdict(self.specials)}
        return json.dumps(about | {"library": json.loads(self._library.to_str())}, ensure_ascii=False)

    def _checked_id(self, index: int) -> int:
        if not 0 <= index < self.vocab_size:
            raise ValueError(f"expected an id from 0 to {self.vocab_size - 1}, got {index}")
        return int(index)  # a tensor's item is no key of a set or tuple

    def _read(self, text: str, segment: int, n_words: int) -> tuple[list[Row], list[str]]:
        """The tokens of a text without added ones, words counted from n_words, and what there is to say about them."""
        clean, places, notes = readable(text, keep_null=self.kind == "byte-bpe")
        read = self._library.encode(clean, add_special_tokens=False)
        ids, spans, names = read.ids, read.offsets, self.specials.names
        # An unknown word has the unknown token's id but not its spelling: it was not typed as one.
        typed = [at < len(names) and clean[slice(*span)] == names[at] for at, span in zip(ids, spans, strict=True)]
        for name in (names[at] for at, is_typed in zip(ids, typed, strict=True) if is_typed):
            notes.append(f'"{name}" was read as the {self.specials.role(name)} token.')
        # The library counts a typed special as a word; here it is none, and the count goes on past it.
        cuts = [None if is_typed else cut for cut, is_typed in zip(read.word_ids, typed, strict=True)]
        order = dict(zip((cut for cut in dict.fromkeys(cuts) if cut is not None), count(n_words), strict=False))
        words = [None if cut is None else order[cut] for cut in cuts]
        own = self.kind == "byte-bpe"
        raw = [self._bytes[at] for at in ids] if own else [clean[slice(*span)].encode() for span in spans]
        if places is not None:
            spans = [(places[start], places[end - 1] + 1) for start, end in spans]
        return list(map(Row, ids, spans, typed, words, raw, repeat(segment))), notes


def _difference(ours: Any, theirs: Any, path: str = "library") -> str | None:
    """Where two JSON values differ first; a key that only one of them has is a matter of the library's version."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        both = (key for key in ours if key in theirs)
        return next((at for key in both if (at := _difference(ours[key], theirs[key], f"{path}.{key}"))), None)
    return None if ours == theirs else path
