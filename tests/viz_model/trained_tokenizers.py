"""Small tokenizers of every kind and awkward texts, for the tests beside this file."""

import pytest
from hypothesis import settings

from viz_model.tokenizer import KINDS, Encoding, Tokenizer

FAMILY = "👩\u200d👩\u200d👧"
TEXTS = (
    "The cat sat on the mat.",
    "The government is considering closing schools, and the cats are sitting.",
    "A dog closes the door; dogs are considering the government of 1984.",
    "the the the cat cat sat",
    f"Straße, naïve café: {FAMILY} שלום 12 中文。",
)
TOKENIZERS = {kind: Tokenizer.train(kind, TEXTS, 420 if kind == "byte-bpe" else None) for kind in KINDS}
AWKWARD = [
    "", " ", "   \t\n ", "a", "1984", "true", "<script>alert('x')</script>", "<s>", "[UNK", "[MASK]", "[BOS]",
    FAMILY, "🏴\U000e0067\U000e0062\U000e007f", "e\u0301\u0302", "\u0301", "שלום 12 عربي ٣٤", "我喜歡貓坐在墊子上",
    "a\0b", "\0", "\x1b[31m", "\u202eabc", "\ufeffx",
    "a\xa0b\u3000c\u2028d\x85e", "x" * 300, "▁", "##ing", "␣⏎", "\ud83d",
]  # fmt: skip
every_kind = pytest.mark.parametrize("kind", KINDS)
thorough = settings(max_examples=150, deadline=None)


def check_columns(encoding: Encoding, tokenizer: Tokenizer) -> None:
    columns = (encoding.tokens, encoding.offsets, encoding.special, encoding.words, encoding.bytes, encoding.segments)
    assert {len(column) for column in columns} == {len(encoding)}
    assert all(0 <= index < tokenizer.vocab_size for index in encoding.ids)
    assert encoding.tokens == tuple(tokenizer.token(index) for index in encoding.ids)
    assert all((word is None) == special for word, special in zip(encoding.words, encoding.special, strict=True))
    words = [word for word in encoding.words if word is not None]
    assert list(dict.fromkeys(words)) == list(range(len(set(words))))
    assert words == sorted(words)
