"""Configurations: what they fill in, what they refuse and how, and the published sizes."""

import json
import re
from dataclasses import FrozenInstanceError
from typing import get_args

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from torch import nn

from viz_model import config as config_module
from viz_model.config import EncoderDecoderConfig, TransformerConfig, config_from_dict, config_to_dict, presets
from viz_model.models import Decoder, EncoderDecoder


@st.composite
def any_config(draw: st.DrawFn) -> TransformerConfig:
    d_head = draw(st.integers(1, 8)) * 2
    n_kv_heads, group = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    feed_forward = draw(st.booleans())
    return TransformerConfig(
        vocab_size=draw(st.integers(1, 10**6)),
        context_length=draw(st.integers(1, 10**6)),
        d_model=draw(st.integers(1, 64)),
        n_layers=draw(st.integers(0, 9)),
        n_heads=n_kv_heads * group,
        n_kv_heads=n_kv_heads,
        d_head=d_head,
        d_ff=draw(st.integers(1, 64)),
        position=draw(st.sampled_from(get_args(config_module.PositionKind))),
        norm=draw(st.sampled_from(get_args(config_module.NormKind))),
        norm_place=draw(st.sampled_from(get_args(config_module.NormPlace))),
        activation=draw(st.sampled_from(get_args(config_module.ActivationKind))),
        scaled=draw(st.booleans()),
        bias=draw(st.booleans()),
        tied=draw(st.booleans()),
        feed_forward=feed_forward,
        residual=draw(st.booleans()) if feed_forward else True,
        rotary_base=draw(st.floats(1.0, 1e7)),
    )


def numbers_offered(message: str) -> list[int]:
    found = re.search(r"\(one of ([^)]*)\)", message)
    assert found, message
    return [int(number) for number in found[1].split(", ")]


def test_zeros_stand_for_the_usual_choice() -> None:
    config = TransformerConfig(vocab_size=5, d_model=48, n_heads=6)
    assert (config.n_kv_heads, config.d_head, config.d_ff) == (6, 8, 192)


def test_given_widths_are_kept_and_free_the_number_of_heads() -> None:
    config = TransformerConfig(vocab_size=5, d_model=10, n_heads=3, d_head=7, d_ff=11, n_kv_heads=1)
    assert (config.n_heads, config.n_kv_heads, config.d_head, config.d_ff) == (3, 1, 7, 11)


@given(d_model=st.integers(1, 60), n_heads=st.integers(1, 80))
def test_a_wrong_number_of_heads_is_told_the_right_ones(d_model: int, n_heads: int) -> None:
    assume(d_model % n_heads)
    with pytest.raises(ValueError, match=r"^n_heads: expected") as caught:
        TransformerConfig(vocab_size=5, d_model=d_model, n_heads=n_heads)
    assert f"got {n_heads}" in str(caught.value)
    for offered in numbers_offered(str(caught.value)):
        TransformerConfig(vocab_size=5, d_model=d_model, n_heads=offered)
    assert len(numbers_offered(str(caught.value))) == sum(d_model % n == 0 for n in range(1, d_model + 1))


