"""Models on disk: what comes back is what went in, and nothing damaged or foreign comes back at all."""

import json
import pickle
import re
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.viz_model.models.small_models import BASE, POSITIONS, ids_of, model_of, pair_of
from viz_model import checkpoint
from viz_model.checkpoint import Card, CheckpointError, bundled, load, read_card, save
from viz_model.config import EncoderDecoderConfig, TransformerConfig
from viz_model.models import Decoder, Encoder, EncoderDecoder, Model, Span, VisionEncoder
from viz_model.tokenizer import Specials, Tokenizer

WORDS = Tokenizer.from_words(["The", "cat", "sat", "on", "the", "mat"])
MASKED = Tokenizer.from_words(["le", "chat", "noir"], Specials.masked())


@pytest.fixture(autouse=True)
def _never_unpickled(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("something was unpickled")

    monkeypatch.setattr(torch, "load", refuse)
    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, name, refuse)


def logits_of(model: Model) -> torch.Tensor:
    with torch.inference_mode():
        if isinstance(model, EncoderDecoder):
            return model(ids_of(2, 6), ids_of(2, 4)).logits
        return model(ids_of(2, 6)).logits


def round_trip(model: Model, folder: Path) -> Model:
    save(model, folder)
    back = load(folder)
    assert type(back) is type(model)
    assert back.config == model.config
    assert torch.equal(logits_of(back), logits_of(model))
    return back


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("position", POSITIONS)
def test_each_kind_comes_back_to_the_bit(position: Any, tied: bool, tmp_path: Path) -> None:
    config = replace(BASE, position=position, tied=tied, n_kv_heads=2, norm="rms" if tied else "layer")
    for kind in (Encoder, Decoder):
        back = round_trip(model_of(kind, config), tmp_path / kind.__name__)
        assert (back.unembed.weight is back.stack.embed.weight) is tied  # type: ignore[union-attr]
    pair = pair_of(
        EncoderDecoderConfig(encoder=replace(config, n_layers=1), decoder=replace(config, norm_place="post"))
    )
    back = round_trip(pair, tmp_path / "pair")
    assert (back.unembed.weight is back.decoder.embed.weight) is tied  # type: ignore[union-attr]
    written = load_file(tmp_path / "pair" / "model.safetensors")
    assert ("unembed.weight" in written) is not tied


@pytest.mark.parametrize(
    "changes",
    [
        {"n_layers": 0},
        {"feed_forward": False, "d_ff": 4096},
        {"bias": False, "scaled": False, "activation": "swiglu"},
        {"d_head": 6, "rotary_base": 500.0, "position": "rotary"},
        {"norm": "none", "residual": False},
    ],
    ids=str,
)
def test_unusual_shapes_come_back(changes: dict[str, Any], tmp_path: Path) -> None:
    round_trip(model_of(Decoder, replace(BASE, **changes)), tmp_path)


def test_a_checkpoint_from_before_a_field_was_known_is_the_model_that_it_was(tmp_path: Path) -> None:
    model = model_of(Decoder, BASE)
    save(model, tmp_path)
    card = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
    del card["config"]["residual"]
    (tmp_path / "model.json").write_text(json.dumps(card), encoding="utf-8")
    back = load(tmp_path)
    assert back.config == BASE
    assert torch.equal(logits_of(back), logits_of(model))


def test_all_that_a_checkpoint_says_comes_back(tmp_path: Path) -> None:
    pair = pair_of(EncoderDecoderConfig(encoder=BASE, decoder=BASE))
    pair.tokenizer, pair.target_tokenizer = WORDS, MASKED
    save(pair, tmp_path, recipe={"steps": 3, "task": "für Élise"}, seed=7, figures={"loss": 0.1})
    back = load(tmp_path)
    assert isinstance(back, EncoderDecoder)
    assert (back.tokenizer, back.target_tokenizer) == (WORDS, MASKED)
    assert read_card(tmp_path) == Card("encoder-decoder", {"steps": 3, "task": "für Élise"}, 7, {"loss": 0.1})
    assert "für Élise" in (tmp_path / "model.json").read_text(encoding="utf-8")
    bare = Decoder(BASE)
    save(bare, tmp_path / "new" / "folder")
    assert load(tmp_path / "new" / "folder").tokenizer is None
    assert read_card(str(tmp_path / "new" / "folder")) == Card("decoder", {}, None, {})


