"""Writes texts for the sentiment task, each with the label that it was written to have."""

from __future__ import annotations

import random as random_module

from viz_model.tasks.sentiment_lexicon import (
    CONTRACTED,
    DEGREES,
    DISPLEASED,
    DISPLEASED_NOUNS,
    DISPLEASED_VERBS,
    LABELS,
    NEUTRAL,
    PEOPLE,
    PLEASED,
    PLEASED_NOUNS,
    PLEASED_VERBS,
    PLURAL,
    SINGULAR,
)
from viz_model.tasks.typed import capital


def write(random: random_module.Random) -> tuple[list[str], str]:
    """A text as words, and its label; both labels are equally likely, with a negation and without."""
    pleased = random.random() < 0.5
    main = _clause(random, pleased)
    other = _clause(random, pleased if random.random() < 0.4 else not pleased)
    comma = [","] if random.random() < 0.5 else []
    shape = random.choices(SHAPES, WEIGHTS)[0]
    if shape == "and":
        more = _clause(random, pleased)
        words = [*main, *comma, "and", *more] if random.random() < 0.6 else [*main, ".", *_opened(more)]
    elif shape == "neutral":
        told = random.choice(NEUTRAL).split()
        words = [*told, *comma, "and", *main] if random.random() < 0.5 else [*told, ".", *_opened(main)]
    elif shape == "but":
        turn = random.choice(["but", "but", "yet"])
        words = [*other, ".", capital(turn), *main] if random.random() < 0.15 else [*other, *comma, turn, *main]
    elif shape == "however":
        words = [*other, *random.choice([(".", "However", ","), (",", "however", ",")]), *main]
    elif shape == "although":
        words = [random.choice(["although", "though", "while"]), *other, ",", *main]
    elif shape == "main although":
        words = [*main, *comma, random.choice(["although", "though"]), *other]
    elif shape == "despite":
        feeling = random.choice(PLEASED if random.random() < 0.5 else DISPLEASED)
        phrase = ["despite", "the", feeling, random.choice([*SINGULAR, *PLURAL])]
        words = [*phrase, ",", *main] if random.random() < 0.5 else [*main, *phrase]
    else:
        words = main
    if random.random() < 0.6:
        words = _opened(words)
    return [*words, "."] if random.random() < 0.6 else words, LABELS[pleased]


SHAPES = ("alone", "and", "neutral", "but", "however", "although", "main although", "despite")
WEIGHTS = (30, 10, 6, 22, 4, 12, 8, 8)
# At one half a word alone would say nothing of the label, and a model would be slow to find a first hold.
NEGATED = 0.35


def _opened(words: list[str]) -> list[str]:
    return [capital(words[0]), *words[1:]]


def _clause(random: random_module.Random, pleased: bool) -> list[str]:
    """A clause that says so, some by a negated word of the opposite feeling."""
    negated = random.random() < NEGATED
    word_pleased = pleased != negated
    kind = random.random()
    if kind < 0.5:
        return _being(random, word_pleased, negated)
    return _feeling(random, word_pleased, negated) if kind < 0.8 else _having(random, word_pleased, negated)


def _being(random: random_module.Random, pleased: bool, negated: bool) -> list[str]:
    """'the film was not very good'"""
    plural = random.random() < 0.2
    subject = ["it"] if not plural and random.random() < 0.2 else _thing(random, plural)
    be = random.choice(["were", "were", "are"] if plural else ["was", "was", "is"])
    degree = [random.choice(DEGREES)] if random.random() < 0.35 else []
    verb = [be, *degree]
    if negated:
        ways = [[be, "not", *degree], [CONTRACTED[be], "'", "t", *degree], [be, "never", *degree]]
        ways += [[be, "hardly", *degree], [be, "far", "from"], [be, "not", "at", "all"]]
        verb = random.choices(ways, [6, 5, 2, 1, 1, 1])[0]
    return [*subject, *verb, random.choice(PLEASED if pleased else DISPLEASED)]


def _feeling(random: random_module.Random, pleased: bool, negated: bool) -> list[str]:
    """'I did not like the film'"""
    verbs = PLEASED_VERBS if pleased else DISPLEASED_VERBS
    past = random.choice(list(verbs))
    object_ = ["it"] if random.random() < 0.3 else _thing(random, random.random() < 0.2)
    person = random.choice([one for one in PEOPLE if not (negated and one == "everyone")]).split()
    do = "does" if person in (["she"], ["he"], ["my", "sister"], ["everyone"]) else "do"
    if not negated:
        degree = ["really"] if random.random() < 0.2 else []
        now = do == "do" and random.random() < 0.4
        return [*person, *degree, verbs[past] if now else past, *object_]
    helped = random.choices([["did", "not"], ["didn", "'", "t"], [do, "not"], [do + "n", "'", "t"]], [3, 3, 2, 2])[0]
    ways = [[*person, *helped, verbs[past]], [*person, "never", past], ["nobody", past], [*person, "hardly", past]]
    ways += [[*person, "could", "not", verbs[past]], [*person, "couldn", "'", "t", verbs[past]]]
    return [*random.choices(ways, [12, 2, 2, 1, 1, 1])[0], *object_]


def _having(random: random_module.Random, pleased: bool, negated: bool) -> list[str]:
    """'the film had no charm', 'it had a dull plot'"""
    subject = ["it"] if random.random() < 0.3 else _thing(random, False)
    noun = random.choice(PLEASED_NOUNS if pleased else DISPLEASED_NOUNS)
    if negated:
        return [*subject, *random.choice([["had", "no"], ["has", "no"], ["lacked"], ["was", "without"]]), noun]
    if random.random() < 0.5:
        return [*subject, random.choice(["had", "has"]), noun]
    adjective = random.choice(PLEASED if pleased else DISPLEASED)
    article = "an" if adjective[0] in "aeiou" else "a"
    return [*subject, random.choice(["had", "has"]), article, adjective, random.choice(SINGULAR)]


def _thing(random: random_module.Random, plural: bool) -> list[str]:
    if plural:
        return ["the", random.choice(PLURAL)]
    return [random.choice(["the", "the", "this"]), random.choice(SINGULAR)]
