"""What a model says of a position, and of which position it is asked."""

from dataclasses import replace
from typing import TypeVar

import pytest
import torch

from tests.viz_model.models.small_models import BASE, model_of
from viz_model.inference import run
from viz_model.models import Decoder, Encoder
from viz_model.prediction import asked_position, predict
from viz_model.sampling import Sampling
from viz_model.tokenizer import Specials, Tokenizer

M = TypeVar("M", Encoder, Decoder)
WORDS = ["The", "cat", "sat", "on", "the", "mat"]
CAUSAL = Tokenizer.from_words(WORDS)
MASKED = Tokenizer.from_words(WORDS, Specials.masked())
BARE = Tokenizer.from_words(WORDS, Specials(begin=None, end=None, mask="[MASK]", add_begin=False))


def model_with(kind: type[M], tokenizer: Tokenizer) -> M:
    model = model_of(kind, replace(BASE, vocab_size=tokenizer.vocab_size))
    model.tokenizer = tokenizer
    return model


@pytest.mark.parametrize(
    ("kind", "tokenizer", "text", "query", "position", "asks"),
    [
        (Decoder, CAUSAL, "The cat sat", 1, 3, "Next token, after “sat”"),
        (Decoder, MASKED, "The [MASK] sat", 1, 4, "Next token, after “[SEP]”"),
        (Encoder, MASKED, "The [MASK] sat", 3, 2, "The word behind [MASK], position 2"),
        (Encoder, MASKED, "The [MASK] [MASK]", 3, 2, "The word behind [MASK], position 2"),
        (Encoder, MASKED, "The cat sat", 2, 2, "The word at position 2, which the model has seen: “cat”"),
        (Encoder, MASKED, "The cat sat", 0, 0, "The word at position 0, which the model has seen: “[CLS]”"),
        (Encoder, MASKED, "The [UNK] sat", 2, 2, "The word at position 2, which the model has seen: “[UNK]”"),
        (Encoder, MASKED, "The zebra sat", 2, 2, "The word at position 2, which the model has seen: “[UNK]”"),
        (Encoder, BARE, "[MASK] cat", 1, 0, "The word behind [MASK], position 0"),
        (Encoder, BARE, "cat [MASK]", 0, 1, "The word behind [MASK], position 1"),
        (Encoder, CAUSAL, "The cat", 1, 1, "The word at position 1, which the model has seen: “The”"),
    ],
)
def test_where_a_model_is_asked_and_how_it_is_said(
    kind: type[Encoder] | type[Decoder], tokenizer: Tokenizer, text: str, query: int, position: int, asks: str
) -> None:
    model = model_with(kind, tokenizer)
    encoding, trace = tokenizer.encode(text), run(model, text)
    assert asked_position(model, encoding, query) == position
    found = predict(model, trace, encoding, query)
    assert (found.position, found.asks) == (position, asks)
    want = trace.logits[0, position].double().softmax(0)
    assert torch.allclose(found.distribution.final, want)
    best = found.distribution.candidates(1)[0]
    assert best.id == int(want.argmax())


def test_how_it_is_sampled_is_passed_on() -> None:
    model = model_with(Decoder, CAUSAL)
    found = predict(model, run(model, "The cat"), CAUSAL.encode("The cat"), 0, Sampling(temperature=0))
    assert found.distribution.final.max() == 1
    three = predict(model, run(model, "The cat"), CAUSAL.encode("The cat"), 0, Sampling(top_k=3))
    assert int(three.distribution.kept.sum()) == 3
