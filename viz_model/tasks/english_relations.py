"""What the derivation of an English sentence says about its words: grammatical relations and agreement in number."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from viz_model.tasks.english_lexicon import OTHER_NUMBER, PASTS
from viz_model.tasks.grammar import Tree

Number = Literal["singular", "plural"]

RELATIONS = {
    "determiner": "determiner-noun",
    "adjective": "adjective-noun",
    "subject": "subject-verb",
    "auxiliary": "auxiliary-verb",
    "object": "verb-object",
    "recipient": "verb-recipient",
    "complement": "verb-complement",
    "predicate": "verb-predicate",
    "adverb": "adverb-verb",
    "preposition": "head-preposition",
    "noun": "preposition-noun",
}
"""Kinds of relation by their role in the table of rules."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A grammatical link of two words, by index: `query` is the later one, which should read the earlier one, `key`."""

    kind: str  # a value of RELATIONS
    query: int
    key: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """A verb form that agrees with its subject (indices of words).

    For "the dog and the cat are", the subject is the first noun and the number plural. `attractors` counts the nouns
    of the other number between subject and verb. `right` is the form in the sentence, `wrong` that of the other number.
    Pairs that do not show (past, "I", a wrong form that could be a past: "the girl read") are not listed.
    """

    subject: int
    verb: int
    number: Number
    attractors: int
    right: str
    wrong: str


def read_relations(tree: Tree, leaves: Sequence[tuple[str, str]]) -> tuple[tuple[Relation, ...], tuple[Agreement, ...]]:
    """The relations of a sentence, by query and key, and its agreements, by verb; `leaves` are those of the tree."""
    links: list[_Link] = []
    _read_links(tree, 0, links)
    relations = {
        Relation(RELATIONS[link.role], query, key) for link in links for query in link.later for key in link.earlier
    }
    found = (_agreement(leaves, link) for link in links if link.role == "subject")
    agreement = [one for one in found if one is not None]
    return (
        tuple(sorted(relations, key=lambda relation: (relation.query, relation.key))),
        tuple(sorted(agreement, key=lambda one: one.verb)),
    )


@dataclass(frozen=True, slots=True)
class _Link:
    """Two parts of a phrase, one of them its head: the head words of each, and where the later part begins."""

    role: str
    earlier: tuple[int, ...]
    later: tuple[int, ...]
    begin: int


def _read_links(tree: Tree, begin: int, links: list[_Link]) -> tuple[tuple[int, ...], int]:
    """Adds the links within `tree`, whose first word has the index `begin`; gives its head words and its end."""
    heads: list[tuple[int, ...]] = []
    begins = [begin]
    for child in tree.children:
        own, end = _read_links(child, begins[-1], links) if isinstance(child, Tree) else ((begins[-1],), begins[-1] + 1)
        heads.append(own)
        begins.append(end)
    for place, role in enumerate(tree.rule.roles):
        for head in tree.rule.heads if role else ():
            first, second = sorted((place, head))
            links.append(_Link(role, heads[first], heads[second], begins[second]))
    return tuple(word for head in tree.rule.heads for word in heads[head]), begins[-1]


def _agreement(leaves: Sequence[tuple[str, str]], link: _Link) -> Agreement | None:
    """The agreement of a subject with the first verb of its predicate, if that verb shows it."""
    subject = link.earlier[0]
    for place in range(link.begin, link.later[0] + 1):
        form, symbol = leaves[place]
        ending = symbol.rpartition(".")[2]
        if form in OTHER_NUMBER and ending in ("s", "p") and leaves[subject][1] != "First":
            wrong = OTHER_NUMBER[form]
            if wrong in PASTS:
                return None
            other = ".p" if ending == "s" else ".s"
            between = leaves[subject + 1 : place]
            attractors = sum(_noun_number(symbol) == other for _, symbol in between)
            return Agreement(subject, place, "singular" if ending == "s" else "plural", attractors, form, wrong)
    return None


def _noun_number(symbol: str) -> str:
    """Gives ".s" or ".p" for the symbol of a noun or name, "" for others; a noun without a plural is singular."""
    if symbol == "Name" or symbol.startswith("Noun."):
        return ".p" if symbol.endswith(".p") else ".s"
    return ""