def test_the_same_model_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in "ab":
        save(model_of(Encoder, replace(BASE, tied=True)), tmp_path / name, seed=1, figures={"loss": 1 / 3})
    for file in ("model.safetensors", "model.json"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_what_is_loaded_is_frozen_and_in_eval_mode(tmp_path: Path) -> None:
    save(Decoder(BASE).train(), tmp_path)
    back = load(tmp_path)
    assert not any(module.training for module in back.modules())
    assert not any(parameter.requires_grad for parameter in back.parameters())


KINDS = {
    **{"english-masked": Encoder, "sentiment": Encoder, "question-answering": Span, "digits": VisionEncoder},
    **{"english-french": EncoderDecoder, "summarising": EncoderDecoder},
}


@pytest.mark.parametrize("name", bundled())
def test_a_model_that_ships_is_small_frozen_and_says_where_it_is_from(name: str) -> None:
    model, card = load(name), read_card(name)
    kind = KINDS.get(name, Decoder)
    assert type(model) is kind
    assert card.kind == re.sub("(?<=[a-z])(?=[A-Z])", "-", kind.__name__).lower().replace("vision-encoder", "vision")
    assert not model.training
    assert not any(parameter.requires_grad for parameter in model.parameters())
    assert card.seed == 0
    if isinstance(model, EncoderDecoder):
        assert model.tokenizer.vocab_size == model.config.encoder.vocab_size
        assert (model.target_tokenizer or model.tokenizer).vocab_size == model.config.decoder.vocab_size
    elif not isinstance(model, VisionEncoder):
        assert model.tokenizer.vocab_size == model.config.vocab_size
    files = {file.name: file.stat().st_size for file in (checkpoint.BUNDLED / name).iterdir()}
    history = files.pop("history.npz", 0)
    assert (history > 0) == (name != "untrained")
    assert history < 1_000_000
    told = {"trained-on.txt"} if name == "code" else set()  # what it has read is no text of ours
    assert set(files) == {"model.json", "model.safetensors"} | told
    assert sum(files.values()) < (2_500_000 if name == "code" else 1_500_000)


def test_without_the_folder_of_bundled_models_there_are_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(checkpoint, "BUNDLED", tmp_path / "gone")
    assert bundled() == ()
    with pytest.raises(CheckpointError, match="or a checkpoint's folder, got 'english-causal'"):
        load("english-causal")


@pytest.mark.parametrize("name", ["no-such-model", "", "x" * 5000, "a\0b", "../../etc/passwd", "hf:gpt2"])
def test_a_name_of_nothing_lists_the_names_there_are(name: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    for read in (load, read_card):
        with pytest.raises(
            CheckpointError, match=r"expected .*(english-causal, english-french, english-masked|model\.json)"
        ):
            read(name)


Damage = Callable[[Path], object]


def card_with(change: Callable[[dict[str, Any]], object]) -> Damage:
    def damage(folder: Path) -> None:
        card = json.loads((folder / "model.json").read_text(encoding="utf-8"))
        change(card)
        (folder / "model.json").write_text(json.dumps(card), encoding="utf-8")

    return damage


def config_with(**changes: Any) -> Damage:
    return card_with(lambda card: card["config"].update(changes))


def json_of(text: str | bytes) -> Damage:
    return lambda folder: (folder / "model.json").write_bytes(text.encode() if isinstance(text, str) else text)


def weights_of(raw: bytes) -> Damage:
    return lambda folder: (folder / "model.safetensors").write_bytes(raw)


def tensors_with(change: Callable[[dict[str, torch.Tensor]], object]) -> Damage:
    def damage(folder: Path) -> None:
        tensors = load_file(folder / "model.safetensors")
        change(tensors)
        save_file(tensors, folder / "model.safetensors")

    return damage


def cut(file: str, keep: float) -> Damage:
    return lambda folder: (folder / file).write_bytes((raw := (folder / file).read_bytes())[: int(len(raw) * keep)])


def header(text: bytes, data: bytes = b"") -> bytes:
    return struct.pack("<Q", len(text)) + text + data


def as_folder(file: str) -> Damage:
    def damage(folder: Path) -> None:
        (folder / file).unlink()
        (folder / file).mkdir()

    return damage


EMBED = "stack.embed.weight"
ZIP = b"PK\x03\x04" + bytes(60)
PICKLE = (
    b"\x80\x04\x95\x1c\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93\x94\x8c\x04true\x94\x85R."
)
DAMAGES: dict[str, tuple[Damage, str]] = {
    "no json": (lambda f: (f / "model.json").unlink(), r"expected the files model.json and model.safetensors"),
    "no weights": (lambda f: (f / "model.safetensors").unlink(), r"expected the weights in this file, got none"),
    "json is a folder": (as_folder("model.json"), r"expected JSON text"),
    "weights are a folder": (as_folder("model.safetensors"), r"expected a safetensors file"),
    "json cut": (cut("model.json", 0.5), r"expected JSON text, got something damaged"),
    "json empty": (json_of(""), r"expected JSON text"),
    "json not utf-8": (json_of(b'{"format": "\xff\xfe"}'), r"expected JSON text, got something damaged"),
    "json too deep": (json_of("[" * 100_000), r"expected JSON text"),
    "json with a monstrous number": (json_of('{"version": ' + "9" * 5000 + "}"), r"expected JSON text"),
    "json a list": (json_of("[1, 2]"), r"expected a file that says format 'glass-transformer', got a foreign one"),
    "foreign json": (json_of('{"model_type": "gpt2", "n_layer": 12}'), r"format 'glass-transformer', got a foreign"),
    "another version": (card_with(lambda c: c.update(version=2)), r"expected version 1, got 2"),
    "version as text": (card_with(lambda c: c.update(version="1")), r"expected version 1, got '1'"),
    "no version": (card_with(lambda c: c.pop("version")), r"expected version 1, got None"),
    "no config": (card_with(lambda c: c.pop("config")), r"expected the field 'config', got none"),
    "no kind": (card_with(lambda c: c.pop("kind")), r"expected the field 'kind', got none"),
    "no vocab_size": (card_with(lambda c: c["config"].pop("vocab_size")), r"expected the field vocab_size, got none"),
    "unknown kind": (
        card_with(lambda c: c.update(kind="mamba")),
        r"kind: expected encoder, decoder or .*, got 'mamba'",
    ),
    "kind a list": (card_with(lambda c: c.update(kind=["decoder"])), r"kind: expected .*, got \['decoder'\]"),
    "kind of another config": (card_with(lambda c: c.update(kind="encoder-decoder")), r"with a config to match"),
    "config a list": (card_with(lambda c: c.update(config=[1])), r"config: expected an object with fields, got list"),
    "config null": (card_with(lambda c: c.update(config=None)), r"config: expected an object with fields, got None"),
    "unknown field": (config_with(dropout=0.1), r"expected only known fields, got dropout"),
    "number as text": (config_with(d_model="16"), r"expected int for d_model, got '16'"),
    "yes for a number": (config_with(n_layers=True), r"expected int for n_layers, got True"),
    "number as fraction": (config_with(d_ff=24.5), r"expected int for d_ff, got 24.5"),
    "bool as text": (config_with(tied="false"), r"expected bool for tied, got 'false'"),
    "position a list": (config_with(position=["rotary"]), r"expected PositionKind for position"),
    "unknown position": (config_with(position="spiral"), r"position: expected one of sinusoidal, .*, got 'spiral'"),
    "heads that do not fit": (config_with(n_heads=3, d_head=0), r"n_heads: expected a number that divides d_model 16"),
    "negative": (config_with(n_layers=-1), r"n_layers: expected 0 or more, got -1"),
    "vocabulary without end": (config_with(vocab_size=10**15), r"expected the size of the weights beside it"),
    "width without end": (config_with(d_ff=10**15), r"expected the size of the weights beside it"),
    "depth without end": (config_with(n_layers=10**9), r"expected the size of the weights beside it"),
    "context without end": (config_with(context_length=10**12), r"context_length: expected at most \d+ at d_model 16"),
    "turns without end": (config_with(position="rotary", rotary_base=10**400), r"rotary_base: expected a number from"),
    "tokenizer a number": (card_with(lambda c: c.update(tokenizer=5)), r"expected the JSON of a saved tokenizer"),
    "tokenizer foreign": (card_with(lambda c: c.update(tokenizer="{}")), r"expected a saved tokenizer"),
    "tokenizer too large": (
        card_with(lambda c: c.update(tokenizer=Tokenizer.from_words(map(str, range(99))).to_json())),
        r"tokenizer: expected at most 17 tokens \(vocab_size\), got 103",
    ),
    "weights cut": (cut("model.safetensors", 0.7), r"expected a safetensors file, got something else or damaged"),
    "weights cut in the header": (cut("model.safetensors", 0.02), r"expected a safetensors file"),
    "weights empty": (weights_of(b""), r"expected a safetensors file"),
    "a zip": (weights_of(ZIP), r"expected a safetensors file"),
    "a pickle": (weights_of(PICKLE), r"expected a safetensors file"),
    "a header without end": (weights_of(struct.pack("<Q", 2**62) + b"{}"), r"expected a safetensors file"),
    "a header that is no json": (weights_of(header(b"not json")), r"expected a safetensors file"),
    "no tensors": (weights_of(header(b"{}")), r"expected the size of the weights beside it"),
    "an unknown number type": (
        weights_of(header(b'{"a":{"dtype":"F4","shape":[2],"data_offsets":[0,1]}}', b"\0")),
        r"expected a safetensors file",
    ),
    "another shape": (
        tensors_with(lambda t: t.update({"unembed.weight": torch.zeros(17, 15)})),
        r"expected unembed.weight of shape \[17, 16\], got \[17, 15\] \(1 such difference",
    ),
    "transposed": (
        tensors_with(lambda t: t.update({"unembed.weight": torch.zeros(16, 17)})),
        r"of shape \[17, 16\], got \[16, 17\]",
    ),
    "a tensor gone": (tensors_with(lambda t: t.pop(EMBED)), r"expected stack.embed.weight of shape .*, got none"),
    "a tensor too many": (
        tensors_with(lambda t: t.update(extra=torch.zeros(3))),
        r"expected extra of shape none, got \[3\]",
    ),
    "not a number": (tensors_with(lambda t: t[EMBED].view(-1)[3:4].fill_(torch.nan)), r"finite weights, got NaN"),
    "infinite": (tensors_with(lambda t: t[EMBED].view(-1)[3:4].fill_(torch.inf)), r"finite weights, got NaN or inf"),
    "whole numbers": (
        tensors_with(lambda t: t.update({EMBED: t[EMBED].long()})),
        r"expected stack.embed.weight in float32, got int64",
    ),
}


@pytest.mark.parametrize(("damage", "sentence"), DAMAGES.values(), ids=DAMAGES.keys())
def test_damage_is_said_in_a_sentence(damage: Damage, sentence: str, tmp_path: Path) -> None:
    model = model_of(Decoder, BASE)
    model.tokenizer = WORDS
    save(model, tmp_path)
    load(tmp_path)
    damage(tmp_path)
    with pytest.raises(CheckpointError, match=sentence) as caught:
        load(tmp_path)
    assert "expected" in str(caught.value)
    assert len(str(caught.value)) < 600


def test_a_card_of_foreign_json_is_refused_too(tmp_path: Path) -> None:
    save(Decoder(BASE), tmp_path)
    json_of('{"format": "other"}')(tmp_path)
    with pytest.raises(CheckpointError, match="got a foreign one"):
        read_card(tmp_path)


def test_a_tied_model_takes_its_matrix_once(tmp_path: Path) -> None:
    """Two matrices for one: which of them would be the right one?"""
    save(model_of(Decoder, replace(BASE, tied=True)), tmp_path)
    tensors_with(lambda t: t.update({"unembed.weight": torch.zeros(17, 16)}))(tmp_path)
    with pytest.raises(CheckpointError, match=r"expected unembed.weight of shape none, got \[17, 16\]"):
        load(tmp_path)


def test_an_encoder_decoder_with_a_stack_gone_is_refused(tmp_path: Path) -> None:
    save(pair_of(EncoderDecoderConfig(encoder=BASE, decoder=BASE)), tmp_path)
    card_with(lambda card: card["config"].pop("encoder"))(tmp_path)
    with pytest.raises(CheckpointError, match="expected only known fields, got decoder"):
        load(tmp_path)


def test_a_pairs_target_tokenizer_is_measured_against_its_decoder(tmp_path: Path) -> None:
    decoder: TransformerConfig = replace(BASE, vocab_size=MASKED.vocab_size - 1)
    pair = pair_of(EncoderDecoderConfig(encoder=BASE, decoder=decoder))
    pair.tokenizer, pair.target_tokenizer = WORDS, MASKED
    save(pair, tmp_path)
    with pytest.raises(CheckpointError, match="target_tokenizer: expected at most 7 tokens"):
        load(tmp_path)
