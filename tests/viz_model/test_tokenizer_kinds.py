"""Learning vocabularies: the same every time, of the size that was asked for, or a plain refusal."""

import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.viz_model.trained_tokenizers import TEXTS, TOKENIZERS, every_kind
from viz_model.tokenizer import Specials, Tokenizer


@every_kind
def test_training_twice_gives_the_same(kind: str) -> None:
    draw = random.Random(5)
    words = ["".join(draw.choices("abcdefghij", k=draw.randint(1, 7))) for _ in range(300)]
    texts = [" ".join(draw.choices(words, k=9)) for _ in range(200)]
    assert len({Tokenizer.train(kind, texts, 400).to_json() for _ in range(4)}) == 1


@pytest.mark.parametrize("kind", ["wordpiece", "unigram"])
def test_training_gives_the_same_in_another_process(kind: str) -> None:
    code = (
        "import sys; from viz_model.tokenizer import Tokenizer; sys.stdout.reconfigure(encoding='utf-8');"
        f"print(Tokenizer.train({kind!r}, {list(TEXTS)!r}).to_json(), end='')"
    )
    root = Path(__file__).parents[2]
    made = subprocess.run([sys.executable, "-c", code], cwd=root, env=os.environ, capture_output=True, check=True)
    assert made.stdout.decode() == TOKENIZERS[kind].to_json()


def test_unigram_letters_that_no_piece_needs_have_settled_scores() -> None:
    draw = random.Random(23)  # with these words two letters get the library's leftover scores, in hash order
    alphabet = "abcdefghijklmnop"[: draw.randint(2, 16)]
    words = ["".join(draw.choice(alphabet) for _ in range(draw.randint(1, 7))) for _ in range(draw.randint(5, 400))]
    texts = [" ".join(draw.choice(words) for _ in range(8)) for _ in range(draw.randint(3, 200))]
    specials = Specials(begin=None, end=None, add_begin=False)
    assert len({Tokenizer.train("unigram", texts, 25, specials).to_json() for _ in range(12)}) == 1


def test_the_commonest_words_and_characters_are_kept() -> None:
    words = Tokenizer.train("word", ["b b b a a c c d"], vocab_size=7)
    assert words.tokens[4:] == ("b", "a", "c")  # equal counts in the order of the alphabet
    assert Tokenizer.train("character", ["bbb a"], vocab_size=5).tokens[4:] == ("b",)


@every_kind
def test_vocab_size_is_the_most(kind: str) -> None:
    assert TOKENIZERS[kind].vocab_size <= 512
    with pytest.raises(ValueError, match=r"expected a vocab_size of at least (\d+)") as refusal:
        Tokenizer.train(kind, TEXTS, vocab_size=4)
    least = int(re.findall(r"at least (\d+)", str(refusal.value))[0])
    for size in (least, least + 1, least + 7):
        assert Tokenizer.train(kind, TEXTS, vocab_size=size).vocab_size == size


def test_names_in_training_texts_do_not_become_words() -> None:
    tokenizer = Tokenizer.train("word", ["[MASK] cat<pad>dog"], specials=Specials(pad="<pad>", mask="[MASK]"))
    assert tokenizer.tokens[5:] == ("cat", "dog")


BAD_CALLS = {
    "kind": (lambda: Tokenizer.train("bpe", TEXTS), "word, character, byte-bpe, wordpiece, unigram, got 'bpe'"),
    "no texts": (lambda: Tokenizer.train("word", []), "expected texts"),
    "blank texts": (lambda: Tokenizer.train("unigram", [" ", "\n"]), "expected texts"),
    "only names": (lambda: Tokenizer.train("character", ["[BOS][EOS]"]), "expected texts"),
    "one str": (lambda: Tokenizer.train("word", "The cat"), "got one str"),
    "zero": (lambda: Tokenizer.train("wordpiece", TEXTS, 0), "got 0"),
    "bytes": (lambda: Tokenizer.train("byte-bpe", TEXTS, 100), "at least 260"),
    "no unknown": (lambda: Tokenizer.train("word", TEXTS, specials=Specials(unknown=None)), "unknown token"),
    "no words": (lambda: Tokenizer.from_words([]), "several words"),
    "words as str": (lambda: Tokenizer.from_words("cat"), "several words"),
    "two words": (lambda: Tokenizer.from_words(["New York"]), "'New York'"),
    "punctuation": (lambda: Tokenizer.from_words(["cat", "don't"]), '"don\'t"'),
    "null in a word": (lambda: Tokenizer.from_words(["c\0at"]), "single words"),
    "no word": (lambda: Tokenizer.from_words([""]), "single words"),
    "name as a word": (lambda: Tokenizer.from_words(["PAD"], Specials(pad="PAD")), "'PAD'"),
    "equal names": (lambda: Specials(pad="[UNK]"), "different names"),
    "empty name": (lambda: Specials(pad=""), "2 or more"),
    "spaced name": (lambda: Specials(pad="[P AD]"), "no spaces"),
    "added nameless": (lambda: Specials(begin=None), "begin token"),
    "id above": (lambda: TOKENIZERS["word"].token(10_000), "got 10000"),
    "id below": (lambda: TOKENIZERS["word"].decode([-1]), "got -1"),
}


@pytest.mark.parametrize("case", BAD_CALLS)
def test_bad_calls_say_what_was_expected(case: str) -> None:
    call, words = BAD_CALLS[case]
    with pytest.raises(ValueError, match=re.escape(words)):
        call()
