"""Sentences of the summarising task: their words, how they are drawn, how typed ones are read and made short."""

from __future__ import annotations

import random as random_module
from collections.abc import Sequence

from viz_model.tasks.typed import capital, listed

MARKERS = tuple(
    map(str.split, ("most importantly ,", "above all ,", "the main point :", "remember :", "in short ,", "note that"))
)
LINKS = tuple(map(str.split, ("also ,", "meanwhile ,", "later ,", "after that ,", "as usual ,", "by the way ,")))
NAMES = listed("Anna Ben Clara David Emma Frank Grace Henry")
PEOPLE = listed(
    """farmer teacher doctor sailor painter baker child girl boy neighbour driver nurse singer king queen
    mayor student soldier thief gardener"""
)
THINGS = listed(
    """horse boat letter book house car lamp picture ring clock table cake coat garden bicycle bridge
    basket piano key map"""
)
DOES = listed(
    """sold bought found lost painted cleaned repaired took kept broke moved drew washed hid showed opened
    borrowed"""
)
GOES = listed("slept worked waited sang danced sat stood rested played cried")
WHERE = listed("in near behind beside under")
PLACES = listed("house garden church school station market park bridge kitchen harbour forest hotel")
OF_PEOPLE = listed("old young tall happy sad quiet rich poor clever famous")
OF_THINGS = listed("old new big small red blue green white brown strange")
ADVERBS = listed("quietly quickly slowly finally suddenly carefully happily soon")
TIMES = tuple(
    map(str.split, ("yesterday", "on Monday", "last week", "this morning", "last night", "on Sunday", "after lunch"))
)
KEPT = frozenset([*NAMES, *PEOPLE, *THINGS, *DOES, *GOES, *WHERE, *PLACES])  # what only the text can tell


def vocabulary() -> tuple[str, ...]:
    """All words and marks of the task, those that only begin a sentence with a capital alone."""
    phrases = [word for phrase in (*MARKERS, *LINKS) for word in (capital(phrase[0]), *phrase[1:])]
    times = [word for phrase in TIMES for word in phrase]
    lists = (NAMES, PEOPLE, THINGS, DOES, GOES, WHERE, PLACES, OF_PEOPLE, OF_THINGS, ADVERBS)
    return tuple(dict.fromkeys([".", "the", "The", *phrases, *times, *(word for words in lists for word in words)]))


def write(random: random_module.Random, subject: str) -> tuple[list[str], list[int]]:
    """A sentence, its first word in lower case, and the places in it that a summary keeps."""
    words: list[str] = []
    kept: list[int] = []

    def keep(*added: str) -> None:
        kept.extend(range(len(words), len(words) + len(added)))
        words.extend(added)

    def thing(noun: str, adjectives: Sequence[str] = OF_THINGS) -> None:
        keep("the")
        if random.random() < 0.5:
            words.append(random.choice(adjectives))
        keep(noun)

    if subject in NAMES:
        keep(subject)
    else:
        thing(subject, OF_PEOPLE)
    if random.random() < 0.3:
        words.append(random.choice(ADVERBS))
    if random.random() < 0.6:
        keep(random.choice(DOES))
        thing(random.choice(THINGS))
    else:
        keep(random.choice(GOES), random.choice(WHERE))
        thing(random.choice(PLACES))
    if random.random() < 0.4:
        words.extend(random.choice(TIMES))
    keep(".")
    return words, kept


def is_marked(sentence: Sequence[str]) -> bool:
    return any(_opens(sentence, phrase) for phrase in MARKERS)


def _opens(sentence: Sequence[str], phrase: Sequence[str]) -> bool:
    return [word.lower() for word in sentence[: len(phrase)]] == list(phrase)


def shortened(sentence: Sequence[str]) -> list[int] | None:
    """The places that a summary of the sentence keeps; None for a sentence that the task does not make."""
    start = next((len(phrase) for phrase in (*MARKERS, *LINKS) if _opens(sentence, phrase)), 0)
    place, kept = start, list[int]()

    def take(*choices: Sequence[str]) -> bool:
        """Keeps the next words if each is one of its choices."""
        nonlocal place
        taken = [word.lower() if word == "The" else word for word in sentence[place : place + len(choices)]]
        if len(taken) < len(choices) or any(word not in among for word, among in zip(taken, choices, strict=True)):
            return False
        kept.extend(range(place, place + len(choices)))
        place += len(choices)
        return True

    def skip(among: Sequence[str]) -> None:
        nonlocal place
        place += place < len(sentence) and sentence[place] in among

    def thing(nouns: Sequence[str]) -> bool:
        if not take(("the",)):
            return False
        skip((*OF_PEOPLE, *OF_THINGS))
        return take(nouns)

    if not (take(NAMES) or thing(PEOPLE)):
        return None
    skip(ADVERBS)
    if not (thing(THINGS) if take(DOES) else take(GOES, WHERE) and thing(PLACES)):
        return None
    place += next((len(time) for time in TIMES if list(sentence[place : place + len(time)]) == time), 0)
    return kept if take((".",)) and place == len(sentence) else None


def sentences_of(words: Sequence[str]) -> list[list[str]]:
    """Sentences with a capital in front and in names and days, a full stop behind each."""
    sentences: list[list[str]] = [[]]
    for word in words:
        low = word.lower()
        sentences[-1].append(capital(low) if capital(low) in (*NAMES, "Monday", "Sunday") else low)
        if word == ".":
            sentences.append([])
    sentences = sentences if sentences[-1] else sentences[:-1]
    if sentences and sentences[-1][-1] != ".":
        sentences[-1].append(".")
    return [[capital(sentence[0]), *sentence[1:]] for sentence in sentences]
