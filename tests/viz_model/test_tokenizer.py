"""Reading text, against oracles that use no tokenizer: UTF-8 itself, `re`, and counting by hand."""

import re
import string
import time
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.viz_model.trained_tokenizers import AWKWARD, TEXTS, TOKENIZERS, check_columns, every_kind, thorough
from viz_model.tokenizer import Specials, Tokenizer

LOSSY_SPACE = ("word", "wordpiece")
some_text = st.one_of(
    st.text(max_size=40),
    st.text(alphabet="The catson.,<>[]_#'\n\t1é👩\u200d中\0▁", max_size=40),
    st.lists(st.sampled_from([*AWKWARD[:-1], "the", " ", "[EOS]", "[PAD]"]), max_size=6).map("".join),
)


def rust_space(char: str) -> bool:
    """White space as Unicode has it; Python adds the four separators 1C to 1F."""
    return char.isspace() and char not in "\x1c\x1d\x1e\x1f"


@every_kind
@thorough
@given(text=some_text)
def test_every_character_belongs_to_a_token(kind: str, text: str) -> None:
    tokenizer = TOKENIZERS[kind]
    encoding = tokenizer.encode(text, add_special=False)
    check_columns(encoding, tokenizer)
    covered = {at for start, end in encoding.offsets for at in range(start, end)}
    gone = {
        at for at, char in enumerate(text)
        if (char == "\0" and kind != "byte-bpe") or (rust_space(char) and kind in LOSSY_SPACE)
    }  # fmt: skip
    assert set(range(len(text))) - gone <= covered
    assert all(0 <= start < end <= len(text) for start, end in encoding.offsets)
    assert list(encoding.offsets) == sorted(encoding.offsets)


@thorough
@given(text=some_text)
def test_byte_level_is_utf8_itself(text: str) -> None:
    tokenizer = TOKENIZERS["byte-bpe"]
    encoding = tokenizer.encode(text, add_special=False)
    assert b"".join(encoding.bytes) == text.encode()
    # Offsets by counting bytes: a token covers each character that has one of its bytes.
    owner = [at for at, char in enumerate(text) for _ in char.encode()]
    done = 0
    for raw, (start, end) in zip(encoding.bytes, encoding.offsets, strict=True):
        assert (start, end) == (owner[done], owner[done + len(raw) - 1] + 1)
        done += len(raw)
    if not any(name in text for name in tokenizer.specials.names):
        assert tokenizer.decode(tokenizer.encode(text).ids) == text
    assert tokenizer.decode(encoding.ids, keep_special=True) == text


@thorough
@given(text=st.text(alphabet=sorted(set("".join(TEXTS))), max_size=40))
def test_known_characters_come_back(text: str) -> None:
    tokenizer = TOKENIZERS["character"]
    encoding = tokenizer.encode(text)
    assert tokenizer.decode(encoding.ids) == text
    assert encoding.offsets[1:] == tuple((at, at + 1) for at in range(len(text)))
    # Words by `re`: runs that hold neither white space nor punctuation, all else alone.
    punctuation = "".join(char for char in set(text) if unicodedata.category(char)[0] == "P")
    pieces = re.findall(
        rf"\s|[{re.escape(punctuation)}]|[^\s{re.escape(punctuation)}]+" if punctuation else r"\s|\S+", text
    )
    assert encoding.words[1:] == tuple(at for at, piece in enumerate(pieces) for _ in piece)


@thorough
@given(words=st.lists(st.sampled_from([*re.findall(r"\w+", " ".join(TEXTS)), ".", ",", "?!"]), max_size=12))
@pytest.mark.parametrize("kind", ["word", "wordpiece", "unigram"])
def test_known_words_come_back_up_to_space(kind: str, words: list[str]) -> None:
    tokenizer = TOKENIZERS[kind]
    text = " ".join(words).replace("?!", "." if kind != "word" else ",")
    back = tokenizer.decode(tokenizer.encode(text).ids)
    assert back == text if kind == "unigram" else "".join(back.split()) == "".join(text.split())


