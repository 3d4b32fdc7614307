"""A probabilistic context-free grammar read from a table: sampling, parsing, and exact entropy.

The table is text. One rule a line, `Left -> weight right side | weight right side` (a line that starts with `|` goes
on with the one above); the weights of a left side are scaled to sum to 1. A capitalised symbol is expanded further,
any other is a word of the sentence. `<n>` stands for each value of the variable n: on the left it makes one rule for
each value, on the right alone it shares the weight equally. `Symbol^` marks the head of a phrase (there may be two,
joined by "and"), `Symbol:role` says what a part is to that head; heads and roles carry the relations between words and
have no probability of their own.

Sources: Booth and Thompson (1973) for probabilistic grammars; Soule (1974) and Grenander (1976) for their entropy.
"""

import bisect
import itertools
import math
import random as random_module
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to expand a symbol: `left` becomes the symbols `right`, with `probability` among the rules of `left`."""

    left: str
    right: tuple[str, ...]
    probability: float
    heads: tuple[int, ...]  # places in `right` that head the phrase
    roles: tuple[str, ...]  # what each place is to the heads, "" for nothing


@dataclass(frozen=True, slots=True)
class Tree:
    """A derivation: the rule used and, for each place on its right side, a subtree or the word itself."""

    rule: Rule
    children: "tuple[Tree | str, ...]"

    def leaves(self) -> list[tuple[str, str]]:
        """The words from left to right, each with the symbol that made it."""
        found: list[tuple[str, str]] = []
        for child in self.children:
            if isinstance(child, Tree):
                found += child.leaves()
            else:
                found.append((child, self.rule.left))
        return found

    def log_probability(self) -> float:
        """Natural log of the product of the probabilities of all rules used."""
        total = math.log(self.rule.probability)
        for child in self.children:
            if isinstance(child, Tree):
                total += child.log_probability()
        return total


@dataclass(frozen=True, slots=True)
class Expected:
    """Exact means over all sentences: `entropy` of the derivation in nats, `words` a sentence."""

    entropy: float
    words: float


class Grammar:
    """A proper probabilistic grammar without left recursion; `start` is the first symbol of its table."""

    def __init__(self, rules: Mapping[str, Sequence[Rule]], start: str) -> None:
        """Takes the rules by left side, with probabilities that sum to 1 for each."""
        self.rules = {left: tuple(alternatives) for left, alternatives in rules.items()}
        self.start = start
        self._bounds = {
            left: list(itertools.accumulate(rule.probability for rule in alternatives))[:-1]
            for left, alternatives in self.rules.items()
        }

    @classmethod
    def read(
        cls,
        table: str,
        words: Mapping[str, Sequence[str]],
        variables: Mapping[str, Sequence[str]],
        gaps: frozenset[str] = frozenset(),
    ) -> "Grammar":
        """Reads a table (see the head of this file).

        `words` gives, for a symbol, its equally likely words. An alternative that needs a symbol of `gaps` (a word form
        that does not exist) is left out before the weights are scaled. Raises ValueError for a line without `->`
        and for a capitalised symbol without rules or words.
        """
        weighted: defaultdict[str, list[Rule]] = defaultdict(list)
        for line in _logical_lines(table):
            if "->" not in line:
                raise ValueError(f"expected 'Left -> weight right | ...', got {line!r}")
            left, _, alternatives = line.partition("->")
            for bound in _bindings(left, variables):
                name = _substitute(left.strip(), bound)
                for alternative in alternatives.split("|"):
                    weight, *right = alternative.split()
                    choices = list(_bindings(_substitute(" ".join(right), bound), variables))
                    for choice in choices:
                        rule = _rule(name, [_substitute(part, bound | choice) for part in right],
                                     float(weight) / len(choices))  # fmt: skip
                        if not gaps.intersection(rule.right):
                            weighted[name].append(rule)
        for rule in itertools.chain.from_iterable(weighted.values()):
            for part in rule.right:
                if part[0].isupper() and part not in weighted and part not in words:
                    raise ValueError(f"expected rules or words for {part}, got none (used by {rule.left})")
        start = next(iter(weighted))
        for symbol, forms in words.items():
            weighted[symbol].extend(Rule(symbol, (form,), 1.0, (0,), ("",)) for form in forms)
        return cls({left: _scaled(alternatives) for left, alternatives in weighted.items()}, start)

    def sample(self, random: random_module.Random) -> Tree:
        """Draws one derivation with the caller's generator."""
        return self._expand(self.start, random)

    def _expand(self, symbol: str, random: random_module.Random) -> Tree:
        rule = self.rules[symbol][bisect.bisect_right(self._bounds[symbol], random.random())]
        return Tree(rule, tuple(self._expand(part, random) if part in self.rules else part for part in rule.right))

    def derivations(self, words: Sequence[str]) -> list[Tree]:
        """Every derivation of the words, none if the grammar does not make them."""
        found: dict[tuple[str, int], dict[int, list[Tree]]] = {}

        def spans(symbol: str, begin: int) -> dict[int, list[Tree]]:
            """Derivations of `symbol` from word `begin` on, by the place where they end."""
            key = (symbol, begin)
            if key not in found:
                ends: defaultdict[int, list[Tree]] = defaultdict(list)
                for rule in self.rules[symbol]:
                    for end, children in sequences(rule.right, begin):
                        ends[end].append(Tree(rule, children))
                found[key] = ends
            return found[key]

        def sequences(parts: tuple[str, ...], begin: int) -> Iterator[tuple[int, tuple[Tree | str, ...]]]:
            if not parts:
                yield begin, ()
            elif parts[0] not in self.rules:
                if begin < len(words) and words[begin] == parts[0]:
                    for end, rest in sequences(parts[1:], begin + 1):
                        yield end, (parts[0], *rest)
            else:
                for middle, trees in spans(parts[0], begin).items():
                    for end, rest in sequences(parts[1:], middle):
                        for tree in trees:
                            yield end, (tree, *rest)

        return spans(self.start, 0).get(len(words), [])

    def expected_uses(self) -> dict[str, float]:
        """How often each symbol is expanded in a sentence, on average.

        Solves uses = start + uses . M, where M[a, b] is the mean number of b in an expansion of a, by summing the
        powers of M: exact after as many rounds as the deepest derivation, and convergent wherever sentences end.
        """
        uses: defaultdict[str, float] = defaultdict(float)
        level: dict[str, float] = {self.start: 1.0}
        while sum(level.values()) > 1e-15:
            deeper: defaultdict[str, float] = defaultdict(float)
            for symbol, count in level.items():
                uses[symbol] += count
                for rule in self.rules[symbol]:
                    for part in rule.right:
                        if part in self.rules:
                            deeper[part] += count * rule.probability
            level = deeper
        return dict(uses)

    def expected(self) -> Expected:
        """The exact entropy of a derivation and the mean number of words.

        The entropy is the sum over symbols of (mean uses) x (entropy of the choice among its rules): Soule (1974),
        Grenander (1976). It is the entropy of the word strings too where each string has one derivation.
        """
        uses = self.expected_uses()
        entropy = words = 0.0
        for symbol, count in uses.items():
            for rule in self.rules[symbol]:
                entropy -= count * rule.probability * math.log(rule.probability)
                words += count * rule.probability * sum(part not in self.rules for part in rule.right)
        return Expected(entropy, words)

    def first_words(self) -> dict[str, float]:
        """The probability of each word to be the first of a sentence."""
        first: defaultdict[str, float] = defaultdict(float)
        level: dict[str, float] = {self.start: 1.0}
        while level:
            deeper: defaultdict[str, float] = defaultdict(float)
            for symbol, share in level.items():
                for rule in self.rules[symbol]:
                    (deeper if rule.right[0] in self.rules else first)[rule.right[0]] += share * rule.probability
            level = deeper
        return dict(first)


