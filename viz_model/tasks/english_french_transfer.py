"""From the derivation of an English sentence to its French translation, each French word tied to the English ones.

French is put together phrase by phrase with agreement in gender, number and person; two last passes drop the vowels of
le, la, je, ne before a vowel (elision) and join de with le, à with le and les (contraction). English leaves open what
French must say: "they" are ils, and who says "I" is a man.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from viz_model.tasks.english_french_lexicon import (
    BE,
    BEFORE_A_VOWEL,
    CLITICS,
    DETERMINERS,
    ENGLISH_ADJECTIVES,
    FRENCH_ADJECTIVES,
    FRENCH_NOUNS,
    FRENCH_VERBS,
    NOUNS,
    PREPOSITIONS,
    opens_with_a_vowel,
)
from viz_model.tasks.grammar import Tree

ELIDED = frozenset({"le", "la", "je", "ne"})
CONTRACTED = {("de", "le"): "du", ("à", "le"): "au", ("à", "les"): "aux"}
TRANSPARENT = frozenset({"Clause", "Predicate", "Subject", "Adjective", "Seen", "Owned"})  # if of one part
JE, IL, ILS = range(3)  # places in a verb's forms


@dataclass(frozen=True, slots=True)
class Piece:
    """One French word and the places of the English words that it translates."""

    word: str
    sources: frozenset[int]


@dataclass(frozen=True, slots=True)
class Subject:
    """French words, and what verb and adjective agree with. person: JE to ILS."""

    pieces: list[Piece]
    gender: str
    number: str
    person: int


PRONOUNS = {"I": ("je", "m", "s", JE), "he": ("il", "m", "s", IL), "she": ("elle", "f", "s", IL),
            "they": ("ils", "m", "p", ILS)}  # fmt: skip


def french_words() -> set[str]:
    """All words that a translation may hold."""
    counted = {english for (_, kind), some in ENGLISH_ADJECTIVES.items() if kind in NOUNS for english in some}
    words = {adjective.before_vowel for adjective in FRENCH_ADJECTIVES.values()}
    for english, adjective in FRENCH_ADJECTIVES.items():
        words |= {adjective.form(gender, number) for gender in "mf" for number in ("sp" if english in counted else "s")}
    words |= {word for noun in FRENCH_NOUNS.values() for word in (noun.singular, noun.plural)}
    words |= {form for forms in (BE, *FRENCH_VERBS.values()) for form in forms}
    words |= {form for forms in DETERMINERS.values() for form in forms if form}
    words |= {*PREPOSITIONS.values()}
    words |= {french for french, *_ in PRONOUNS.values()}
    words |= {word[:-1] for word in ELIDED} | {"'", ".", "et", "ne", "pas", "de", "des"}
    return words.union(BEFORE_A_VOWEL.values(), CLITICS.values(), CONTRACTED.values())


@dataclass(frozen=True, slots=True)
class _Node:
    """A derivation with the place of each word. symbol, form: first and last part of the grammar's; a leaf's word."""

    symbol: str
    at: int
    children: "tuple[_Node, ...]" = ()
    form: str = ""

    def leaf(self) -> "_Node":
        """The only word below."""
        return self.children[0].leaf() if self.children else self


def transfer(tree: Tree) -> tuple[Piece, ...]:
    """The French translation of a derivation by the task's grammar, apostrophes as words of their own."""
    return tuple(_contract(_elide(_text(_numbered(tree, 0)[0]))))


def _numbered(tree: Tree, at: int) -> tuple[_Node, int]:
    start, children = at, []
    for child in tree.children:
        node, at = (_Node(child, at), at + 1) if isinstance(child, str) else _numbered(child, at)
        children.append(node)
    symbol, *_, form = tree.rule.left.split(".") * 2
    if symbol in TRANSPARENT and len(children) == 1:
        return children[0], at
    return _Node(symbol, start, tuple(children), form), at


def _text(node: _Node) -> list[Piece]:
    """A whole text: clauses, "and", "."; or a noun phrase with its place."""
    found: list[Piece] = []
    for child in node.children:
        if child.symbol == "Clause":
            subject = _subject(child.children[0])
            found += subject.pieces + _predicate(child.children[1], subject)
        elif child.symbol == "Phrase":
            phrase, *places = child.children
            found += _noun_phrase(phrase).pieces + [piece for one in places for piece in _place(one.children)]
        else:
            found.append(_piece("et" if child.symbol == "and" else child.symbol, child))
    return found


