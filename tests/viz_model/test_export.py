"""A whole trace as a file: every tensor under its name, labels beside them, nothing that needs unpickling."""

import io
import json
import zipfile
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from tests.viz_model.models.small_models import BASE, ids_of, model_of, pair_of
from viz_model.checkpoint import load
from viz_model.config import EncoderDecoderConfig
from viz_model.edits import AblateHead
from viz_model.export import tensors_of, trace_npz
from viz_model.inference import run
from viz_model.models import Decoder

STACK = {"ids", "token_embedding", "position_embedding", "embedding", "final_norm"}
BLOCK = {"resid_pre", "normed_attention", "resid_mid", "normed_feed_forward", "resid_post"}
BLOCK |= {"feed_forward.pre", "feed_forward.post", "feed_forward.out"}
ATTENTION = {"q", "k", "v", "scale", "mask", "weights", "heads", "out"}


def read(raw: bytes) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    with np.load(io.BytesIO(raw), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    return arrays, json.loads(str(arrays.pop("labels")))


def follow(trace: Any, name: str) -> Any:
    for part in name.split("."):
        trace = trace[int(part)] if part.isdigit() else getattr(trace, part)
    return trace


def equals_the_trace(arrays: dict[str, np.ndarray], trace: Any) -> None:
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, np.asarray(follow(trace, name)).astype(array.dtype), err_msg=name)


def test_a_run_as_a_file() -> None:
    edit = AblateHead(0, 2)
    text = "The cat sat, <s> & “mat” שלום"
    trace = run(load("english-causal"), text, edits=(edit,))  # type: ignore[arg-type, call-overload]
    arrays, labels = read(trace_npz(trace, model="english-causal", text=text, edits=(edit.code,)))
    blocks = {f"blocks.{i}.{name}" for i in range(3) for name in {*BLOCK, *(f"attention.{part}" for part in ATTENTION)}}
    assert set(arrays) == {*STACK, "logits", *blocks}
    equals_the_trace(arrays, trace)
    assert arrays["blocks.0.attention.weights"].dtype == np.float32
    assert not arrays["blocks.0.attention.heads"][0, 2].any()
    assert labels == {
        "model": "english-causal",
        "seed": 0,
        "text": text,
        "tokens": list(trace.tokens),
        "edits": ["ablate_0_2"],
    }
    assert len(labels["tokens"]) == arrays["blocks.0.attention.weights"].shape[-1]


@pytest.mark.parametrize("position", ["alibi", "t5"])
def test_the_bias_of_positions_is_among_them(position: Any) -> None:
    trace = model_of(Decoder, replace(BASE, position=position)).requires_grad_(False)(ids_of(2, 5))
    arrays, labels = read(trace_npz(trace, model="a random toy", text=""))
    assert arrays["blocks.1.attention.bias"].shape == (1, 4, 5, 5)
    equals_the_trace(arrays, trace)
    assert labels["seed"] is None


def test_a_trace_that_a_gradient_runs_through_is_written_too() -> None:
    trace = model_of(Decoder, replace(BASE, n_layers=0))(ids_of(1, 3))
    arrays, _ = read(trace_npz(trace, model="x" * 5000, text=""))
    assert set(arrays) == {*STACK, "logits"}


def test_both_stacks_of_an_encoder_decoder() -> None:
    pair = pair_of(EncoderDecoderConfig(encoder=replace(BASE, n_layers=1), decoder=BASE)).requires_grad_(False)
    trace = pair(ids_of(1, 5), ids_of(1, 3))
    trace = replace(
        trace,
        encoder=replace(trace.encoder, tokens=tuple("abcde")),
        decoder=replace(trace.decoder, tokens=tuple("xyz")),
    )
    arrays, labels = read(trace_npz(trace, model="pair", text="abcde"))
    assert arrays["decoder.blocks.1.cross_attention.weights"].shape == (1, 4, 3, 5)
    assert not any(name.startswith("encoder.blocks.1") for name in arrays)
    equals_the_trace(arrays, trace)
    assert (labels["tokens"], labels["target_tokens"]) == (list("abcde"), list("xyz"))


def test_the_same_trace_gives_the_same_bytes_and_no_pickle() -> None:
    trace = model_of(Decoder, BASE).requires_grad_(False)(ids_of(1, 4))
    raw = trace_npz(trace, model="toy", text="a")
    assert raw == trace_npz(trace, model="toy", text="a")
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        assert archive.testzip() is None
        assert all(archive.read(name)[:6] == b"\x93NUMPY" for name in archive.namelist())


def test_tensors_come_in_the_order_of_the_computation() -> None:
    trace = model_of(Decoder, BASE)(ids_of(1, 4))
    names = [name for name, _ in tensors_of(trace)]
    first, last = names.index("blocks.0.resid_pre"), names.index("blocks.1.resid_post")
    assert names.index("embedding") < first < names.index("blocks.0.attention.q") < last
    assert dict(tensors_of(trace))["blocks.0.attention.scale"] == torch.tensor(0.5)
