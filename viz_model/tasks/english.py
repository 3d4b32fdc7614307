"""Everyday English sentences from a small probabilistic grammar, with their exact probabilities and relations.

The rules are in `english_rules`, the words in `english_lexicon`. Every string has one derivation, so its probability
and the entropy of the language are exact: a trained model's loss can be read beside the best that any model can have.

A sentence is written as a person would type it: a capital on the first word (left out with probability
`LOWER_CASE`, names and "I" apart) and a final "." with probability `FULL_STOP`, which is a word of its own. Sentences
have 3 words or more, about one in ten thousand more than 20, none more than 40 (a "." apart).
"""

import math
import random as random_module
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from viz_model.tasks.english_lexicon import FIXED_CASE, GAPS, WORDS
from viz_model.tasks.english_relations import RELATIONS, Agreement, Relation, read_relations
from viz_model.tasks.english_rules import RULES, VARIABLES
from viz_model.tasks.grammar import Grammar, Tree

__all__ = [
    "FULL_STOP",
    "GRAMMAR",
    "LOWER_CASE",
    "RELATIONS",
    "Agreement",
    "AgreementItem",
    "Entropy",
    "Relation",
    "Sentence",
    "agreement_items",
    "corpus",
    "entropy",
    "held_out",
    "log_probability",
    "mean_surprisal",
    "parse",
    "sample",
    "vocabulary",
]

LOWER_CASE = 0.15
FULL_STOP = 0.5

GRAMMAR = Grammar.read(RULES, WORDS, {name: values.split() for name, values in VARIABLES.items()}, GAPS)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the grammar; `log_probability` is the natural log for the whole string, case and "." included."""

    words: tuple[str, ...]
    log_probability: float
    relations: tuple[Relation, ...]  # by query, then key
    agreement: tuple[Agreement, ...]  # by verb

    def __str__(self) -> str:
        """The sentence as one line of text, "." set close."""
        return " ".join(self.words).replace(" .", ".")


@dataclass(frozen=True, slots=True)
class AgreementItem:
    """A test of agreement: after `prefix` (words), a model should give `right` a higher probability than `wrong`."""

    prefix: tuple[str, ...]
    right: str
    wrong: str
    attractors: int


@dataclass(frozen=True, slots=True)
class Entropy:
    """The exact entropy of the language in nats. A token is a word, a "." or the end of the sentence."""

    per_sentence: float
    per_token: float
    tokens: float  # mean tokens a sentence, its end included


def sample(random: random_module.Random) -> Sentence:
    """Draws one sentence with the caller's generator."""
    tree = GRAMMAR.sample(random)
    lower, stop = random.random() < LOWER_CASE, random.random() < FULL_STOP
    return _sentence(tree, lower, stop)


def corpus(n: int, seed: int) -> list[Sentence]:
    """n sentences drawn independently, always the same for a seed."""
    random = random_module.Random(seed)
    return [sample(random) for _ in range(n)]


def held_out(n: int, seed: int, training: Iterable[Sentence]) -> list[Sentence]:
    """n sentences that are not in `training`, differences of the first capital and the final "." set aside.

    Leaving out what was seen leaves out short, frequent sentences: the best possible loss on these is their
    `mean_surprisal`, a little above the entropy of the language. With `training=()` they are a plain corpus.
    """
    seen = {_core(sentence.words) for sentence in training}
    random = random_module.Random(seed)
    fresh: list[Sentence] = []
    while len(fresh) < n:
        sentence = sample(random)
        if _core(sentence.words) not in seen:
            fresh.append(sentence)
    return fresh


def mean_surprisal(sentences: Sequence[Sentence]) -> float:
    """The grammar's own loss on these sentences, in nats a token (ends included): what a perfect model would reach."""
    tokens = sum(len(sentence.words) + 1 for sentence in sentences)
    return -math.fsum(sentence.log_probability for sentence in sentences) / tokens