def _subject(node: _Node) -> Subject:
    """A pronoun or a noun phrase."""
    if node.symbol == "Pronoun":
        word, gender, number, person = PRONOUNS[node.leaf().symbol]
        return Subject([_piece(word, node)], gender, number, person)
    return _noun_phrase(node)


def _predicate(node: _Node, subject: Subject) -> list[Piece]:
    """Verb with what belongs to it: ne, pronoun, verb, pas, then the rest."""
    verb, *parts = node.children
    named = {part.symbol: part for part in parts}
    denial, clitic = named.get("not"), named.get("Clitic")
    forms = BE if verb.symbol == "Be" else FRENCH_VERBS[verb.leaf().symbol]
    found = [_piece(forms[subject.person], verb)]
    if clitic:
        found.insert(0, _piece(CLITICS[clitic.leaf().symbol], clitic))
    if denial:
        found = [_piece("ne", denial), *found, _piece("pas", denial)]
    rest = [part for part in parts if part.symbol not in ("not", "Clitic")]
    return found + _complements(rest, subject)


def _complements(parts: list[_Node], subject: Subject) -> list[Piece]:
    found: list[Piece] = []
    while parts:
        part, *parts = parts
        if part.symbol in ("Before", "After"):
            adjective = FRENCH_ADJECTIVES[part.leaf().symbol]
            found.append(_piece(adjective.form(subject.gender, subject.number), part))
        elif part.symbol == "Where":
            found += _place(part.children)
        elif part.symbol == "to":
            found += _place((part, parts[0]))
            parts = parts[1:]
        else:
            found += _noun_phrase(part).pieces
    return found


def _place(children: tuple[_Node, ...]) -> list[Piece]:
    """A preposition and its noun phrase."""
    preposition, noun = children
    return [_piece(PREPOSITIONS[preposition.symbol], preposition), *_noun_phrase(noun).pieces]


def _noun_phrase(node: _Node) -> Subject:
    """Determiner, adjectives and noun in the order of French."""
    determiner, nominal = node.children
    *adjectives, noun = nominal.children
    french, number = FRENCH_NOUNS[noun.leaf().symbol], noun.form
    word = french.plural if number == "p" else french.singular
    pieces = [_piece(word, noun)]
    for part in adjectives:
        adjective = FRENCH_ADJECTIVES[part.leaf().symbol]
        form = adjective.form(french.gender, number)
        if part.symbol == "After":
            pieces.append(_piece(form, part))
        else:
            bare = french.gender == "m" and number == "s" and opens_with_a_vowel(word)
            pieces.insert(0, _piece(adjective.before_vowel if bare else form, part))
    spelt = _determiner(node, determiner.leaf().symbol, french.gender, number)
    if opens_with_a_vowel(pieces[0].word):
        spelt = [BEFORE_A_VOWEL.get(one, one) for one in spelt]
    person = ILS if number == "p" else IL
    return Subject([*(_piece(one, determiner) for one in spelt), *pieces], french.gender, number, person)


def _determiner(phrase: _Node, english: str, gender: str, number: str) -> list[str]:
    """The French words of a determiner; elision and contraction are left to later passes."""
    nominal = phrase.children[-1]
    before_adjective = any(part.symbol == "Before" for part in nominal.children)
    if phrase.symbol == "Mass" and english == "some":  # "du pain"
        return ["de", DETERMINERS["the"]["mf".index(gender)]]
    if english == "some":
        return ["de" if before_adjective else "des"]
    masculine, feminine, plural = DETERMINERS[english]
    return [plural if number == "p" else feminine if gender == "f" else masculine]


def _piece(word: str, node: _Node) -> Piece:
    return Piece(word, frozenset({node.leaf().at}))


def _elide(pieces: list[Piece]) -> Iterator[Piece]:
    """le ami -> l ' ami."""
    following = [*(piece.word for piece in pieces[1:]), "."]
    for piece, after in zip(pieces, following, strict=True):
        if piece.word in ELIDED and opens_with_a_vowel(after):
            yield replace(piece, word=piece.word[:-1])
            yield replace(piece, word="'")
        else:
            yield piece


def _contract(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """de le chat -> du chat, the one word translating what both did."""
    last: Piece | None = None
    for piece in pieces:
        if last is not None and (joined := CONTRACTED.get((last.word, piece.word))):
            piece = Piece(joined, last.sources | piece.sources)
        elif last is not None:
            yield last
        last = piece
    if last is not None:
        yield last
