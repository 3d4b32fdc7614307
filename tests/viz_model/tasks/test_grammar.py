"""Grammars small enough to count by hand."""

import itertools
import math
import random

import pytest

from viz_model.tasks.grammar import Grammar

TABLE = """
Sentence -> 3 Noun.<n>:subject Verb.<n>^ | 1 Noun.s^ near Noun.<n>   # two numbers share the last weight
    | 4 rain
"""
WORDS = {"Noun.s": ["cat", "dog"], "Noun.p": ["cats"], "Verb.s": ["sits"], "Verb.p": ["sit", "run", "go"]}
VARIABLES = {"n": ["s", "p"]}


@pytest.fixture
def tiny() -> Grammar:
    return Grammar.read(TABLE, WORDS, VARIABLES)


def probability(grammar: Grammar, words: tuple[str, ...]) -> float:
    return sum(math.exp(tree.log_probability()) for tree in grammar.derivations(words))


def test_the_probabilities_of_all_strings_sum_to_one(tiny: Grammar) -> None:
    alphabet = sorted(
        {part for rules in tiny.rules.values() for rule in rules for part in rule.right} - set(tiny.rules)
    )
    strings = [words for length in range(1, 4) for words in itertools.product(alphabet, repeat=length)]
    shares = [share for words in strings if (share := probability(tiny, words)) > 0]
    assert math.isclose(sum(shares), 1.0)
    assert math.isclose(tiny.expected().entropy, -sum(share * math.log(share) for share in shares))


def test_weights_are_scaled_and_free_variables_share_them(tiny: Grammar) -> None:
    assert math.isclose(probability(tiny, ("rain",)), 4 / 8)
    assert math.isclose(probability(tiny, ("dog", "sits")), 3 / 8 / 2 / 2)
    assert math.isclose(probability(tiny, ("cat", "near", "cats")), 1 / 8 / 2 / 2)
    assert probability(tiny, ("cats", "sits")) == 0.0


def test_samples_come_as_often_as_their_probability(tiny: Grammar) -> None:
    generator = random.Random(0)
    drawn = [tuple(word for word, _ in tiny.sample(generator).leaves()) for _ in range(8000)]
    for words in (("rain",), ("dog", "sits"), ("cats", "run")):
        assert math.isclose(drawn.count(words) / 8000, probability(tiny, words), abs_tol=0.02)


def test_recursion_has_the_entropy_of_a_geometric_choice() -> None:
    grammar = Grammar.read("Sentence -> 3 on | 1 on Sentence", {}, {})
    expected = grammar.expected()
    choice = -0.75 * math.log(0.75) - 0.25 * math.log(0.25)
    assert math.isclose(expected.words, 1 / 0.75)
    assert math.isclose(expected.entropy, choice / 0.75)


def test_two_derivations_are_both_found() -> None:
    grammar = Grammar.read("Sentence -> 1 Left to | 1 go Right\nLeft -> 1 go\nRight -> 1 to", {}, {})
    assert len(grammar.derivations(("go", "to"))) == 2


def test_a_gap_takes_its_alternative_away() -> None:
    grammar = Grammar.read("Sentence -> 1 Verb.<n> | 1 rain", {"Verb.s": ["sits"]}, VARIABLES, frozenset({"Verb.p"}))
    assert math.isclose(probability(grammar, ("sits",)), 1 / 3)


@pytest.mark.parametrize(("table", "message"), [("Sentence 1 rain", "->"), ("Sentence -> 1 Verb", "Verb")])
def test_a_damaged_table_says_what_was_expected(table: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Grammar.read(table, {}, {})


def test_first_words(tiny: Grammar) -> None:
    first = tiny.first_words()
    assert math.isclose(first["rain"], 0.5)
    assert math.isclose(first["cats"], 3 / 16)
    assert math.isclose(sum(first.values()), 1.0)
