"""English -> French: sentence pairs of a small synchronous grammar, with the word alignment that they come from.

`english_french_rules` makes the English, `english_french_transfer` its French. Texts are in lower case but for "I". An
elided French word is two tokens, "l" and "'", as every word-level `Tokenizer` cuts it, so typed French reads the same.
"""

from __future__ import annotations

import random as random_module
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any, ClassVar

import torch
from torch import Tensor

from viz_model.tasks import english_french_rules
from viz_model.tasks.english_french_transfer import french_words, transfer
from viz_model.tasks.grammar import Tree
from viz_model.tasks.task import Batch, Expected, ModelKind, Probe, Task, pad
from viz_model.tokenizer import Specials, Tokenizer

__all__ = ["EnglishFrench", "Pair", "by_length", "clean", "pairs", "spell", "translate", "vocabularies"]

GRAMMAR = english_french_rules.read()
LONGEST_TRAINED = 8  # English words; longer sentences are only ever asked
N_TRAINING, N_HELD_OUT = 20_000, 500
SEED_TRAINING, SEED_HELD_OUT, SEED_LONG = 1, 2, 3
PROBE = "the black cat sees the old horse"
KEPT_BACK = frozenset({PROBE, "the black cat"})  # shown on pages: never trained on
LENGTHS = ((2, 4), (5, 6), (7, LONGEST_TRAINED))  # words, of the classes that `figures` tells apart
HELD_OUT_SHARE = 20  # one text in so many, whatever the seed


@dataclass(frozen=True, slots=True)
class Pair:
    """An English text and its French, word by word. alignment: for each French word the places of the English words
    that it translates; "du" translates "of" and "the", the apostrophe of "l'" the same word as its "l"."""

    english: tuple[str, ...]
    french: tuple[str, ...]
    alignment: tuple[frozenset[int], ...]


def translate(words: Sequence[str]) -> Pair | None:
    """The grammar's translation of English words; None for words that it does not make. See `clean` for typed text."""
    return _translate(tuple(words))


def clean(text: str) -> tuple[str, ...]:
    """A typed English text as the words of this task: lower case but for "I", the "." a word of its own."""
    words = text.replace(".", " . ").split()
    return tuple("I" if word in ("i", "I") else word.lower() for word in words)


def spell(words: Sequence[str]) -> str:
    """Words as a line of text: "l ' ami ." becomes "l'ami."."""
    return " ".join(words).replace(" ' ", "'").replace(" .", ".")


def pairs(n: int, seed: int, *, held_out: bool = False, longest: int = LONGEST_TRAINED) -> Iterator[Pair]:
    """n pairs of at most `longest` English words, the same for a seed. Held-out ones are all different, and no other
    call makes them: which texts are held out is a property of the text (a final "." apart)."""
    random, made = random_module.Random(seed), 0
    seen: set[tuple[str, ...]] = set()
    while made < n:
        tree = GRAMMAR.sample(random)
        words = _english(tree)
        if len(words) <= longest and _is_held_out(words) == held_out and not (held_out and words in seen):
            seen.add(words)
            made += 1
            yield _pair(tree)


@cache
def by_length(n: int = 40_000, most: int = 100, least: int = 20) -> dict[int, tuple[Pair, ...]]:
    """Held-out pairs by number of English words, out of n texts drawn: at most `most` and at least `least` a length."""
    random = random_module.Random(SEED_LONG)
    found: dict[int, dict[tuple[str, ...], Tree]] = {}
    for _ in range(n):
        tree = GRAMMAR.sample(random)
        words = _english(tree)
        if _is_held_out(words):
            found.setdefault(len(words), {})[words] = tree
    return {
        length: tuple(map(_pair, list(found[length].values())[:most]))
        for length in sorted(found)
        if len(found[length]) >= least
    }