@thorough
@given(text=st.text(alphabet=string.ascii_letters + string.punctuation + string.digits + " \n\té中", max_size=40))
def test_word_level_cuts_as_a_regular_expression_does(text: str) -> None:
    tokenizer = TOKENIZERS["word"]
    encoding = tokenizer.encode(text, add_special=False)
    if not any(encoding.special):
        expected = [match.span() for match in re.finditer(r"[A-Za-z0-9é中]+|[^\sA-Za-z0-9é中]", text)]
        assert list(encoding.offsets) == expected
        unknown = [text[start:end] for start, end in expected if tokenizer.id(text[start:end]) is None]
        assert tokenizer.unknown_words(text) == tuple(dict.fromkeys(unknown))


@every_kind
@pytest.mark.parametrize("text", AWKWARD)
def test_awkward_text_is_text(kind: str, text: str) -> None:
    tokenizer = TOKENIZERS[kind]
    encoding = tokenizer.encode(text)
    check_columns(encoding, tokenizer)
    assert encoding.text == text
    assert encoding.ids[0] == tokenizer.special_ids.begin
    assert encoding.ids.count(tokenizer.special_ids.begin) == 1
    tokenizer.decode(encoding.ids)


def test_words_of_the_sentence() -> None:
    tokenizer = Tokenizer.from_words(["The", "cat", "sat", "on", "the", "mat", "."])
    encoding = tokenizer.encode("The cat sat on the hat.")
    assert tokenizer.tokens == ("[UNK]", "[PAD]", "[BOS]", "[EOS]", "The", "cat", "sat", "on", "the", "mat", ".")
    assert encoding.tokens == ("[BOS]", "The", "cat", "sat", "on", "the", "[UNK]", ".")
    assert encoding.ids == (2, 4, 5, 6, 7, 8, 0, 10)
    assert encoding.offsets == ((0, 0), (0, 3), (4, 7), (8, 11), (12, 14), (15, 18), (19, 22), (22, 23))
    assert encoding.words == (None, 0, 1, 2, 3, 4, 5, 6)
    assert encoding.special == (True, *[False] * 7)
    assert encoding.notes == ()
    assert tokenizer.unknown_words("The hat, the hat.") == ("hat", ",")
    assert tokenizer.decode(encoding.ids) == "The cat sat on the [UNK]."
    assert tokenizer.id("THE") is None
    assert set(tokenizer.near("hat")) == {"mat", "cat", "sat"}
    assert set(tokenizer.near("THE")) >= {"The", "the"}
    assert tokenizer.near("xyzzy") == ()
    assert tokenizer.near("hat", 0) == ()


def test_special_tokens_around_a_pair() -> None:
    tokenizer = Tokenizer.from_words(["a", "b", "c"], Specials.masked())
    encoding = tokenizer.encode("a b", pair="c [MASK]")
    assert encoding.tokens == ("[CLS]", "a", "b", "[SEP]", "c", "[MASK]", "[SEP]")
    assert encoding.segments == (0, 0, 0, 0, 1, 1, 1)
    assert encoding.words == (None, 0, 1, None, 2, None, None)
    assert encoding.offsets == ((0, 0), (0, 1), (2, 3), (0, 0), (0, 1), (2, 8), (0, 0))
    assert encoding.bytes == (b"", b"a", b"b", b"", b"c", b"[MASK]", b"")
    assert tokenizer.special_ids.mask == encoding.ids[5]
    assert encoding.pair == "c [MASK]"


@every_kind
@pytest.mark.parametrize("text", ["[BOS] The cat", "[BOS]", " \n[BOS]The"])
def test_never_two_begin_tokens(kind: str, text: str) -> None:
    encoding = TOKENIZERS[kind].encode(text)
    assert encoding.tokens.count("[BOS]") == 1
    assert encoding.notes == ('"[BOS]" was read as the begin token.',)
    at = encoding.tokens.index("[BOS]")
    assert encoding.special[at]
    assert text[slice(*encoding.offsets[at])] == "[BOS]"


