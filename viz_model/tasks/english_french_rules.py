"""The English side of English -> French as a table of rules; `english_french_transfer` says what each is in French.

`viz_model.tasks.grammar` says how such a table is read. Every text has one derivation, since each kind of phrase has
one place to stand: "in the park" after a verb belongs to the verb. No construction is rare but the joining of two
clauses, most of which are longer than what is trained: what a small model sees in one sentence of a hundred it gets
wrong long after all else is right.
"""

from viz_model.tasks.english_french_lexicon import ENGLISH_ADJECTIVES, ENGLISH_NOUNS, ENGLISH_VERBS, MASS_NOUNS, NOUNS
from viz_model.tasks.grammar import Grammar

VARIABLES = {
    "n": "s p",  # number
    "a": "s p i",  # what a verb agrees with: singular, plural, "I"
    "being": "person animal",
    "thing": "text item food place support opening",
    "mass": "drink dish",
    "small": "text item food",
    "fixed": "place support opening",
    "kind": " ".join(NOUNS),
    "any": " ".join((*NOUNS, *MASS_NOUNS)),
}

RULES = """
Text -> 72 Clause | 12 Clause . | 12 Phrase | 2 Phrase . | 2 Clause and Clause
Phrase -> 12 NP.<kind>.<n> | 1 Mass.<mass> | 2 NP.<kind>.<n> Where.<kind>

Clause -> 32 Clause.person.s | 22 Clause.person.p | 10 Clause.person.i | 14 Clause.animal.s | 10 Clause.animal.p
    | 12 Clause.<thing>.<n>
Clause.<being>.<n> -> 1 Subject.<being>.<n> Predicate.<being>.<n>
Clause.person.i -> 1 Pronoun.i Predicate.person.i
Clause.<thing>.<n> -> 1 NP.<thing>.<n> State.<thing>.<n>
Subject.person.<n> -> 3 NP.person.<n> | 1 Pronoun.<n>
Subject.animal.<n> -> 1 NP.animal.<n>

Predicate.<being>.<a> -> 84 VP.<being>.<a> | 16 State.<being>.<a>
State.<kind>.<a> -> 50 Be.<a> Adjective.<kind> | 15 Be.<a> not Adjective.<kind>
    | 25 Be.<a> Where.<kind> | 10 Be.<a> not Where.<kind>
Adjective.<kind> -> 1 Before.<kind> | 1 After.<kind>

# A verb is about as likely as any other, in a class of two and in one of five.
VP.person.<a> -> 10 Verb.rest.<a> | 6 Verb.rest.<a> Where.person | 9 Verb.see.<a> Seen | 4 Verb.see.<a> Clitic
    | 10 Verb.meet.<a> NP.person.<n> | 6 Verb.like.<a> Known.<kind>.<n>
    | 4 Verb.eat.<a> NP.food.<n> | 2 Verb.eat.<a> Mass.dish | 5 Verb.drink.<a> Mass.drink
    | 8 Verb.read.<a> NP.text.<n> | 9 Verb.carry.<a> NP.item.<n>
    | 9 Verb.have.<a> Owned | 8 Verb.open.<a> NP.opening.<n>
    | 5 Verb.go.<a> to NP.place.<n> | 5 Verb.speak.<a> to NP.person.<n>
VP.animal.<a> -> 20 Verb.rest.<a> | 16 Verb.rest.<a> Where.animal | 26 Verb.see.<a> Seen | 8 Verb.see.<a> Clitic
    | 10 Verb.like.<a> Known.<being>.<n> | 12 Verb.eat.<a> NP.food.<n> | 4 Verb.eat.<a> Mass.dish
    | 4 Verb.drink.<a> Mass.drink
Seen -> 4 NP.animal.<n> | 3 NP.person.<n> | 1 NP.place.<n> | 1 NP.support.<n>
Owned -> 5 NP.item.<n> | 1 NP.animal.<n> | 1 NP.person.<n> | 1 NP.text.<n> | 1 NP.place.<n> | 1 NP.support.<n>
Where.<being> -> 5 in NP.place.<n> | 1 on NP.support.<n> | 2 under NP.support.<n> | 2 with NP.person.<n>
Where.<small> -> 3 on NP.support.<n> | 2 under NP.support.<n> | 2 in NP.place.<n>
Where.<fixed> -> 1 in NP.place.<n>

# Noun phrases. Known: without a and some, which "like" would make general ("aimer les chats").
NP.<kind>.<n> -> 1 Determiner.<n> Nominal.<kind>.<n>
Known.<kind>.<n> -> 1 Definite.<n> Nominal.<kind>.<n>
Mass.<mass> -> 4 some Nominal.<mass>.s | 3 the Nominal.<mass>.s | 1 Possessive Nominal.<mass>.s
Nominal.<any>.<n> -> 56 Noun.<any>.<n> | 18 Before.<any> Noun.<any>.<n> | 21 After.<any> Noun.<any>.<n>
    | 5 Before.<any> After.<any> Noun.<any>.<n>
Determiner.s -> 11 Definite.s | 5 a
Determiner.p -> 10 Definite.p | 4 some
Definite.s -> 12 the | 2 this | 4 Possessive
Definite.p -> 12 the | 2 these | 4 Possessive | 2 two
Possessive -> 1 my | 1 his | 1 her | 1 their
Pronoun.s -> 1 he | 1 she
Pronoun.p -> 1 they
Clitic -> 1 me | 1 him | 1 them
Be.s -> 1 is
Be.p -> 1 are
Be.i -> 1 am
"""


def read() -> Grammar:
    """The grammar: the table with the words of the lexicon."""
    words: dict[str, list[str]] = {"Pronoun.i": ["I"]}
    for kind, nouns in ENGLISH_NOUNS.items():
        words[f"Noun.{kind}.s"] = [one for one, _ in nouns]
        words[f"Noun.{kind}.p"] = [many for _, many in nouns]
    for (place, kind), adjectives in ENGLISH_ADJECTIVES.items():
        words[f"{place}.{kind}"] = adjectives
    for kind, verbs in ENGLISH_VERBS.items():
        for form in VARIABLES["a"].split():
            words[f"Verb.{kind}.{form}"] = [third if form == "s" else base for base, third in verbs]
    return Grammar.read(RULES, words, {name: values.split() for name, values in VARIABLES.items()})