@cache
def vocabularies() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """All English and all French words that can occur, sorted."""
    used = {part for symbol in GRAMMAR.expected_uses() for rule in GRAMMAR.rules[symbol] for part in rule.right}
    return tuple(sorted((used - GRAMMAR.rules.keys()) | {"an"})), tuple(sorted(french_words()))


class EnglishFrench(Task):
    """Reads English, writes French.

    The source is the English words and [EOS]; the decoder reads [BOS] and the French words, and is asked the French
    words and [EOS]: at each target position the token after the one that it reads.
    """

    name: ClassVar[str] = "english-french"
    title: ClassVar[str] = "English to French"
    about: ClassVar[str] = "Translate an English sentence into French, word order and agreement included."
    metric: ClassVar[str] = "whole sentences right"
    kind: ClassVar[ModelKind] = "encoder-decoder"

    tokenizer: Tokenizer
    target_tokenizer: Tokenizer

    def __init__(self, n_training: int = N_TRAINING) -> None:
        english, french = vocabularies()
        self.tokenizer = Tokenizer.from_words(english, Specials(begin=None, add_begin=False, add_end=True))
        self.target_tokenizer = Tokenizer.from_words(french, Specials())
        self.n_training = n_training

    def batch(self, size: int, generator: torch.Generator) -> Batch:
        chosen = torch.randint(self.n_training, (size,), generator=generator)
        ids, present, written, is_written = (whole[chosen] for whole in self._training)
        n_source, n_target = int(present.sum(1).max()), int(is_written.sum(1).max())
        return self._ask(ids[:, :n_source], present[:, :n_source], written[:, :n_target], is_written[:, :n_target])

    def held_out(self) -> Batch:
        return self._held_out

    def by_length(self) -> dict[int, Batch]:
        """Held-out sentences by their number of English words; those above `LONGEST_TRAINED` are of lengths that
        training never sees."""
        return {n: self.encode(found) for n, found in by_length().items()}

    def probe(self) -> tuple[Probe, Batch]:
        pair = translate(PROBE.split())
        assert pair is not None
        batch = self.encode([pair])
        assert batch.target_ids is not None
        tokens = tuple(self.tokenizer.token(i) for i in batch.ids[0].tolist())
        target = tuple(self.target_tokenizer.token(i) for i in batch.target_ids[0].tolist())
        return Probe(PROBE, tokens, spell(pair.french), target), batch

    def encode(self, pairs: Sequence[Pair]) -> Batch:
        """Pairs as a batch."""
        return self._ask(*self._padded(pairs))

    def expected(self, batch: Batch) -> tuple[Expected, ...]:
        """Cross-attention by word alignment, aligned to the prediction: the position that reads token t of the target
        has the keys of token t + 1, which it is about to write. The one that writes [EOS] has none, nor has a target
        that is not the grammar's translation of its source.
        """
        assert batch.target_ids is not None
        keys = torch.zeros(len(batch.ids), batch.target_ids.shape[1], batch.ids.shape[1], dtype=torch.bool)
        lengths = batch.present.sum(1).tolist()
        written = batch.asked.sum(1).tolist()
        for row, (ids, target) in enumerate(zip(batch.ids.tolist(), batch.target_ids.tolist(), strict=True)):
            pair = translate([self.tokenizer.token(i) for i in ids[: lengths[row] - 1]])
            if pair and tuple(map(self.target_tokenizer.token, target[1 : written[row]])) == pair.french:
                for query, sources in enumerate(pair.alignment):
                    keys[row, query, list(sources)] = True
        return (Expected("the word that is translated", keys, "cross", "decoder"),)

    def figures(self, model: Any) -> dict[str, float]:
        """Whole sentences right, which greedy writing then gets right too: held-out ones as they come, by length, and
        longer than trained; and what the best head of cross-attention reads of the word to translate."""
        classes = {f"{least} to {most} words": (least, most) for least, most in LENGTHS}
        classes[f"more than {LONGEST_TRAINED} words, longer than trained"] = (LONGEST_TRAINED + 1, 10_000)
        found = {
            f"{self.metric}, {name}": self.accuracy(
                model, self.encode([one for n, some in by_length().items() if least <= n <= most for one in some])
            )
            for name, (least, most) in classes.items()
        }
        heads = self.alignment(model)
        layer, head = divmod(int(heads.argmax()), heads.shape[1])
        best = f"cross-attention on the word that is translated, layer {layer} head {head}"
        return {self.metric: self.accuracy(model), **found, best: float(heads.max())}

    @torch.inference_mode()
    def alignment(self, model: Any) -> Tensor:
        """Mean weight of each head of cross-attention on the words to translate, [layer, head], on held-out texts."""
        batch = self.held_out()
        (expected,) = self.expected(batch)
        has_key = expected.keys.any(2)
        blocks = model(batch.ids, batch.target_ids, batch.present, batch.target_present).decoder.blocks
        on_key = [(block.cross_attention.weights * expected.keys[:, None]).sum(-1) for block in blocks]
        return torch.stack([weight.transpose(1, 2)[has_key].mean(0) for weight in on_key])

    @cached_property
    def _training(self) -> tuple[Tensor, ...]:
        return self._padded(tuple(pairs(self.n_training, SEED_TRAINING)))

    @cached_property
    def _held_out(self) -> Batch:
        return self.encode(tuple(pairs(N_HELD_OUT, SEED_HELD_OUT, held_out=True)))

    def _padded(self, pairs: Sequence[Pair]) -> tuple[Tensor, ...]:
        """Source ids with [EOS] and which are tokens; French ids from [BOS] to [EOS] and which are tokens."""
        english, french = self.tokenizer, self.target_tokenizer
        source = [_ids(english, (*pair.english, "[EOS]")) for pair in pairs]
        written = [_ids(french, ("[BOS]", *pair.french, "[EOS]")) for pair in pairs]
        return (*pad(source, _ids(english, ["[PAD]"])[0]), *pad(written, _ids(french, ["[PAD]"])[0]))

    def _ask(self, ids: Tensor, present: Tensor, written: Tensor, is_written: Tensor) -> Batch:
        """The decoder reads all but the last token and is asked for the next one at each."""
        asked = is_written[:, 1:]
        target = written[:, :-1].masked_fill(~asked, _ids(self.target_tokenizer, ["[PAD]"])[0])
        return Batch(ids, present, asked, written[:, 1:][asked], target, asked)


