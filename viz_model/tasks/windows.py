"""Any text as a task: a tokenizer made for it, and random windows of it as training examples.

The last tenth of the text is held out: no window of training reaches into it, and the tokenizer has not read it.
"""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections.abc import Iterable
from functools import cached_property
from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor

from viz_model.tasks.n_gram import n_gram_bits
from viz_model.tasks.task import Batch, Probe, Task
from viz_model.tasks.text_sources import read_text
from viz_model.tokenizer import Specials, Tokenizer

HELD_OUT_SHARE, MOST_HELD_OUT = 0.1, 40_000  # characters: enough for a figure, and read in seconds
N_HELD_OUT = 128  # windows that `held_out` gives; the figures are of all of them
WATCHED = 32  # tokens of the watched example, at most
MOST_WORDS = 4096  # of a word vocabulary; rarer words are unknown
KEEPS_ALL = ("character", "byte-bpe", "unigram")  # kinds whose tokens tell the text, white space and all


class WindowTask(Task):
    """A text as training batches; see `own_text.own_text` for the parameters and errors."""

    metric = "tokens told right"
    specials: ClassVar[Specials] = Specials.causal()

    def __init__(
        self, text: str | bytes, *, tokenizer: str = "character", vocab_size: int | None = None, window: int = 64
    ) -> None:
        self.text, self.window = read_text(text), window
        if window < 8:
            raise ValueError(f"window: expected at least 8 tokens, got {window}.")
        n = len(self.text)
        self.cut = n - min(math.ceil(n * HELD_OUT_SHARE), MOST_HELD_OUT)  # where the held-out characters begin
        if self.cut < window:  # no tokenizer makes more tokens than bytes; a first, cheap look
            raise ValueError(self._too_short(f"{n} characters"))
        size = MOST_WORDS if vocab_size is None and tokenizer == "word" else vocab_size
        texts = [self.text[: self.cut], *self.extra_texts(tokenizer, size)]
        self.tokenizer = Tokenizer.train(tokenizer, texts, size, self.specials)
        self.prepare()
        for part, found in (("learn from", len(self.training)), ("hold out", len(self._held_out_ids[0]))):
            if found < window:
                raise ValueError(self._too_short(f"{found} token{'' if found == 1 else 's'} to {part}"))

    @abstractmethod
    def ask(self, rows: Tensor, generator: torch.Generator | None) -> Batch:
        """Windows [example, token] as questions and answers; without a generator those of held-out windows."""

    def extra_texts(self, kind: str, vocab_size: int | None) -> Iterable[str]:
        """What the tokenizer reads beside the text."""
        return ()

    def prepare(self) -> None:
        """What an objective has to do once there is a tokenizer."""

    @cached_property
    def training(self) -> Tensor:
        """The ids of the text that trains, [token], as int32: half of what is sent to a worker."""
        # In pieces that end before a word: all the labels and places of a long text at once would fill the memory.
        pieces = re.findall(r".{1,20000}(?=\s\S)|.{1,20000}", self.text[: self.cut], re.DOTALL)
        ids = [i for piece in pieces for i in self.tokenizer.encode(piece, add_special=False).ids]
        return torch.tensor(ids, dtype=torch.int32)

    @property
    def held_out_text(self) -> str:
        """What whole windows cover of the characters that are held out."""
        _, ends = self._held_out_ids
        return self.text[self.cut : self.cut + ends[len(ends) // self.window * self.window - 1]]

    def batch(self, size: int, generator: torch.Generator) -> Batch:
        starts = torch.randint(len(self.training) - self.window + 1, (size, 1), generator=generator)
        return self.ask(self.training[starts + torch.arange(self.window)].long(), generator)

    def held_out(self) -> Batch:
        return self._held_out

    def probe(self) -> tuple[Probe, Batch]:
        return self._probe

    def accuracy(self, model: Any, batch: Batch | None = None) -> float:
        """Share of the asked tokens of held-out windows that the model finds likeliest."""
        batch = batch or self.held_out()
        with torch.inference_mode():
            right = self.logits(model, batch)[batch.asked].argmax(-1) == batch.answers
        return float(right.double().mean())

    @torch.inference_mode()
    def figures(self, model: Any) -> dict[str, float]:
        n, nats, right = 0, 0.0, 0.0
        for rows in torch.split(self._held_out_rows, 64):
            batch = self.ask(rows, None)
            logits = self.logits(model, batch)[batch.asked]
            nats += float(F.cross_entropy(logits, batch.answers, reduction="sum"))
            right += float((logits.argmax(-1) == batch.answers).sum())
            n += len(batch.answers)
        return {self.metric: right / n, "held-out loss, nats an asked token": nats / n, **self._in_bits(nats)}

    def _in_bits(self, nats: float) -> dict[str, float]:
        """What `nats`, the loss of all asked tokens of the held-out windows together, is in bits a character.

        Bits a character = nats / ln 2 / characters that the asked tokens cover, the white space before a token being
        its own: the length, by a character, of a code that the model would write the text in (Shannon, 1948). With L
        nats a token and c characters a token that is L / (c ln 2). An unknown token costs what the model gives it, in
        the n-gram model too.
        """
        if (covered := self.n_asked_characters()) is None:
            return {}
        kept = self.tokenizer.kind in KEEPS_ALL
        name = "bits a character" if kept else "bits a character, white space and unknown words for nothing"
        yardstick = n_gram_bits(self.text[: self.cut], self.held_out_text)
        return {name: nats / math.log(2) / covered, "bits a character of a 5-gram model": yardstick}

    def n_asked_characters(self) -> int | None:
        """Characters that the asked tokens of all held-out windows cover; None where not each is told in its turn."""
        return None

    @cached_property
    def widths(self) -> list[int]:
        """Characters of each token of the held-out windows, the white space before it with it."""
        ends = self._held_out_ids[1][: self._held_out_rows.numel()]
        return [end - before for before, end in zip([0, *ends], ends, strict=False)]

    @cached_property
    def _held_out_ids(self) -> tuple[Tensor, list[int]]:
        """The held-out ids [token], and where each token ends in the held-out characters."""
        encoding = self.tokenizer.encode(self.text[self.cut :], add_special=False)
        return torch.tensor(encoding.ids, dtype=torch.long), [end for _, end in encoding.offsets]

    @cached_property
    def _held_out_rows(self) -> Tensor:
        """Whole windows one after the other, [example, token]: each token is asked once."""
        ids, _ = self._held_out_ids
        return ids[: len(ids) // self.window * self.window].view(-1, self.window)

    @cached_property
    def _probe(self) -> tuple[Probe, Batch]:
        """The longest beginning of the first held-out window that, typed in, gives the same tokens; else all of it."""
        widest = min(self.window, WATCHED)
        seen = map(self._seen, range(widest, 7, -1))
        return next(((p, b) for p, b in seen if self.tokenizer.encode(p.text).tokens == p.tokens), self._seen(widest))

    def _seen(self, n: int) -> tuple[Probe, Batch]:
        batch = self.ask(self._held_out_rows[:1, :n], None)
        sides = [part[0].tolist() for part in (batch.ids, batch.target_ids) if part is not None]
        shown = [(self.tokenizer.decode(ids), tuple(map(self.tokenizer.token, ids))) for ids in sides]
        return Probe(*shown[0], *(shown[1] if len(shown) > 1 else ())), batch

    @cached_property
    def _held_out(self) -> Batch:
        return self.ask(self._held_out_rows[:N_HELD_OUT], None)

    def framed(self, rows: Tensor, *, end: bool = False) -> Tensor:
        """Rows with the begin token in front, and the end token behind."""
        framed = F.pad(rows, (1, 0), value=self.special("begin"))
        return F.pad(framed, (0, 1), value=self.special("end")) if end else framed

    def special(self, role: str) -> int:
        """The id of a special token that every tokenizer of this objective has."""
        found: int = getattr(self.tokenizer.special_ids, role)
        return found

    def _too_short(self, got: str) -> str:
        whole = round(self.window / HELD_OUT_SHARE)
        return f"text: expected at least {whole} tokens (ten windows of {self.window}, the last held out), got {got}."
