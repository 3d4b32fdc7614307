"""Two objectives on the English grammar: the next word (causal) and masked words (Devlin et al., 2019)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property, lru_cache

import torch
import torch.nn.functional as F
from torch import Tensor

from viz_model.models import Decoder, Encoder
from viz_model.tasks import english
from viz_model.tasks.objectives import masked, next_token
from viz_model.tasks.task import Batch, Expected, Probe, Task, pad
from viz_model.tokenizer import Specials, Tokenizer

N_TRAINING, N_HELD_OUT = 60_000, 1_000
SEED_TRAINING, SEED_HELD_OUT, SEED_AGREEMENT = 1, 2, 3
ACROSS = "agreement across one noun of the other number"
WATCHED = 128  # verbs that a picture while training is measured on
PROBE = ("The", "keys", "to", "the", "cabinet", "are", "old", ".")
PROBE_VERB = 5


class LanguageTask(Task):
    """Sentences of the grammar as training batches, and a measure of what a model has learned of them."""

    metric = "verbs that agree with their subject across a noun of the other number"

    def __init__(self, n_training: int = N_TRAINING) -> None:
        self.n_training = n_training
        self.tokenizer = Tokenizer.from_words(english.vocabulary(), self.specials())

    @cached_property
    def sentences(self) -> tuple[list[english.Sentence], list[english.Sentence]]:
        """Training sentences, and held-out ones that are none of them."""
        training = english.corpus(self.n_training, SEED_TRAINING)
        return training, english.held_out(N_HELD_OUT, SEED_HELD_OUT, training)

    @property
    def held_out_sentences(self) -> list[english.Sentence]:
        return self.sentences[1]

    @cached_property
    def training(self) -> list[list[int]]:
        return [self.encode(sentence.words) for sentence in self.sentences[0]]

    def held_out(self) -> Batch:
        whole = pad([self.encode(sentence.words) for sentence in self.held_out_sentences], self._id("pad"))
        return self.ask(*whole, torch.Generator().manual_seed(SEED_HELD_OUT))

    def accuracy(self, model: Encoder | Decoder, batch: Batch | None = None) -> float:
        """Agreement across an attractor, on the first verbs of the held-out ones: a picture is taken often."""
        with torch.inference_mode():
            return self.share_agreeing(model, 1, most=WATCHED)

    def agreement(self, model: Encoder | Decoder) -> dict[str, float]:
        """Share of verbs whose right form the model finds likelier than that of the other number."""
        return {name: self.share_agreeing(model, n) for n, name in ((0, "agreement"), (1, ACROSS))}

    def share_agreeing(self, model: Encoder | Decoder, attractors: int, most: int | None = None) -> float:
        """The same for verbs with so many nouns of the other number before them; at most `most` verbs."""
        ids, present, at, right, wrong = (part[:most] for part in self.verbs(attractors))
        logits = model.logits(ids, present)[torch.arange(len(at)), at]
        return share_right(logits, right.tolist(), wrong.tolist())

    @abstractmethod
    def verbs(self, attractors: int) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """Questions, made once: ids, present [verb, position], where the verb is told, right and wrong ids [verb]."""

    @abstractmethod
    def specials(self) -> Specials:
        """The special tokens of the objective."""

    @abstractmethod
    def encode(self, words: Sequence[str]) -> list[int]:
        """A whole sentence with the special tokens that training sees."""

    @abstractmethod
    def ask(self, ids: Tensor, present: Tensor, generator: torch.Generator) -> Batch:
        """Turns whole sentences [batch, position] into questions and answers."""

    @abstractmethod
    def figures(self, model: Encoder | Decoder) -> dict[str, float]:
        """What the model has learned, in numbers, on sentences that training never saw."""

    def batch(self, size: int, generator: torch.Generator) -> Batch:
        """`size` training sentences, drawn by the generator."""
        chosen = torch.randint(len(self.training), (size,), generator=generator).tolist()
        return self.ask(*pad([self.training[i] for i in chosen], self._id("pad")), generator)

    def _subjects(self, batch: Batch, *, at_verb: bool) -> Tensor:
        """[batch, query, key]: True at the subject, for the verb's own position or the one before it."""
        keys = torch.zeros(*batch.ids.shape, batch.ids.shape[1], dtype=torch.bool)
        whole = batch.ids.clone()
        whole[batch.asked & (whole == self._mask_id)] = batch.answers[(whole == self._mask_id)[batch.asked]]
        for row, ids in enumerate(whole.tolist()):
            words = [self.tokenizer.token(i) for i in ids if i >= len(self.tokenizer.specials.names)]
            sentence = english.parse(words)
            for agreement in () if sentence is None else sentence.agreement:
                keys[row, agreement.verb + (1 if at_verb else 0), agreement.subject + 1] = True
        return keys

    def _name(self, role: str) -> str:
        return self.tokenizer.token(self._id(role))

    @property
    def _mask_id(self) -> int:
        found = self.tokenizer.special_ids.mask
        return -1 if found is None else found

    def _id(self, role: str) -> int:
        found: int | None = getattr(self.tokenizer.special_ids, role)
        if found is None:
            raise ValueError(f"expected a tokenizer with a {role} token, got one without.")
        return found

    def _ids(self, words: Sequence[str]) -> list[int]:
        found = [self.tokenizer.id(word) for word in words]
        if None in found:
            raise ValueError(f"words: expected words of the vocabulary, got {words[found.index(None)]!r}.")
        return [i for i in found if i is not None]