def agreement_items(n: int, seed: int, attractors: int | None = None) -> list[AgreementItem]:
    """n different tests of agreement; with `attractors`, only those with exactly so many.

    Two attractors are rare: one in some two thousand sentences, of which ten thousand take a second. Raises ValueError
    for other numbers than 0, 1 and 2.
    """
    if attractors not in (None, 0, 1, 2):
        raise ValueError(f"expected 0, 1 or 2 attractors (or None for any), got {attractors}")
    random = random_module.Random(seed)
    items: dict[AgreementItem, None] = {}
    while len(items) < n:
        sentence = sample(random)
        for one in sentence.agreement:
            if attractors in (None, one.attractors) and len(items) < n:
                items[AgreementItem(sentence.words[: one.verb], one.right, one.wrong, one.attractors)] = None
    return list(items)


def vocabulary() -> tuple[str, ...]:
    """All words that can occur, sorted: with "an", ".", and the capitals of those that can come first."""
    used = (rule for symbol in GRAMMAR.expected_uses() for rule in GRAMMAR.rules[symbol])
    words = {part for rule in used for part in rule.right if part not in GRAMMAR.rules}
    first = set(GRAMMAR.first_words()) | {"an"}
    return tuple(sorted(words | {"an", "."} | {_capital(word) for word in first}))


def entropy() -> Entropy:
    """The exact entropy: of the derivation, plus the choice of case where there is one, plus that of the full stop."""
    expected = GRAMMAR.expected()
    choice = 1.0 - math.fsum(share for word, share in GRAMMAR.first_words().items() if word in FIXED_CASE)
    nats = expected.entropy + choice * _binary_entropy(LOWER_CASE) + _binary_entropy(FULL_STOP)
    tokens = expected.words + FULL_STOP + 1.0
    return Entropy(nats, nats / tokens, tokens)


def parse(words: Sequence[str]) -> Sentence | None:
    """The sentence of the grammar that is spelt so, with its relations; None if there is none."""
    stop = bool(words) and words[-1] == "."
    spelt = list(words[:-1] if stop else words)
    lower = bool(spelt) and spelt[0][:1].islower()
    plain = [word if word in FIXED_CASE or place else word[:1].lower() + word[1:] for place, word in enumerate(spelt)]
    trees = GRAMMAR.derivations(["a" if word == "an" else word for word in plain])
    sentences = (_sentence(tree, lower, stop) for tree in trees)
    return next((sentence for sentence in sentences if sentence.words == tuple(words)), None)


def log_probability(words: Sequence[str]) -> float:
    """Natural log of the probability of exactly these words, -inf for what the grammar does not make."""
    sentence = parse(words)
    return -math.inf if sentence is None else sentence.log_probability


def _sentence(tree: Tree, lower: bool, stop: bool) -> Sentence:
    leaves = tree.leaves()
    words = [word for word, _ in leaves]
    # "a" before a vowel letter is spelt "an": decided by the next word, so it costs no choice.
    following = [*words[1:], ""]
    spelt = ["an" if w == "a" and after[:1] in tuple("aeiou") else w for w, after in zip(words, following, strict=True)]
    log_probability = tree.log_probability() + math.log(FULL_STOP if stop else 1.0 - FULL_STOP)
    if words[0] not in FIXED_CASE:
        log_probability += math.log(LOWER_CASE if lower else 1.0 - LOWER_CASE)
        spelt[0] = spelt[0] if lower else _capital(spelt[0])
    return Sentence((*spelt, ".") if stop else tuple(spelt), log_probability, *read_relations(tree, leaves))


def _core(words: Sequence[str]) -> tuple[str, ...]:
    """The words without what the way of writing adds."""
    spelt = tuple(words[:-1] if words[-1] == "." else words)
    return (spelt[0].lower(), *spelt[1:])


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]


def _binary_entropy(probability: float) -> float:
    return -probability * math.log(probability) - (1.0 - probability) * math.log(1.0 - probability)
