"""What is no saved run, or a damaged one, is refused in one plain sentence."""

from __future__ import annotations

import io
import json
import pickle
import random
import re
import zipfile
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import cache

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors

from viz_model.tasks.own_text import OwnText
from viz_model.training import saved as saved_module
from viz_model.training.history import write_history
from viz_model.training.saved import read_run, write_run
from viz_model.training.snapshot import Snapshot
from viz_model.training.state import save_run

from .test_history import assert_same, drawn
from .test_saved import CHINESE, HEBREW, SMALL, copying, of_text, trained


@pytest.mark.parametrize("first", [0x80, ord("P"), ord("{")])
def test_a_length_that_looks_like_another_kind_of_file_is_no_such_file(first: int) -> None:
    """A safetensors file begins with the length of its header; spaces may follow the header's JSON."""
    data = good()
    length = int.from_bytes(data[:8], "little")
    more = (first - length) % 256 if first != ord("P") else (int.from_bytes(b"PK", "little") - length) % 65536
    header = data[8 : 8 + length] + b" " * more
    made = len(header).to_bytes(8, "little") + header + data[8 + length :]
    assert made[0] == first
    assert_same(read_run(made).snapshots, good_parts()[1])


@cache
def good() -> bytes:
    return write_run(*good_parts())


@cache
def good_parts() -> tuple[bytes, list[Snapshot]]:
    trainer, seen = trained(SMALL, copying(), 3)
    return save_run(trainer), seen


@cache
def good_text() -> bytes:
    own = OwnText(HEBREW)
    trainer, seen = trained(replace(of_text(own), n_layers=1), own.task(), 1)
    return write_run(save_run(trainer), seen, own)


def parts(data: bytes) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    length = int.from_bytes(data[:8], "little")
    return load_tensors(data), json.loads(data[8 : 8 + length])["__metadata__"]


def with_recipe(**changes: object) -> bytes:
    tensors, metadata = parts(good())
    card = json.loads(metadata["run"])
    card["recipe"] |= changes
    return save_tensors(tensors, metadata | {"run": json.dumps(card)})


def with_card(**changes: object) -> bytes:
    tensors, metadata = parts(good())
    card = json.loads(metadata["run"]) | changes
    return save_tensors(tensors, metadata | {"run": json.dumps({k: v for k, v in card.items() if v is not None})})


def with_tensors(of: str, change: Callable[[torch.Tensor], torch.Tensor]) -> bytes:
    """The good run with each tensor whose name begins so changed."""
    tensors, metadata = parts(good())
    return save_tensors({k: change(v.clone()) if k.startswith(of) else v for k, v in tensors.items()}, metadata)


def swapped() -> bytes:
    card = json.loads(parts(good())[1]["run"])
    return with_card(seed=card["recipe"], recipe=card["seed"])


def with_huge_header(n: int) -> bytes:
    header = json.dumps({"__metadata__": parts(good())[1], "x" * n: 1}).encode()
    return len(header).to_bytes(8, "little") + header


def with_history(tensor: torch.Tensor) -> bytes:
    tensors, metadata = parts(good())
    return save_tensors(tensors | {"history": tensor}, metadata)


def with_snapshots(seen: list[Snapshot]) -> bytes:
    return with_history(as_tensor(write_history(seen)))


def with_text(text: bytes | None = None, card: str | None = None) -> bytes:
    tensors, metadata = parts(good_text())
    del tensors["own_text"]
    if text is not None:
        tensors["own_text"] = as_tensor(text)
    return save_tensors(tensors, metadata if card is None else metadata | {"own_text": card})


def as_tensor(data: bytes) -> torch.Tensor:
    if not data:
        return torch.zeros(0, dtype=torch.uint8)
    return torch.frombuffer(bytearray(data), dtype=torch.uint8)


def text_made(**how: object) -> bytes:
    card = asdict(OwnText("")) | how
    del card["text"]
    return with_text(HEBREW.encode(), json.dumps(card))


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("run.safetensors", good())
    return out.getvalue()


class Trap:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return pytest.fail, ("a pickle was opened",)


def torch_file() -> bytes:
    out = io.BytesIO()
    torch.save({"model": torch.zeros(2)}, out)
    return out.getvalue()


def claims(shape: list[int]) -> bytes:
    """A header of a tensor that is not there, with our own metadata."""
    _, metadata = parts(good())
    end = 4
    for size in shape:
        end *= size
    tensor = {"dtype": "F32", "shape": shape, "data_offsets": [0, end]}
    header = json.dumps({"__metadata__": metadata, "model.x": tensor}).encode()
    return len(header).to_bytes(8, "little") + header + b"\0\0\0\0"


def other_pictures() -> bytes:
    _, seen = trained(replace(SMALL, n_layers=1), copying(), 3)
    return with_snapshots(seen)