class NextWord(LanguageTask):
    """Each position says which word comes next; the last word is followed by the end of the sentence."""

    name, title = "english-causal", "English: the next word"
    about = "Everyday sentences of a small grammar; each word is to be told from those before it."

    def specials(self) -> Specials:
        return Specials.causal()

    def encode(self, words: Sequence[str]) -> list[int]:
        return [self._id("begin"), *self._ids(words), self._id("end")]

    def probe(self) -> tuple[Probe, Batch]:
        ids, _ = pad([self.encode(PROBE)[:-1]], self._id("pad"))
        batch = self.ask(*pad([self.encode(PROBE)], self._id("pad")), torch.Generator())
        return Probe(" ".join(PROBE), tuple(self.tokenizer.token(int(i)) for i in ids[0])), batch

    def expected(self, batch: Batch) -> tuple[Expected, ...]:
        """Before a verb that agrees, the position that foretells it reads the subject."""
        return (Expected("the subject, where its verb is due", self._subjects(batch, at_verb=False)),)

    def ask(self, ids: Tensor, present: Tensor, generator: torch.Generator) -> Batch:
        return next_token(ids, present)

    @torch.inference_mode()
    def figures(self, model: Encoder | Decoder) -> dict[str, float]:
        batch = self.ask(
            *pad([self.encode(s.words) for s in self.held_out_sentences], self._id("pad")), torch.Generator()
        )
        logits = model.logits(batch.ids, batch.present)[batch.asked]
        loss = F.cross_entropy(logits, batch.answers)
        return {
            "held-out loss, nats a token": float(loss),
            "the same sentences under the grammar, nats a token": english.mean_surprisal(self.held_out_sentences),
            "the grammar's entropy, nats a token": english.entropy().per_token,
            **self.agreement(model),
        }

    @lru_cache(maxsize=2)  # noqa: B019  a task lives as long as its run
    def verbs(self, attractors: int) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        items = english.agreement_items(500, SEED_AGREEMENT, attractors)
        ids, present = pad([[self._id("begin"), *self._ids(item.prefix)] for item in items], self._id("pad"))
        right, wrong = (torch.tensor(self._ids([getattr(i, side) for i in items])) for side in ("right", "wrong"))
        return ids, present, present.sum(1) - 1, right, wrong


class MaskedWords(LanguageTask):
    """Some words are hidden; the model says which they were, from both sides."""

    name, title = "english-masked", "English: hidden words"
    about = "The same sentences with one word in seven hidden, to be told from both sides."
    kind = "encoder"

    def specials(self) -> Specials:
        return Specials.masked()

    def encode(self, words: Sequence[str]) -> list[int]:
        return [self._id("begin"), *self._ids(words), self._id("end")]

    def probe(self) -> tuple[Probe, Batch]:
        ids, present = pad([self.encode(PROBE)], self._id("pad"))
        asked = torch.zeros_like(present)
        asked[0, PROBE_VERB + 1] = True
        shown = torch.where(asked, self._id("mask"), ids)
        words = (self._name("mask") if i == PROBE_VERB else word for i, word in enumerate(PROBE))
        tokens = tuple(self.tokenizer.token(int(i)) for i in shown[0])
        return Probe(" ".join(words), tokens), Batch(shown, present, asked, ids[asked])

    def expected(self, batch: Batch) -> tuple[Expected, ...]:
        """A verb that agrees, hidden or not, reads its subject."""
        return (Expected("the subject, from its verb", self._subjects(batch, at_verb=True)),)

    def ask(self, ids: Tensor, present: Tensor, generator: torch.Generator) -> Batch:
        return masked(
            ids,
            present,
            generator,
            mask_id=self._id("mask"),
            n_specials=len(self.tokenizer.specials.names),
            vocab_size=self.tokenizer.vocab_size,
        )

    @torch.inference_mode()
    def figures(self, model: Encoder | Decoder) -> dict[str, float]:
        whole = [self.encode(s.words) for s in self.held_out_sentences]
        ids, present = pad(whole, self._id("pad"))
        losses, n_asked = 0.0, 0
        for position in range(1, ids.shape[1] - 1):  # each word of each sentence is hidden once, alone
            asked = present[:, position] & present[:, position + 1]
            hidden = ids[asked].clone()
            hidden[:, position] = self._id("mask")
            logits = model.logits(hidden, present[asked])[:, position]
            losses += float(F.cross_entropy(logits, ids[asked, position], reduction="sum"))
            n_asked += int(asked.sum())
        return {
            "held-out loss, nats a masked word": losses / n_asked,
            "the grammar's entropy, nats a token, from the left alone": english.entropy().per_token,
            **self.agreement(model),
        }

    @lru_cache(maxsize=2)  # noqa: B019  a task lives as long as its run
    def verbs(self, attractors: int) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        asked = [
            (self.encode(sentence.words), agreement)
            for sentence in self.held_out_sentences
            for agreement in sentence.agreement
            if agreement.attractors == attractors
        ]
        ids, present = pad([words for words, _ in asked], self._id("pad"))
        at = torch.tensor([agreement.verb + 1 for _, agreement in asked])
        ids[torch.arange(len(asked)), at] = self._id("mask")
        right, wrong = (torch.tensor(self._ids([getattr(a, side) for _, a in asked])) for side in ("right", "wrong"))
        return ids, present, at, right, wrong


def share_right(logits: Tensor, right: list[int], wrong: list[int]) -> float:
    """The share of rows of logits [item, vocab_size] in which `right` is above `wrong`."""
    rows = torch.arange(len(right))
    return float((logits[rows, right] > logits[rows, wrong]).double().mean())
