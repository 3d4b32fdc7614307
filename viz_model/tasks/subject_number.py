"""One or several? Labelled sentences of the English grammar in which no form of a verb tells the number of the subject.

What is asked is the number of the word that acts: "The keys to the cabinet fell" is about several. Each sentence has a
noun of the other number too, so that a plural somewhere says nothing.
"""

from __future__ import annotations

import random as random_module
from collections.abc import Sequence
from dataclasses import dataclass

from viz_model.tasks import english
from viz_model.tasks.english_lexicon import NOUNS
from viz_model.tasks.task import Batch, pad
from viz_model.tokenizer import Tokenizer

LABELS = ("one", "several")
SEED = 77  # another one than that of any corpus a model was pretrained on


@dataclass(frozen=True, slots=True)
class Labelled:
    """A sentence, the place of its subject (0 = the first word), and 0 for one or 1 for several."""

    words: tuple[str, ...]
    subject: int
    label: int

    def __str__(self) -> str:
        return " ".join(self.words).replace(" .", ".")


def noun_numbers() -> dict[str, int]:
    """Every countable noun of the grammar in both forms: 0 for the singular, 1 for the plural."""
    forms = [word.partition("/") for words in NOUNS.values() for word in words.split()]
    return {form: n for one, _, many in forms for n, form in enumerate((one, many or f"{one}s"))}


NUMBERS = noun_numbers()


def labelled(sentence: english.Sentence) -> Labelled | None:
    """The sentence with its label; None where a verb tells it, where it is not a noun's, or where nothing misleads."""
    subjects = {relation.key for relation in sentence.relations if relation.kind == "subject-verb"}
    if sentence.agreement or len(subjects) != 1 or "and" in sentence.words:
        return None
    (place,) = subjects
    number = NUMBERS.get(sentence.words[place].lower())
    if number is None or 1 - number not in {NUMBERS.get(word.lower()) for word in sentence.words}:
        return None
    return Labelled(sentence.words, place, number)


def examples(n: int, seed: int = SEED, seen: Sequence[english.Sentence] = ()) -> list[Labelled]:
    """n different sentences, half of either label, none of them in `seen`; the same for a seed."""
    random = random_module.Random(seed)
    known = {plain(sentence.words) for sentence in seen}
    found: tuple[list[Labelled], list[Labelled]] = ([], [])
    while min(map(len, found)) < (n + 1) // 2:
        one = labelled(english.sample(random))
        if one is not None and plain(one.words) not in known:
            known.add(plain(one.words))
            found[one.label].append(one)
    mixed = [one for pair in zip(*found, strict=False) for one in pair][:n]
    random.shuffle(mixed)
    return mixed


def plain(words: Sequence[str]) -> tuple[str, ...]:
    """The words without what the way of writing adds: a first capital, a last full stop."""
    spelt = words[:-1] if words[-1] == "." else words
    return (spelt[0].lower(), *spelt[1:])


def as_batch(chosen: Sequence[Labelled], tokenizer: Tokenizer) -> Batch:
    """Sentences between the tokenizer's begin and end; what is asked is the label, at the begin token."""
    rows = [list(tokenizer.encode(" ".join(one.words)).ids) for one in chosen]
    pad_id = tokenizer.special_ids.pad
    if pad_id is None:
        raise ValueError("tokenizer: expected one with a padding token, got one without.")
    ids, present = pad(rows, pad_id)
    asked = present.new_zeros(present.shape)
    asked[:, 0] = True
    return Batch(ids, present, asked, ids.new_tensor([one.label for one in chosen]))