BAD: dict[str, tuple[Callable[[], bytes], str]] = {
    "empty": (lambda: b"", "got an empty file"),
    "a zip": (zipped, "got a zip archive"),
    "what torch saves": (torch_file, "got a zip archive"),
    "a pickle": (lambda: pickle.dumps(Trap()), "got a pickle"),
    "json": (lambda: b'{"model": 1}', "got a JSON text"),
    "a text": (lambda: b"This is a text that somebody gave the wrong name.", "got another or a damaged file"),
    "an image": (lambda: b"\x89PNG\r\n\x1a\n" + bytes(200), "got another or a damaged file"),
    "zeros": (lambda: bytes(5000), "got another or a damaged file"),
    "another safetensors": (lambda: save_tensors({"x": torch.zeros(3)}), "got another or a damaged file"),
    "another's metadata": (lambda: save_tensors({"x": torch.zeros(3)}, {"format": "pt"}), "got another or a damaged"),
    "header larger than the file": (lambda: (2**62).to_bytes(8, "little") + good()[8:], "got another or a damaged"),
    "tensor larger than the file": (lambda: claims([10**6, 10**6]), "got another or a damaged"),
    "tensor of a size that overflows": (lambda: claims([2**62, 8]), "got another or a damaged"),
    "cut in half": (lambda: good()[: len(good()) // 2], "got another or a damaged file"),
    "a huge header": (lambda: with_huge_header(8_000_000), "got another or a damaged file"),
    "a header without end": (lambda: (10**7).to_bytes(8, "little") + b"[" * 10**7, "got another or a damaged file"),
    "a step of words": (lambda: with_card(step="3"), "(step '3')"),
    "a step before the first": (lambda: with_card(step=-1), "(step -1 of 10, learning rate times 1.0)"),
    "a rate that is no number": (lambda: with_card(rate_factor=float("nan")), "learning rate times nan"),
    "a rate out of reach": (lambda: with_card(rate_factor=1e300), "learning rate times 1e+300"),
    "no seed": (lambda: with_card(seed=None), "(no seed)"),
    "no recipe": (lambda: with_card(recipe=None), "(no recipe)"),
    "seed and recipe swapped": (swapped, "(recipe 3)"),
    "another version": (lambda: with_card(version=2), "(glass-transformer-run version 2)"),
    "moments of words": (lambda: with_card(numbers={"optimiser.0.0.step": "x"}), "words among the moments"),
    "weights that are not numbers": (
        lambda: with_tensors("model.", lambda each: each.fill_(float("nan"))),
        "numbers that are not finite",
    ),
    "an infinite weight": (
        lambda: with_tensors("model.unembed", lambda each: each.index_fill_(0, torch.tensor([0]), float("inf"))),
        "numbers that are not finite",
    ),
    "moments that are not numbers": (
        lambda: with_tensors("optimiser.0.0.exp", lambda each: each.fill_(float("nan"))),
        "numbers that are not finite",
    ),
    "weights of another shape": (lambda: with_tensors("model.", lambda each: each[:1]), "weights that are not those"),
    "weights of whole numbers": (
        lambda: with_tensors("model.", lambda each: each.long()),
        "weights that are not those",
    ),
    "another task of the model's kind": (lambda: with_recipe(task="english-french"), "weights that are not those"),
    "too wide": (lambda: with_recipe(d_model=512), "d_model: expected 1 to 256, got 512"),
    "wider than its weights": (lambda: with_recipe(d_model=256), "more numbers than the file holds"),
    "too many layers": (lambda: with_recipe(n_layers=10**9), "n_layers: expected 1 to 8, got 1000000000"),
    "too many heads": (lambda: with_recipe(n_heads=17), "n_heads: expected 1 to 16, got 17"),
    "heads that do not divide": (lambda: with_recipe(n_heads=3), "expected one that divides d_model 16"),
    "too long a context": (lambda: with_recipe(context_length=10**6), "context_length: expected 1 to 512"),
    "too many steps": (lambda: with_recipe(steps=10**6), "steps: expected 1 to 20000, got 1000000"),
    "too large a batch": (lambda: with_recipe(batch_size=10**6), "batch_size: expected 1 to 512"),
    "a strange optimiser": (lambda: with_recipe(optimiser="magic"), "optimiser: expected one of adamw, adam"),
    "a strange position": (lambda: with_recipe(position="magic"), "position: expected one of"),
    "a beta of 2": (lambda: with_recipe(beta2=2.0), "beta2: expected 0.0 to 0.9999, got 2"),
    "a strange task": (lambda: with_recipe(task="own-text-causal"), "task: expected one of copy"),
    "a task of other words": (lambda: with_recipe(task="addition"), "got another or a damaged file"),
    "a history of nothing": (lambda: with_history(torch.zeros(0, dtype=torch.uint8)), "history: expected a run's"),
    "a history of no bytes": (
        lambda: with_history(torch.zeros(9, dtype=torch.bfloat16)),
        "expected its curve as bytes",
    ),
    "a history cut short": (
        lambda: with_history(as_tensor(write_history(good_parts()[1])[:-9])),
        "history: expected a run's curve",
    ),
    "a history that begins later": (
        lambda: with_snapshots([replace(one, step=one.step + 100) for one in good_parts()[1]]),
        "expected a curve that reaches the saved step",
    ),
    "pictures of another model": (other_pictures, "expected the pictures of this run"),
    "pictures of other kinds": (
        lambda: with_snapshots([Snapshot(0, 1.0, 0.0, 0.0, 0, 0.0, drawn(0))]),
        "expected the pictures of this run",
    ),
    "no text": (lambda: with_text(), "expected the text that it learned from"),
    "a text of other bytes": (lambda: with_text(HEBREW.encode("utf-16")), "expected the text that it learned from"),
    "a text cut in a letter": (lambda: with_text(HEBREW.encode()[:-2]), "expected the text that it learned from"),
    "an empty text": (lambda: with_text(b""), "text: expected something to read, got an empty text"),
    "a short text": (lambda: with_text(b"one word"), "text: expected at least 640 tokens"),
    "a binary text": (lambda: with_text(b"\0" * 2000), "got a null character"),
    "another text": (lambda: with_text(CHINESE.encode()), "got another or a damaged file"),
    "a text's card of words": (lambda: with_text(HEBREW.encode(), "{"), "expected the text that it learned from"),
    "a text's card of a list": (lambda: with_text(HEBREW.encode(), "[1]"), "expected the text that it learned from"),
    "a text's card of null": (lambda: with_text(HEBREW.encode(), "null"), "expected the text that it learned from"),
    "a text's unknown entry": (lambda: text_made(secret=1), "expected the text that it learned from"),
    "a text's window of words": (lambda: text_made(window="x"), "expected the text that it learned from"),
    "a text's window of a fraction": (lambda: text_made(window=64.5), "expected the text that it learned from"),
    "a text's window below 0": (lambda: text_made(window=-1), "window: expected at least 8 tokens"),
    "a text's huge window": (lambda: text_made(window=10**12), "text: expected at least"),
    "a text's vocabulary of none": (
        lambda: text_made(objective="denoising", vocab_size=0),
        "expected the text that it learned from",
    ),
    "a text's huge vocabulary": (lambda: text_made(vocab_size=10**15), "expected the text that it learned from"),
    "a text's objective of a list": (lambda: text_made(objective=["causal"]), "expected the text that it learned from"),
    "a text's strange objective": (lambda: text_made(objective="magic"), "objective: expected one of causal"),
    "a text's other objective": (lambda: text_made(objective="prefix"), "one of own-text-causal"),
    "a text's strange tokenizer": (lambda: text_made(tokenizer="magic"), "expected a tokenizer kind out of word"),
    "a card that is deep": (
        lambda: with_text(HEBREW.encode(), "[" * 100_000),
        "expected the text that it learned from",
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_every_bad_file_gets_one_plain_sentence(kind: str) -> None:
    make, expected = BAD[kind]
    with pytest.raises(ValueError, match=re.escape(expected)) as caught:
        read_run(make())
    said = str(caught.value)
    assert "\n" not in said
    assert len(said) < 600


def test_a_file_that_is_too_large_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved_module, "LARGEST", 1_000_000)
    with pytest.raises(ValueError, match=r"^run: expected a file of at most 1 MB, got 3 MB\.$"):
        read_run(bytes(3_000_000))


def refused_or_read(data: bytes) -> bool:
    """Whether the bytes are a run; anything but a plain sentence fails."""
    said = ""
    try:
        read_run(data)
    except ValueError as error:
        said = str(error)
    assert "\n" not in said
    assert said.endswith(".") or not said
    return not said


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9))
def test_a_file_cut_short_anywhere_is_refused(cut: int) -> None:
    assert not refused_or_read(good()[: cut % len(good())])


@pytest.mark.parametrize("name", ["copy", "own text"])
def test_a_header_cut_or_changed_anywhere_is_refused_or_read(name: str) -> None:
    data = good() if name == "copy" else good_text()
    length = 8 + int.from_bytes(data[:8], "little")
    draw = random.Random(0)
    for at in draw.sample(range(length), 60 if name == "copy" else 25):
        assert not refused_or_read(data[:at])
        refused_or_read(data[:at] + bytes([data[at] ^ draw.randrange(1, 256)]) + data[at + 1 :])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 10**9), st.integers(1, 255)), min_size=1, max_size=3))
def test_flipped_bytes_give_a_run_or_a_plain_sentence(flips: list[tuple[int, int]]) -> None:
    data = bytearray(good())
    for at, change in flips:
        data[at % len(data)] ^= change
    refused_or_read(bytes(data))
