"""Facts and questions of the question-answering task: their words, how they are drawn, and how typed ones are read.

There are five kinds of fact: who is in which room, where a thing lies, who has which thing, what colour a thing has,
and who likes which food.
"""

from __future__ import annotations

import random as random_module
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from viz_model.tasks.typed import capital, listed

NAMES = listed("Anna Ben Clara David Emma Frank Grace Henry Kate Leo Maria Paul")
ROOMS = listed("garden kitchen house school library park station office market church")
THINGS = listed("key book lamp ball clock hat bag ring letter map knife umbrella")
SPOTS = listed("table bed shelf desk door window sofa bench carpet piano wall stairs")
PLACED = listed("on under behind beside")
COLOURS = listed("red blue green yellow black white brown grey pink orange")
FOODS = listed("apples bread cheese soup rice honey fish tea coffee cake")


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact: its words, and the questions to it as words, each with the (first, last) of its answer in the fact
    and the place in the fact of what the question is about."""

    words: tuple[str, ...]
    questions: tuple[tuple[tuple[str, ...], tuple[int, int], int], ...]


def vocabulary() -> tuple[str, ...]:
    """All words and marks of the task."""
    others = listed("is in the has a does have likes like Who What Where colour The . ?")
    return tuple(dict.fromkeys([*others, *NAMES, *ROOMS, *THINGS, *SPOTS, *PLACED, *COLOURS, *FOODS, "an"]))


def _in_room(name: str, room: str) -> Fact:
    return Fact((name, "is", "in", "the", room, "."), ((("Where", "is", name, "?"), (2, 4), 0),))


def _on_spot(thing: str, placed: str, spot: str) -> Fact:
    return Fact(("The", thing, "is", placed, "the", spot, "."), ((("Where", "is", "the", thing, "?"), (3, 5), 1),))


def _has(name: str, colour: str, thing: str) -> Fact:
    return Fact(
        (name, "has", _article(colour), colour, thing, "."),
        (
            (("What", "does", name, "have", "?"), (2, 4), 0),
            (("Who", "has", _article(thing), thing, "?"), (0, 0), 4),
            (("What", "colour", "is", "the", thing, "?"), (3, 3), 4),
        ),
    )


def _coloured(thing: str, colour: str) -> Fact:
    return Fact(("The", thing, "is", colour, "."), ((("What", "colour", "is", "the", thing, "?"), (3, 3), 1),))


def _likes(name: str, food: str) -> Fact:
    return Fact(
        (name, "likes", food, "."),
        ((("What", "does", name, "like", "?"), (2, 2), 0), (("Who", "likes", food, "?"), (0, 0), 2)),
    )


Draw = Callable[[random_module.Random, list[str], list[str]], Fact]
KINDS: tuple[Draw, ...] = (
    lambda random, people, things: _in_room(random.choice(people), random.choice(ROOMS)),
    lambda random, people, things: _on_spot(random.choice(things), random.choice(PLACED), random.choice(SPOTS)),
    lambda random, people, things: _has(random.choice(people), random.choice(COLOURS), random.choice(things)),
    lambda random, people, things: _coloured(random.choice(things), random.choice(COLOURS)),
    lambda random, people, things: _likes(random.choice(people), random.choice(FOODS)),
)


def read_fact(words: Sequence[str]) -> Fact | None:
    """The fact that a sentence states; None for one of another form."""
    match list(words):
        case [name, "is", "in", "the", room, "."] if name in NAMES and room in ROOMS:
            return _in_room(name, room)
        case ["The", thing, "is", placed, "the", spot, "."] if thing in THINGS and placed in PLACED and spot in SPOTS:
            return _on_spot(thing, placed, spot)
        case [name, "has", "a" | "an", colour, thing, "."] if name in NAMES and colour in COLOURS and thing in THINGS:
            return _has(name, colour, thing)
        case ["The", thing, "is", colour, "."] if thing in THINGS and colour in COLOURS:
            return _coloured(thing, colour)
        case [name, "likes", food, "."] if name in NAMES and food in FOODS:
            return _likes(name, food)
    return None


def place_asked(words: Sequence[str]) -> int | None:
    """The place in a question of what it is about; None for a question of another form."""
    match list(words):
        case ["Where", "is", name, "?"] if name in NAMES:
            return 2
        case ["Where", "is", "the", thing, "?"] if thing in THINGS:
            return 3
        case ["What", "does", name, "have" | "like", "?"] if name in NAMES:
            return 2
        case ["Who", "has", article, thing, "?"] if thing in THINGS and article == _article(thing):
            return 3
        case ["What", "colour", "is", "the", thing, "?"] if thing in THINGS:
            return 4
        case ["Who", "likes", food, "?"] if food in FOODS:
            return 2
    return None


def sentences_of(words: Sequence[str]) -> list[list[str]] | None:
    """Sentences with a capital in front and in names, and a mark behind; None for a mark without a sentence."""
    sentences: list[list[str]] = [[]]
    for word in words:
        low = word.lower()
        sentences[-1].append(capital(low) if capital(low) in NAMES else low)
        if word in ".?":
            sentences.append([])
    sentences = sentences if sentences[-1] else sentences[:-1]
    if not sentences or any(sentence[0] in ".?" for sentence in sentences):
        return None
    if sentences[-1][-1] not in ".?":
        sentences[-1].append("?" if sentences[-1][0] in ("where", "what", "who") else ".")
    return [[capital(sentence[0]), *sentence[1:]] for sentence in sentences]


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"