def _logical_lines(table: str) -> list[str]:
    """Lines without comments and blanks; one that starts with `|` goes on with the line above."""
    text = "\n".join(filter(None, (line.split("#")[0].strip() for line in table.splitlines())))
    return text.replace("\n|", " |").splitlines()


def _bindings(text: str, variables: Mapping[str, Sequence[str]]) -> list[dict[str, str]]:
    """Each assignment of values to the variables `<name>` of the text."""
    names = list(dict.fromkeys(re.findall(r"<(\w+)>", text)))
    return [dict(zip(names, values, strict=True)) for values in itertools.product(*(variables[name] for name in names))]


def _substitute(text: str, bound: Mapping[str, str]) -> str:
    return re.sub(r"<(\w+)>", lambda match: bound.get(match[1], match[0]), text)


def _rule(left: str, parts: Sequence[str], weight: float) -> Rule:
    """The rule for parts such as `Verb.s^` and `Object:object`; a lone part is its own head."""
    heads = tuple(place for place, part in enumerate(parts) if part.endswith("^"))
    names = [part.rstrip("^").partition(":") for part in parts]
    return Rule(left, tuple(name for name, _, _ in names), weight, heads or ((0,) if len(parts) == 1 else ()),
                tuple(role for _, _, role in names))  # fmt: skip


def _scaled(rules: Sequence[Rule]) -> list[Rule]:
    total = math.fsum(rule.probability for rule in rules)
    return [Rule(rule.left, rule.right, rule.probability / total, rule.heads, rule.roles) for rule in rules]
