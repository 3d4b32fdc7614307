"""What the tasks on typed text share: a corpus of written examples, and the rule that keeps some of them from training.

Examples are made once, by a generator of the task's own, and batches draw from them. Which text is held out is a
property of the text, so that no draw can train on what another holds out.
"""

from __future__ import annotations

import random as random_module
import re
import zlib
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

import torch
from torch import Tensor

from viz_model.tasks.task import Batch, Probe, Task, pad

N_TRAINING, N_HELD_OUT = 20_000, 1_000
SEED_TRAINING, SEED_HELD_OUT = 1, 2
ONE_IN = 10  # of all possible texts, one in so many is never trained on

E = TypeVar("E")


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Many examples, padded to one width; answers as wide as `asked`, of which only the asked ones count.

    What is asked are positions (of the target, where there is one), or with `points` the start and the end of a span.
    """

    ids: Tensor  # [example, position]
    present: Tensor  # [example, position]  bool
    asked: Tensor  # [example, question]  bool
    answers: Tensor  # [example, question]
    target_ids: Tensor | None = None  # [example, target position]
    target_present: Tensor | None = None  # [example, target position]  bool
    points: bool = False

    def batch(self, chosen: Tensor | slice = slice(None)) -> Batch:
        """The chosen examples, without the padding that none of them needs."""
        present, asked, answers = self.present[chosen], self.asked[chosen], self.answers[chosen]
        width = int(present.sum(1).max())
        ids, present = self.ids[chosen][:, :width], present[:, :width]
        if self.target_ids is None or self.target_present is None:
            if not self.points:
                asked, answers = asked[:, :width], answers[:, :width]
            return Batch(ids, present, asked, answers[asked])
        written = self.target_present[chosen]
        width = int(written.sum(1).max())
        asked, answers = asked[:, :width], answers[:, :width]
        return Batch(ids, present, asked, answers[asked], self.target_ids[chosen][:, :width], written[:, :width])


class TypedTask(Task, Generic[E]):
    """Examples of type E are drawn by Python's own generator from a fixed seed, each once its text is told apart."""

    watched: ClassVar[str]  # the text of the watched example; never trained on

    def __init__(self, n_training: int = N_TRAINING) -> None:
        self.n_training = n_training

    @abstractmethod
    def draw(self, random: random_module.Random) -> E:
        """Any example, held-out ones among them."""

    @abstractmethod
    def text(self, example: E) -> str:
        """What a person would type to get the example."""

    @abstractmethod
    def read(self, text: str) -> E | None:
        """The example that a typed text is, with its right answer; None for a text that the task does not make."""

    @abstractmethod
    def rows(self, examples: Sequence[E]) -> Rows:
        """Examples as the model reads them."""

    def examples(self, n: int, seed: int, *, held_out: bool) -> list[E]:
        """n examples of either side, the same for a seed; held-out ones are all different."""
        random, found = random_module.Random(seed), list[E]()
        seen: set[str] = set()
        while len(found) < n:
            example = self.draw(random)
            core = plain(self.text(example))
            if self._is_held_out(core) == held_out and not (held_out and core in seen):
                seen.add(core)
                found.append(example)
        return found

    def encode(self, examples: Sequence[E]) -> Batch:
        """Examples as a batch."""
        return self.rows(examples).batch()

    def batch(self, size: int, generator: torch.Generator) -> Batch:
        return self._training.batch(torch.randint(len(self._training.ids), (size,), generator=generator))

    def held_out(self) -> Batch:
        return self._held_out

    @cached_property
    def held_out_examples(self) -> list[E]:
        return self.examples(N_HELD_OUT, SEED_HELD_OUT, held_out=True)

    def probe(self) -> tuple[Probe, Batch]:
        example = self.read(self.watched)
        assert example is not None
        batch = self.encode([example])
        tokens = tuple(self.tokenizer.token(i) for i in batch.ids[0].tolist())
        return Probe(self.watched, tokens), batch

    def words(self, batch: Batch) -> list[list[str]]:
        """The words of each text of a batch, without the special tokens."""
        n_specials, names = len(self.tokenizer.specials.names), self.tokenizer.tokens
        return [[names[i] for i in ids if i >= n_specials] for ids in batch.ids.tolist()]

    def ids(self, words: Sequence[str]) -> list[int]:
        """The ids of words and special tokens; KeyError for another."""
        return [self._by_word[word] for word in words]

    def framed(self, texts: Sequence[Sequence[str]]) -> tuple[Tensor, Tensor]:
        """Each text between [CLS] and [SEP]: ids [example, position], padded, and which entries are tokens (bool)."""
        return pad([self.ids(["[CLS]", *words, "[SEP]"]) for words in texts], self.ids(["[PAD]"])[0])

    def shares_right(self, model: Any, groups: dict[str, Sequence[E]]) -> dict[str, float]:
        """The model's accuracy on each named group of examples."""
        return {name: self.accuracy(model, self.encode(group)) for name, group in groups.items()}

    @cached_property
    def _by_word(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.tokenizer.tokens)}

    @cached_property
    def _training(self) -> Rows:
        return self.rows(self.examples(self.n_training, SEED_TRAINING, held_out=False))

    @cached_property
    def _held_out(self) -> Batch:
        return self.encode(self.held_out_examples)

    def _is_held_out(self, core: str) -> bool:
        return core == plain(self.watched) or zlib.crc32(core.encode()) % ONE_IN == 0


def plain(text: str) -> str:
    """A text without what is no matter of its words: capitals, and a last full stop."""
    return text.lower().removesuffix(".").strip()


def split(text: str) -> list[str]:
    """The words of a typed text; a punctuation mark is a word of its own, as to a word-level `Tokenizer`."""
    return re.findall(r"\w+|[^\w\s]", text.replace("’", "'"))


def spell(words: Sequence[str]) -> str:
    """Words as a line of text: 'it didn ' t end .' becomes "it didn't end."."""
    return re.sub(r" ([.,?:])", r"\1", " ".join(words)).replace(" ' ", "'")


def listed(text: str) -> tuple[str, ...]:
    """The words between the white space of a text."""
    return tuple(text.split())


def capital(word: str) -> str:
    """A word as a sentence begins with it."""
    return word[:1].upper() + word[1:]
