"""Tokens as a person reads them: every token gets a visible label that says what it is made of.

Signs used, the same for every kind of tokenizer:

    ␣ space   ⇥ tab   ⏎ newline   ␀ ... ␟ ␡ other control characters   ⍽ no-break space
    ‹F0 9F›     bytes that are only a part of a character
    ‹U+202E›    a character that cannot be seen, or that would disturb the text around it (direction marks)
    ◌           carries a combining mark that has no letter of its own in the token

A sign that stands in the text itself is written by its number (a typed ␣ is ‹U+2423›), so a label never lies.
"""

import re
import unicodedata

_CONTROLS = {chr(code): chr(0x2400 + code) for code in range(32)} | {"\x7f": "␡"}
_SIGNS = _CONTROLS | {" ": "␣", "\t": "⇥", "\n": "⏎", "\xa0": "⍽"}
_TAKEN = frozenset(_SIGNS.values())
# Joiners and tag letters build one picture out of several characters (families, flags): kept between visible ones.
_JOINERS = frozenset("\u200c\u200d") | {chr(code) for code in range(0xE0020, 0xE0080)}
_SELECTORS = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
_STRAY_BYTES = re.compile("([\udc80-\udcff]+)")


def _byte_signs() -> dict[str, int]:
    """The printable character that byte-level BPE writes for each byte (Radford et al., 2019, section 2.2)."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + rank): byte for rank, byte in enumerate(others)}


BYTE_OF_SIGN = _byte_signs()


def token_bytes(name: str) -> bytes:
    """The bytes that a byte-level vocabulary entry stands for; KeyError if it is no such entry."""
    return bytes(BYTE_OF_SIGN[sign] for sign in name)


def label(text: str) -> str:
    """The visible form of a token's text (signs as in the module's docstring).

    >>> label(" cat\\n")
    '␣cat⏎'
    """
    if text.isascii() and text.isprintable() and " " not in text:
        return text
    visible = any(unicodedata.category(char)[0] not in "CZM" for char in text)
    parts: list[str] = []
    on_letter = False  # whether a combining mark here has something to sit on
    for char in text:
        sign = _sign(char, visible)
        if sign == char and not on_letter and unicodedata.category(char)[0] == "M":
            sign = "◌" + char
        parts.append(sign)
        on_letter = sign[-1] == char
    return "".join(parts)


def bytes_label(raw: bytes) -> str:
    """The visible form of a byte-level token: the characters it makes, and ‹hex› for pieces of a character.

    >>> bytes_label(b" \\xf0\\x9f")
    '␣‹F0 9F›'
    """
    parts = _STRAY_BYTES.split(raw.decode("utf-8", "surrogateescape"))
    return "".join(
        f"‹{part.encode('utf-8', 'surrogateescape').hex(' ').upper()}›" if stray else label(part)
        for stray, part in ((index % 2 == 1, part) for index, part in enumerate(parts))
    )


def _sign(char: str, visible: bool) -> str:
    if char in _SIGNS:
        return _SIGNS[char]
    category = unicodedata.category(char)
    kept = visible and (char in _JOINERS or char in _SELECTORS)
    unseen = category in ("Cc", "Cf", "Cs", "Zs", "Zl", "Zp") or char in _SELECTORS
    return f"‹U+{ord(char):04X}›" if char in _TAKEN or (unseen and not kept) else char