@given(n_heads=st.integers(1, 40), n_kv_heads=st.integers(1, 50))
def test_a_wrong_number_of_key_value_heads_is_told_the_right_ones(n_heads: int, n_kv_heads: int) -> None:
    assume(n_heads % n_kv_heads)
    with pytest.raises(ValueError, match=r"^n_kv_heads: expected") as caught:
        TransformerConfig(vocab_size=5, n_heads=n_heads, d_head=4, n_kv_heads=n_kv_heads)
    assert f"got {n_kv_heads}" in str(caught.value)
    for offered in numbers_offered(str(caught.value)):
        TransformerConfig(vocab_size=5, n_heads=n_heads, d_head=4, n_kv_heads=offered)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"vocab_size": 0}, "vocab_size: expected a whole number of at least 1, got 0."),
        ({"context_length": 0}, "context_length: expected a whole number of at least 1, got 0."),
        ({"d_model": -4}, "d_model: expected a whole number of at least 1, got -4."),
        ({"n_heads": 0}, "n_heads: expected a whole number of at least 1, got 0."),
        ({"n_layers": -1}, "n_layers: expected 0 or more, got -1."),
        ({"d_ff": -1}, "0, -1 and 0"),
        ({"d_head": -2}, "-2, 0 and 0"),
        ({"n_kv_heads": -3}, "0, 0 and -3"),
        ({"position": "wave"}, "position: expected one of sinusoidal, learned, rotary, alibi, t5, none, got 'wave'."),
        ({"norm": "batch"}, "norm: expected one of layer, rms, none, got 'batch'."),
        ({"norm_place": "mid"}, "norm_place: expected one of pre, post, got 'mid'."),
        ({"activation": "tanh"}, "activation: expected one of relu, gelu, gelu_tanh, geglu, swiglu, got 'tanh'."),
        ({"position": "rotary", "d_head": 5}, "even number, got 5"),
        ({"residual": False, "feed_forward": False}, "residual: expected True without feed-forward layers"),
    ],
)
def test_refusals_say_expected_and_got(wrong: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        TransformerConfig(**{"vocab_size": 5, **wrong})  # type: ignore[arg-type]


def test_configs_are_frozen_and_serve_as_keys() -> None:
    config = TransformerConfig(vocab_size=5)
    with pytest.raises(FrozenInstanceError):
        config.d_model = 3  # type: ignore[misc]
    assert {config: "a"}[TransformerConfig(vocab_size=5, d_head=16, d_ff=256)] == "a"


def test_encoder_and_decoder_need_one_width() -> None:
    wide, narrow = TransformerConfig(vocab_size=5, d_model=32), TransformerConfig(vocab_size=5, d_model=16)
    with pytest.raises(ValueError, match="one width, got 32 and 16"):
        EncoderDecoderConfig(encoder=wide, decoder=narrow)


@given(any_config())
def test_json_and_back(config: TransformerConfig) -> None:
    assert config_from_dict(json.loads(json.dumps(config_to_dict(config)))) == config


@pytest.mark.parametrize("name", presets)
def test_presets_through_json_and_back(name: str) -> None:
    assert config_from_dict(json.loads(json.dumps(config_to_dict(presets[name])))) == presets[name]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ([1, 2], "expected an object with fields, got list"),
        ({}, "expected the field vocab_size, got none"),
        ({"vocab_size": 5, "colour": 1, "age": 2}, "expected only known fields, got age, colour"),
        ({"vocab_size": "5"}, "expected int for vocab_size, got '5'"),
        ({"vocab_size": 5.0}, "expected int for vocab_size, got 5.0"),
        ({"vocab_size": True}, "expected int for vocab_size, got True"),
        ({"vocab_size": None}, "expected int for vocab_size, got None"),
        ({"vocab_size": 5, "bias": 1}, "expected bool for bias, got 1"),
        ({"vocab_size": 5, "tied": "no"}, "expected bool for tied, got 'no'"),
        ({"vocab_size": 5, "position": 3}, "for position, got 3"),
        ({"vocab_size": 5, "rotary_base": "big"}, "expected float for rotary_base, got 'big'"),
        ({"vocab_size": 5, "rotary_base": True}, "expected float for rotary_base, got True"),
        ({"vocab_size": 5, "d_model": 0}, "d_model: expected a whole number of at least 1"),
        ({"encoder": {"vocab_size": 5}}, "got encoder"),
        ({"encoder": {"vocab_size": 5}, "decoder": 7}, "expected an object with fields, got int"),
    ],
)
def test_foreign_data_is_refused_in_words(data: object, sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        config_from_dict(data)  # type: ignore[arg-type]


def test_an_encoder_decoder_in_an_encoder_decoder_is_refused() -> None:
    pair = {"encoder": {"vocab_size": 5}, "decoder": {"vocab_size": 5}}
    with pytest.raises(ValueError, match="nested"):
        config_from_dict({"encoder": pair, "decoder": pair})


@pytest.mark.parametrize(
    ("name", "n_weights"),
    [
        ("gpt2", 124_439_808),
        ("gpt2-medium", 354_823_168),
        ("gpt2-large", 774_030_080),
        ("gpt2-xl", 1_557_611_200),
        ("llama-3-8b", 8_030_261_248),
    ],
)
def test_presets_have_the_published_number_of_weights(name: str, n_weights: int) -> None:
    preset = presets[name]
    assert isinstance(preset, TransformerConfig)
    with torch.device("meta"):
        model = Decoder(preset)
    assert sum(weight.numel() for weight in model.parameters()) == n_weights


@pytest.mark.parametrize(("name", "d_model", "n_heads"), [("transformer-base", 512, 8), ("transformer-big", 1024, 16)])
def test_the_original_has_as_many_block_weights_as_torch_says(name: str, d_model: int, n_heads: int) -> None:
    preset = presets[name]
    assert isinstance(preset, EncoderDecoderConfig)
    with torch.device("meta"):
        model = EncoderDecoder(preset)
        twin = nn.Transformer(d_model, n_heads, 6, 6, dim_feedforward=4 * d_model, batch_first=True)
    assert twin.encoder.norm is not None
    ours = [*model.encoder.blocks.parameters(), *model.decoder.blocks.parameters()]
    theirs = [*twin.encoder.layers.parameters(), *twin.decoder.layers.parameters()]
    assert sum(weight.numel() for weight in ours) == sum(weight.numel() for weight in theirs)