@lru_cache(maxsize=4096)
def _translate(words: tuple[str, ...]) -> Pair | None:
    found = map(_pair, GRAMMAR.derivations(["a" if word == "an" else word for word in words]))
    return next((pair for pair in found if pair.english == words), None)


def _english(tree: Tree) -> tuple[str, ...]:
    """The words of a derivation, "a" before a vowel letter spelt "an"."""
    words = [word for word, _ in tree.leaves()]
    following = [*words[1:], "."]
    return tuple("an" if w == "a" and after[0] in "aeiou" else w for w, after in zip(words, following, strict=True))


def _pair(tree: Tree) -> Pair:
    pieces = transfer(tree)
    return Pair(_english(tree), tuple(piece.word for piece in pieces), tuple(piece.sources for piece in pieces))


def _is_held_out(words: Sequence[str]) -> bool:
    """By the text alone, so that no draw can train on what another holds out."""
    core = " ".join(words).removesuffix(" .")
    return len(words) > LONGEST_TRAINED or core in KEPT_BACK or zlib.crc32(core.encode()) % HELD_OUT_SHARE == 0


def _ids(tokenizer: Tokenizer, words: Sequence[str]) -> list[int]:
    found = [tokenizer.id(word) for word in words]
    if None in found:
        raise ValueError(f"words: expected words of the vocabulary, got {words[found.index(None)]!r}.")
    return [i for i in found if i is not None]
