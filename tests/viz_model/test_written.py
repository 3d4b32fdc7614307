"""What is written greedily: the same as picking the likeliest token again and again."""

from __future__ import annotations

import pytest
import torch

import viz_model as vm
from viz_model.inference import encode
from viz_model.models import EncoderDecoder
from viz_model.written import write, write_on

TEXT = "Above all, the old farmer quietly sold the brown horse on Monday."


@pytest.fixture(scope="module")
def model() -> EncoderDecoder:
    loaded = vm.load("summarising")
    assert isinstance(loaded, EncoderDecoder)
    return loaded


def test_each_token_is_the_likeliest_after_those_before(model) -> None:
    source = encode(model.tokenizer, TEXT, limit=96)
    found = write(model, source)
    assert found.tokens == ("The", "farmer", "sold", "the", "horse", ".", "[EOS]")
    assert found.ended
    ids = [model.tokenizer.id("[BOS]")]
    for chosen, share in zip(found.ids, found.probabilities, strict=True):
        with torch.inference_mode():
            chances = model.logits(torch.tensor([source.ids]), torch.tensor([ids]))[0, -1].softmax(-1)
        assert int(chances.argmax()) == chosen
        assert float(chances.max()) == pytest.approx(share, abs=1e-5)
        ids.append(chosen)
    trace = vm.run(model, TEXT, target="The farmer sold the horse .")
    for layer, block in enumerate(trace.decoder.blocks):
        torch.testing.assert_close(found.cross[layer], block.cross_attention.weights[0], atol=1e-5, rtol=1e-4)


def test_it_stops_where_there_is_no_more_room(model) -> None:
    found = write(model, encode(model.tokenizer, TEXT, limit=96), n=3)
    assert found.tokens == ("The", "farmer", "sold")
    assert not found.ended


def test_writing_on_ends_at_the_token_that_stops_it() -> None:
    decoder = vm.load("english-causal")
    text = encode(decoder.tokenizer, "The cat sat on the", limit=30)
    steps = write_on(decoder, text, n=12, stop=decoder.tokenizer.id("[EOS]"))
    ids = list(text.ids)
    for step in steps:
        with torch.inference_mode():
            assert int(decoder.logits(torch.tensor([ids]))[0, -1].argmax()) == step.chosen
        ids.append(step.chosen)
    assert steps[-1].reason == "stop"
