"""The labels of tokens: nothing invisible, nothing ambiguous."""

from tests.viz_model.trained_tokenizers import FAMILY, TOKENIZERS, every_kind
from viz_model.token_display import bytes_label, label


@every_kind
def test_labels_and_ids_name_each_other(kind: str) -> None:
    tokenizer = TOKENIZERS[kind]
    assert [tokenizer.id(token) for token in tokenizer.tokens] == list(range(tokenizer.vocab_size))
    assert tokenizer.id("no such token") is None
    assert all(token and token.isprintable() for token in tokenizer.tokens if "\u200d" not in token)


def test_labels_for_the_eye() -> None:
    assert label(" a\tb\nc\r\0\x7f\xa0") == "␣a⇥b⏎c␍␀␡⍽"
    assert label("##ing") == "##ing"
    assert label("שלום") == "שלום"
    assert label("<script>") == "<script>"
    assert label("\u0301") == "◌\u0301"
    assert label("e\u0301") == "e\u0301"
    assert label(" \u0301") == "␣◌\u0301"
    assert label(FAMILY) == FAMILY
    assert label("\u200d") == "‹U+200D›"
    assert label("a\u202eb") == "a‹U+202E›b"
    assert label("\x85") == "‹U+0085›"
    assert label("␣") == "‹U+2423›" != label(" ")
    assert bytes_label(" é".encode()) == "␣é"
    assert bytes_label(b" \xf0\x9f") == "␣‹F0 9F›"
    assert bytes_label(b"\x9f\xa9 a") == "‹9F A9›␣a"


def test_an_emoji_of_several_tokens_stays_one_character() -> None:
    encoding = TOKENIZERS["byte-bpe"].encode("🐈", add_special=False)
    assert len(encoding) > 1
    assert all(token.startswith("‹") for token in encoding.tokens)
    assert set(encoding.offsets) == {(0, 1)}
    assert b"".join(encoding.bytes) == "🐈".encode()
    assert set(encoding.words) == {0}
