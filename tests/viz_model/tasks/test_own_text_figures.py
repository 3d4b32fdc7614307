"""What a model has learned of a text, in numbers: bits a character by hand and letter by letter."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from tests.viz_model.tasks.own_texts import ENGLISH, small
from viz_model.tasks.n_gram import n_gram_bits


class Even:
    """A model that finds every token of its vocabulary equally likely."""

    def __init__(self, vocab_size: int) -> None:
        self.vocab_size = vocab_size

    def logits(self, ids: Tensor, *_: Tensor) -> Tensor:
        last = next((part for part in _ if part.dtype == torch.long), ids)
        return torch.zeros(*last.shape, self.vocab_size)


class Fixed(Even):
    """A model that gives token i a chance in proportion to i + 1, whatever stands before."""

    def logits(self, ids: Tensor, *_: Tensor) -> Tensor:
        return super().logits(ids, *_) + torch.arange(1.0, self.vocab_size + 1).log()


def test_bits_a_character_by_hand() -> None:
    """An even model needs log2 of its vocabulary for each token, whatever it has to say."""
    for kind in ("character", "byte-bpe", "unigram"):
        task = small(kind=kind)
        n, size = len(task.held_out().answers), task.tokenizer.vocab_size
        found = task.figures(Even(size))
        covered = len(task.tokenizer.decode(task.held_out().answers.tolist()))
        assert found["bits a character"] == pytest.approx(n * math.log2(size) / covered)
        assert found["held-out loss, nats an asked token"] == pytest.approx(math.log(size))
        assert found["bits a character of a 5-gram model"] == n_gram_bits(ENGLISH[: task.cut], task.held_out_text)
        assert task.held_out_text == ENGLISH[task.cut : task.cut + covered]


def test_bits_of_a_fixed_model_letter_by_letter() -> None:
    task = small()
    size = task.tokenizer.vocab_size
    bits = [-math.log2(((task.tokenizer.id(c) or 0) + 1) / (size * (size + 1) / 2)) for c in task.held_out_text]
    assert task.figures(Fixed(size))["bits a character"] == pytest.approx(sum(bits) / len(bits), rel=1e-5)
    halves = [bit for at, bit in enumerate(bits) if at % 16 >= 8]
    after = small(objective="prefix").figures(Fixed(size))["bits a character"]
    assert after == pytest.approx(sum(halves) / len(halves), rel=1e-5)


def test_tokens_that_lose_white_space_say_so() -> None:
    found = small(kind="word").figures(Even(100))
    assert "bits a character" not in found
    assert "bits a character, white space and unknown words for nothing" in found
    for objective in ("masked", "denoising"):  # not each character is told in its turn: no code of the text
        task = small(objective=objective)
        assert set(task.figures(Even(task.tokenizer.vocab_size))) == {task.metric, "held-out loss, nats an asked token"}


def test_accuracy_counts_the_asked_tokens() -> None:
    task = small()
    likeliest = task.tokenizer.vocab_size - 1
    share = (task.held_out().answers == likeliest).double().mean().item()
    assert task.accuracy(Fixed(likeliest + 1)) == pytest.approx(share)
    assert task.figures(Fixed(likeliest + 1))[task.metric] == pytest.approx(share)