def test_typed_end_closes_and_none_is_added() -> None:
    tokenizer = Tokenizer.train("wordpiece", TEXTS, specials=Specials.masked())
    assert tokenizer.encode("[CLS] the cat [SEP] ").tokens == tokenizer.encode("the cat").tokens
    assert tokenizer.encode("").tokens == ("[CLS]", "[SEP]")
    assert tokenizer.encode("", add_special=False).ids == ()
    # A begin token anywhere else is the person's own.
    assert tokenizer.encode("the [CLS] cat").tokens == ("[CLS]", "the", "[CLS]", "cat", "[SEP]")


@every_kind
def test_mask_typed_by_hand(kind: str) -> None:
    text = "the [MASK] sat[MASK] [MASK"
    masked = Tokenizer.train(kind, [*TEXTS, "[MASK] is MASK"], None, Specials.masked())
    encoding = masked.encode(text)
    marked = [
        text[slice(*at)]
        for at, index in zip(encoding.offsets, encoding.ids, strict=True)
        if index == masked.special_ids.mask
    ]
    assert marked == ["[MASK]", "[MASK]"]
    assert encoding.notes == ('"[MASK]" was read as the mask token.',)
    plain = TOKENIZERS[kind].encode(text)  # has no mask token
    assert plain.notes == ()
    assert sum(plain.special) == 1
    assert "[MASK]" not in plain.tokens


def test_typed_unknown_is_special_and_an_unknown_word_is_not() -> None:
    tokenizer = TOKENIZERS["word"]
    encoding = tokenizer.encode("[UNK] zebra", add_special=False)
    assert encoding.tokens == ("[UNK]", "[UNK]")
    assert encoding.special == (True, False)
    assert tokenizer.unknown_words("[UNK] zebra") == ("zebra",)


@every_kind
def test_null_characters(kind: str) -> None:
    encoding = TOKENIZERS[kind].encode("c\0at\0 sat", add_special=False)
    if kind == "byte-bpe":
        assert encoding.notes == ("2 null characters were read as the byte 00, shown as ␀.",)
        assert "␀" in encoding.tokens
    else:
        without = TOKENIZERS[kind].encode("cat sat", add_special=False)
        assert encoding.ids == without.ids
        assert encoding.words == without.words
        assert encoding.notes == ("2 null characters were removed.",)
    if kind == "word":
        assert encoding.offsets == ((0, 4), (6, 9))


@every_kind
def test_half_characters_are_said_to_be_replaced(kind: str) -> None:
    encoding = TOKENIZERS[kind].encode("cat \ud83d sat")
    assert encoding.notes == ("Half a character was read as �.",)
    assert encoding.offsets[-1][1] == 9
    assert encoding.text == "cat \ud83d sat"


@pytest.mark.parametrize("text", [None, 1984, True, b"cat", ["cat"]])
def test_only_text_is_encoded(text: object) -> None:
    with pytest.raises(TypeError, match="expected a text"):
        TOKENIZERS["word"].encode(text)  # type: ignore[arg-type]


def test_threads_share_a_tokenizer() -> None:
    texts = [text * 20 for text in TEXTS] * 8
    for tokenizer in TOKENIZERS.values():
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(tokenizer.encode, texts)) == [tokenizer.encode(text) for text in texts]


@every_kind
def test_five_thousand_words_are_quick(kind: str) -> None:
    text = " ".join(["The cat sat on the mat."] * 833)
    seconds = []
    for _ in range(3):
        began = time.perf_counter()
        TOKENIZERS[kind].encode(text)
        seconds.append(time.perf_counter() - began)
    assert min(seconds) < 0.5  # measured 15 to 70 ms; the bound leaves room for a busy machine, not for a square law
