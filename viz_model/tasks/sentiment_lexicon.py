"""The words of the sentiment task, by what they do in a sentence."""

from __future__ import annotations

from viz_model.tasks.typed import capital, listed

PLEASED = listed(
    """good great brilliant wonderful charming funny clever moving excellent superb delightful fresh
    gripping beautiful lovely touching exciting warm witty perfect enjoyable entertaining impressive
    memorable original strong fantastic amazing pleasant magical convincing thrilling inspiring fun
    outstanding"""
)
DISPLEASED = listed(
    """bad dull boring awful terrible weak poor slow silly clumsy dreadful horrible stupid tedious flat
    predictable annoying ugly lazy messy confusing forgettable shallow cold disappointing painful
    pointless ridiculous lifeless tired empty tiresome bland mediocre"""
)
# past and base form
PLEASED_VERBS = dict(
    loved="love", liked="like", enjoyed="enjoy", admired="admire", adored="adore", praised="praise",
    recommended="recommend", appreciated="appreciate",
)  # fmt: skip
DISPLEASED_VERBS = dict(
    hated="hate", disliked="dislike", despised="despise", detested="detest", regretted="regret", loathed="loathe"
)
PLEASED_NOUNS = listed("charm wit warmth magic style depth talent beauty humour")
DISPLEASED_NOUNS = listed("flaws problems mistakes nonsense weaknesses errors faults noise")

SINGULAR = listed(
    """film movie story plot acting cast ending music script dialogue book novel play show series song
    concert meal food service hotel room staff restaurant director actor actress camera picture game
    album coffee"""
)
PLURAL = listed("actors songs jokes characters rooms effects scenes chapters waiters pictures")
PEOPLE = (
    "I",
    "we",
    "they",
    "everyone",
    "my sister",
    "my friends",
    "the audience",
    "the critics",
    "people",
    "she",
    "he",
)
DEGREES = listed("very really quite rather so extremely truly absolutely pretty too")

# Each turns what follows it round; of a contraction ("didn't") it is the first of its three tokens.
NEGATIONS = frozenset(listed("not never hardly nobody no lacked without far didn don doesn wasn weren isn aren couldn"))
CONTRACTED = {"was": "wasn", "were": "weren", "is": "isn", "are": "aren", "did": "didn", "do": "don", "could": "couldn"}

# What comes after one of the first decides; what one of the second opens, up to a comma, does not.
TURNS = ("but", "however", "yet")
CONCESSIONS = ("although", "though", "despite", "while")

NEUTRAL = (
    "I saw it yesterday", "we watched it on Monday", "my sister bought it", "I read it last week",
    "it lasted two hours", "we went there on Friday", "they showed it on Sunday", "it was about a family",
    "he told me about it", "it began at eight", "she took me there", "it was my first time there",
)  # fmt: skip

LABELS = ("negative", "positive")
SIGNS: dict[str, int] = {
    **dict.fromkeys([*PLEASED, *PLEASED_VERBS, *PLEASED_VERBS.values(), *PLEASED_NOUNS], 1),
    **dict.fromkeys([*DISPLEASED, *DISPLEASED_VERBS, *DISPLEASED_VERBS.values(), *DISPLEASED_NOUNS], -1),
}


def vocabulary() -> tuple[str, ...]:
    """All words and marks, the labels first; those that can begin a sentence also with a capital."""
    others = listed("this it was were is are did do does could had has a an the all at from and . , ' t")
    words = {
        *SIGNS, *SINGULAR, *PLURAL, *DEGREES, *NEGATIONS, *CONTRACTED, *TURNS, *CONCESSIONS, *others,
        *" ".join((*PEOPLE, *NEUTRAL)).split(),
    }  # fmt: skip
    openers = [
        "the",
        "this",
        "it",
        "nobody",
        *TURNS,
        *CONCESSIONS,
        *(phrase.split()[0] for phrase in (*PEOPLE, *NEUTRAL)),
    ]
    return (*LABELS, *sorted(words | {capital(word) for word in openers}))
