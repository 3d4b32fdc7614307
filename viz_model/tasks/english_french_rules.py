"""The English side of English -> French as a table of rules; `english_french_transfer` says what each is in French.

`viz_model.tasks.grammar` says how such a table is read. Every text has one derivation, since each kind of phrase has
one place to stand: "near the park" belongs to the subject before the verb, and to the verb after it.
"""

from viz_model.tasks.english_french_lexicon import ENGLISH_ADJECTIVES, ENGLISH_NOUNS, ENGLISH_VERBS, MASS_NOUNS, NOUNS
from viz_model.tasks.grammar import Grammar

VARIABLES = {
    "n": "s p",  # number
    "a": "s p i",  # what a verb agrees with: singular, plural, "I"
    "f": "s p i base",  # forms of a verb; base: after "do not", where a and some turn into French "de"
    "being": "person animal",
    "thing": "text item food place support opening",
    "mass": "drink dish",
    "small": "text item food",
    "fixed": "place support opening",
    "kind": " ".join(NOUNS),
    "any": " ".join((*NOUNS, *MASS_NOUNS)),
}

RULES = """
Text -> 66 Clause | 14 Clause . | 14 Phrase | 2 Phrase . | 4 Clause and Clause
Phrase -> 10 NP.<kind>.<n> | 1 Mass.<mass>.s | 2 NP.<kind>.<n> Where.<kind> | 1 NP.<kind>.<n> Of

Clause -> 30 Clause.person.s | 22 Clause.person.p | 8 Clause.person.i | 15 Clause.animal.s | 10 Clause.animal.p
    | 12 Clause.<thing>.<n> | 3 Clause.mass
Clause.<being>.<n> -> 1 Subject.<being>.<n> Predicate.<being>.<n>
Clause.person.i -> 1 Pronoun.i Predicate.person.i
Clause.<thing>.<n> -> 1 Subject.<thing>.<n> State.<thing>.<n>
Clause.mass -> 1 Mass.<mass>.the State.<mass>.s

Subject.person.s -> 58 NP.person.s | 8 NP.person.s Where.person | 5 NP.person.s Of | 29 Pronoun.s
Subject.person.p -> 46 NP.person.p | 8 NP.person.p Where.person | 20 Pronoun.p | 8 Pair.person
Subject.animal.s -> 82 NP.animal.s | 12 NP.animal.s Where.animal | 6 NP.animal.s Of
Subject.animal.p -> 80 NP.animal.p | 12 NP.animal.p Where.animal | 8 Pair.animal
Subject.<thing>.<n> -> 4 NP.<thing>.<n> | 1 NP.<thing>.<n> Where.<thing>
Pair.<being> -> 1 NP.<being>.s and NP.<being>.<n>

Predicate.<being>.<a> -> 66 VP.<being>.<a> | 10 Do.<a> not VP.<being>.base | 24 State.<being>.<a>
State.<kind>.<a> -> 65 Be.<a> Adjective.<kind> | 15 Be.<a> not Adjective.<kind>
    | 16 Be.<a> Where.<kind> | 4 Be.<a> not Where.<kind>
State.<mass>.s -> 3 Be.s Adjective.<mass> | 1 Be.s not Adjective.<mass>
Adjective.<any> -> 1 Before.<any> | 1 After.<any>

VP.person.<f> -> 12 Verb.rest.<f> | 9 Verb.rest.<f> Where.person | 14 Verb.see.<f> Seen.<f>
    | 3 Verb.see.<f> Seen.<f> Where.person
    | 7 Verb.meet.<f> Object.person.<f> | 6 Verb.see.<f> Clitic | 4 Verb.meet.<f> Clitic
    | 5 Verb.like.<f> Known.<kind>.<n> | 2 Verb.like.<f> Clitic
    | 5 Verb.eat.<f> Object.food.<f> | 3 Verb.eat.<f> Mass.dish.<f> | 5 Verb.drink.<f> Mass.drink.<f>
    | 7 Verb.read.<f> Object.text.<f> | 6 Verb.carry.<f> Object.item.<f> | 8 Verb.have.<f> Object.<kind>.<f>
    | 5 Verb.open.<f> Object.opening.<f>
    | 6 Verb.go.<f> to NP.place.<n> | 5 Verb.speak.<f> to NP.person.<n> | 7 Verb.give.<f> Gift.<f> to NP.person.<n>
VP.animal.<f> -> 24 Verb.rest.<f> | 20 Verb.rest.<f> Where.animal | 24 Verb.see.<f> Seen.<f> | 10 Verb.see.<f> Clitic
    | 8 Verb.like.<f> Known.<being>.<n>
    | 10 Verb.eat.<f> Object.food.<f> | 6 Verb.eat.<f> Mass.dish.<f> | 6 Verb.drink.<f> Mass.drink.<f>
Seen.<f> -> 4 Object.animal.<f> | 4 Object.person.<f> | 1 Object.place.<f> | 1 Object.text.<f>
Gift.<f> -> 3 Object.item.<f> | 2 Object.text.<f>
Object.<kind>.<a> -> 1 NP.<kind>.<n>
Object.<kind>.base -> 4 Known.<kind>.<n> | 2 None.<kind>.s | 1 None.<kind>.p
Where.<being> -> 5 in NP.place.<n> | 1 on NP.support.<n> | 2 under NP.support.<n>
    | 2 near NP.place.<n> | 2 with NP.person.<n>
Where.<small> -> 3 on NP.support.<n> | 2 under NP.support.<n> | 2 in NP.place.<n>
Where.<fixed> -> 2 near NP.place.<n>
Of -> 1 of NP.person.<n>

# Noun phrases. Known: without a and some, which "like" would make general ("aimer les chats"). None: what is not
# there, "pas de chat".
NP.<kind>.s -> 1 Determiner.s Nominal.<kind>.s
NP.<kind>.p -> 1 Determiner.p Nominal.<kind>.p
Known.<kind>.<n> -> 1 Definite.<n> Nominal.<kind>.<n>
None.<kind>.s -> 1 a Nominal.<kind>.s
None.<kind>.p -> 1 any Nominal.<kind>.p
Mass.<mass>.<a> -> 4 some Nominal.<mass>.s | 3 the Nominal.<mass>.s | 1 Possessive Nominal.<mass>.s
Mass.<mass>.the -> 5 the Nominal.<mass>.s | 1 Possessive Nominal.<mass>.s
Mass.<mass>.base -> 4 any Nominal.<mass>.s | 3 the Nominal.<mass>.s
Nominal.<any>.<n> -> 52 Noun.<any>.<n> | 18 Before.<any> Noun.<any>.<n> | 22 After.<any> Noun.<any>.<n>
    | 8 Before.<any> After.<any> Noun.<any>.<n>
Determiner.s -> 11 Definite.s | 5 a
Determiner.p -> 10 Definite.p | 3 some | 1 many
Definite.s -> 12 the | 2 this | 4 Possessive
Definite.p -> 12 the | 2 these | 4 Possessive | 1 two
Possessive -> 1 my | 1 his | 1 her | 1 their
Pronoun.s -> 1 he | 1 she
Pronoun.p -> 1 they
Clitic -> 1 me | 1 him | 1 her | 1 them
Be.s -> 1 is
Be.p -> 1 are
Be.i -> 1 am
Do.s -> 1 does
Do.p -> 1 do
Do.i -> 1 do
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
        for form in VARIABLES["f"].split():
            words[f"Verb.{kind}.{form}"] = [third if form == "s" else base for base, third in verbs]
    return Grammar.read(RULES, words, {name: values.split() for name, values in VARIABLES.items()})
