"""Summarising: of a few sentences one says that it matters, and the summary is that sentence made short.

The rule: the sentence that a phrase of `MARKERS` opens is kept ("Most importantly, the old farmer sold the brown horse
last week."), all others go. Of the one kept the marker, the adjectives, the adverb and the time go: "The farmer sold
the horse." Other sentences may open with a phrase of `LINKS`, so that a comma alone means nothing.
"""

from __future__ import annotations

import random as random_module
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor

from viz_model.tasks.summarising_sentences import (
    KEPT,
    LINKS,
    MARKERS,
    NAMES,
    PEOPLE,
    is_marked,
    sentences_of,
    shortened,
    vocabulary,
    write,
)
from viz_model.tasks.task import Batch, Expected, ModelKind, Probe, pad
from viz_model.tasks.typed import N_TRAINING, Rows, TypedTask, capital, spell, split
from viz_model.tokenizer import Specials, Tokenizer

FEWEST, MOST = 2, 5  # sentences


@dataclass(frozen=True, slots=True)
class Summary:
    """A text and its summary. sources: the place in the text of each word of the summary, counted from 0."""

    words: tuple[str, ...]
    summary: tuple[str, ...]
    sources: tuple[int, ...]


def summarise(text: str) -> Summary | None:
    """The summary of a typed text by the rule above; None for a text that is not of this task's sentences, or that has
    no sentence that matters, or two."""
    sentences = sentences_of(split(text))
    kept = [shortened(sentence) for sentence in sentences]
    if not sentences or any(one is None for one in kept):
        return None
    marked = [i for i, sentence in enumerate(sentences) if is_marked(sentence)]
    if len(marked) != 1:
        return None
    before = sum(map(len, sentences[: marked[0]]))
    places = kept[marked[0]] or []
    words = tuple(word for sentence in sentences for word in sentence)
    sources = tuple(before + place for place in places)
    found = [words[place] for place in sources]
    return Summary(words, (capital(found[0]), *found[1:]), sources)


def clean(text: str) -> str:
    """A typed text as the model knows it: sentences and names begin with a capital, a full stop ends each."""
    return " ".join(spell(sentence) for sentence in sentences_of(split(text)))


class Summarising(TypedTask[Summary]):
    """Reads a few sentences, writes the one that matters, made short.

    The decoder reads [BOS] and the summary, and is asked the summary and [EOS]: at each place the token after.
    """

    name: ClassVar[str] = "summarising"
    title: ClassVar[str] = "Summarising"
    about: ClassVar[str] = "Of several sentences find the one that says it matters, and copy it without its trimmings."
    metric: ClassVar[str] = "whole summaries right"
    kind: ClassVar[ModelKind] = "encoder-decoder"
    watched: ClassVar[str] = (
        "The tall nurse waited near the station. Above all, the old farmer quietly sold the brown horse on Monday. "
        "Later, Emma danced in the garden."
    )

    def __init__(self, n_training: int = N_TRAINING) -> None:
        super().__init__(n_training)
        self.tokenizer = Tokenizer.from_words(vocabulary(), Specials())

    def draw(self, random: random_module.Random) -> Summary:
        n = random.randint(FEWEST, MOST)
        matters = random.randrange(n)
        subjects = random.sample([*NAMES, *PEOPLE, *PEOPLE], MOST)
        words: list[str] = []
        summary: tuple[list[str], list[int]] = ([], [])
        for i in range(n):
            opening = random.choice(MARKERS) if i == matters else random.choice(LINKS) if random.random() < 0.5 else []
            sentence, kept = write(random, subjects[i])
            if i == matters:
                places = [len(words) + len(opening) + place for place in kept]
                summary = [sentence[place] for place in kept], places
            whole = [*opening, *sentence]
            words += [capital(whole[0]), *whole[1:]]
        return Summary(tuple(words), (capital(summary[0][0]), *summary[0][1:]), tuple(summary[1]))

    def text(self, example: Summary) -> str:
        return spell(example.words)

    def read(self, text: str) -> Summary | None:
        return summarise(text)

    def probe(self) -> tuple[Probe, Batch]:
        probe, batch = super().probe()
        assert batch.target_ids is not None
        example = summarise(probe.text)
        assert example is not None
        target = tuple(self.tokenizer.token(i) for i in batch.target_ids[0].tolist())
        return Probe(probe.text, probe.tokens, spell(example.summary), target), batch

    def rows(self, examples: Sequence[Summary]) -> Rows:
        (pad_id,) = self.ids(["[PAD]"])
        ids, present = pad([self.ids(["[BOS]", *one.words]) for one in examples], pad_id)
        target, written = pad([self.ids(["[BOS]", *one.summary]) for one in examples], pad_id)
        answers, _ = pad([self.ids([*one.summary, "[EOS]"]) for one in examples], pad_id)
        return Rows(ids, present, written, answers, target, written)

    def expected(self, batch: Batch) -> tuple[Expected, ...]:
        """Cross-attention, aligned to the prediction: the position that is about to write a word of `KEPT` reads that
        word in the text. "The" and the full stop can be written without looking, and have no right key; nor has a
        target that is not the summary of its text.
        """
        assert batch.target_ids is not None
        keys = torch.zeros(len(batch.ids), batch.target_ids.shape[1], batch.ids.shape[1], dtype=torch.bool)
        lengths = batch.asked.sum(1).tolist()
        for row, words in enumerate(self.words(batch)):
            found = summarise(spell(words))
            if found is None or self.ids(found.summary) != batch.target_ids[row, 1 : lengths[row]].tolist():
                continue
            for query, (word, place) in enumerate(zip(found.summary, found.sources, strict=True)):
                keys[row, query, 1 + place] = word in KEPT
        return (Expected("the word to copy", keys, "cross", "decoder"),)

    def figures(self, model: Any) -> dict[str, float]:
        return {
            self.metric: self.accuracy(model),
            "cross-attention on the word to copy, best head": float(self.copying(model).max()),
        }

    @torch.inference_mode()
    def copying(self, model: Any, n: int = 200) -> Tensor:
        """Mean weight of each head of cross-attention on the word to copy, [layer, head], on n held-out texts."""
        batch = self.encode(self.held_out_examples[:n])
        (expected,) = self.expected(batch)
        has_key = expected.keys.any(2)
        blocks = model(batch.ids, batch.target_ids, batch.present, batch.target_present).decoder.blocks
        on_key = [(block.cross_attention.weights * expected.keys[:, None]).sum(-1) for block in blocks]
        return torch.stack([weight.transpose(1, 2)[has_key].mean(0) for weight in on_key])
