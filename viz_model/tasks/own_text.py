"""Learning from your own text: four objectives on windows of it, and texts that every Python carries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, islice

import torch
from torch import Tensor

from viz_model.tasks import objectives
from viz_model.tasks.task import Batch
from viz_model.tasks.text_sources import python_source, python_topics
from viz_model.tasks.windows import WindowTask
from viz_model.tokenizer import Specials

__all__ = ["OBJECTIVES", "AfterPrefix", "Denoising", "HiddenTokens", "NextToken", "OwnText", "own_text"]
__all__ += ["python_source", "python_topics", "usual_vocabulary"]

SEED_HELD_OUT = 2
# Sentinels are characters that the text does not have: circled numbers if they can be, else from the private areas.
MARKERS = (range(0x2460, 0x2474), range(0xE000, 0xF900), range(0xF0000, 0xFFFFE), range(0x100000, 0x10FFFE))
UNUSED_BYTES = (0xC0, 0xC1, *range(0xF5, 0x100))  # bytes that no UTF-8 text has (The Unicode Standard, table 3-7)


class NextToken(WindowTask):
    """Each position says which token comes next."""

    name, title = "own-text-causal", "Your own text: the next token"
    about = "Windows of a text; each token is to be told from those before it."
    metric = "next tokens told right"

    def ask(self, rows: Tensor, generator: torch.Generator | None) -> Batch:
        framed = self.framed(rows)
        return objectives.next_token(framed, torch.ones_like(framed, dtype=torch.bool))

    def n_asked_characters(self) -> int:
        return sum(self.widths)


class AfterPrefix(WindowTask):
    """A prefix of random length is read from both sides; what follows it is told token by token.

    `present` of its batches is the whole mask (see `objectives.after_prefix`).
    """

    name, title = "own-text-prefix", "Your own text: after a prefix"
    about = "Windows of a text; the beginning is read freely, the rest is to be told token by token."
    metric = "next tokens told right"

    def ask(self, rows: Tensor, generator: torch.Generator | None) -> Batch:
        """Without a generator the prefix is the first half."""
        n, size = rows.shape[1], (len(rows),)
        lengths = torch.full(size, n // 2) if generator is None else torch.randint(1, n, size, generator=generator)
        return objectives.after_prefix(self.framed(rows), lengths + 1)  # the begin token is of the prefix

    def n_asked_characters(self) -> int:
        return sum(width for at, width in enumerate(self.widths) if at % self.window >= self.window // 2)


class HiddenTokens(WindowTask):
    """Some tokens are hidden and told from both sides."""

    name, title, kind = "own-text-masked", "Your own text: hidden tokens", "encoder"
    about = "Windows of a text with one token in seven hidden, to be told from both sides."
    metric, specials = "hidden tokens told right", Specials.masked()

    def ask(self, rows: Tensor, generator: torch.Generator | None) -> Batch:
        framed = self.framed(rows, end=True)
        return objectives.masked(
            framed,
            torch.ones_like(framed, dtype=torch.bool),
            generator or torch.Generator().manual_seed(SEED_HELD_OUT),
            mask_id=self.special("mask"),
            n_specials=len(self.specials.names),
            vocab_size=self.tokenizer.vocab_size,
        )


class Denoising(WindowTask):
    """Spans of the text are taken out, each leaves a sentinel; the decoder writes what was there.

    `sentinels`: their ids, in the order of use. They are entries of the vocabulary that the text itself never has.
    """

    name, title, kind = "own-text-denoising", "Your own text: lost spans", "encoder-decoder"
    about = "Windows of a text from which spans were taken out, about three tokens each; they are to be written."
    metric = "tokens of the lost spans told right"

    def ask(self, rows: Tensor, generator: torch.Generator | None) -> Batch:
        return objectives.corrupt_spans(
            rows,
            generator or torch.Generator().manual_seed(SEED_HELD_OUT),
            sentinels=self.sentinels,
            begin_id=self.special("begin"),
            end_id=self.special("end"),
        )

    def extra_texts(self, kind: str, vocab_size: int | None) -> Iterable[str]:
        """Texts that bring the sentinels into the vocabulary, often enough to be among the `vocab_size` commonest."""
        often = 1 if vocab_size is None else self.cut // vocab_size + 2
        self.markers = () if kind == "byte-bpe" else tuple(islice(self._absent(), self._n_sentinels()))
        return self.markers * often

    def prepare(self) -> None:
        names = self.markers or tuple(f"‹{byte:02X}›" for byte in UNUSED_BYTES)[: self._n_sentinels()]
        ids = [i for name in names if (i := self.tokenizer.id(name)) is not None]
        if len(ids) < self._n_sentinels():
            raise ValueError(
                f"window: expected fewer than {self.window} tokens, whose spans need {self._n_sentinels()} "
                f"sentinels, or a larger vocabulary, got {len(ids)} of them."
            )
        self.sentinels = torch.tensor(ids)

    def _n_sentinels(self) -> int:
        return objectives.span_sizes(self.window)[1] + 1

    def _absent(self) -> Iterable[str]:
        used = set(self.text)
        return (char for char in map(chr, chain(*MARKERS)) if char not in used)


OBJECTIVES: dict[str, type[WindowTask]] = {
    "causal": NextToken,
    "masked": HiddenTokens,
    "prefix": AfterPrefix,
    "denoising": Denoising,
}


def own_text(
    text: str | bytes,
    *,
    objective: str = "causal",
    tokenizer: str = "character",
    vocab_size: int | None = None,
    window: int = 64,
) -> WindowTask:
    """A task made from any text: pasted (str) or a file's bytes, in any script, at most 2 MB.

    objective   "causal", "masked" (Devlin et al., 2019), "prefix" or "denoising" (Raffel et al., 2020)
    tokenizer   a kind of `Tokenizer.train`, which learns it from the part of the text that trains
    vocab_size  the most entries; None: every character, 4096 words, 512 for sub-words
    window      tokens of an example; a model needs two positions more
    ValueError  one plain sentence: too long, not UTF-8, binary, empty, or too short for ten windows; a bad parameter
    """
    if objective not in OBJECTIVES:
        raise ValueError(f"objective: expected one of {', '.join(OBJECTIVES)}, got {objective!r}.")
    return OBJECTIVES[objective](text, tokenizer=tokenizer, vocab_size=vocab_size, window=window)


def usual_vocabulary(text: str, tokenizer: str) -> int | None:
    """Entries for a text of any script: 512 sub-words, or its letters and 256 more; None: as many as it takes.

    Chinese alone has more letters than 512, and WordPiece holds each twice: alone and as a continuation.
    """
    if tokenizer not in ("byte-bpe", "wordpiece", "unigram"):
        return None
    times = {"wordpiece": 2, "unigram": 1}.get(tokenizer, 0)  # bytes have no letters
    return max(512, times * len(set(text)) + 256)


@dataclass(frozen=True, slots=True)
class OwnText:
    """What `own_text` makes a task of, as data that can be kept in a file."""

    text: str
    objective: str = "causal"
    tokenizer: str = "character"
    vocab_size: int | None = None
    window: int = 64

    def task(self) -> WindowTask:
        """Raises ValueError, as `own_text` does."""
        return own_text(
            self.text,
            objective=self.objective,
            tokenizer=self.tokenizer,
            vocab_size=self.vocab_size,
            window=self.window,
        )
