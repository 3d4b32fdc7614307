"""The shapes of bodies without attention: counts, receptive fields, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viz_model.body_configs import ConvolutionalConfig, RecurrentConfig
from viz_model.models import Convolutional, Recurrent


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 3), st.sampled_from(["rnn", "lstm"]))
@settings(max_examples=20)
def test_recurrent_parameters_are_those_of_the_model(vocab: int, d: int, layers: int, cell: str) -> None:
    config = RecurrentConfig(vocab_size=vocab, d_model=d, n_layers=layers, cell=cell)  # type: ignore[arg-type]
    assert config.n_parameters == sum(p.numel() for p in Recurrent(config).parameters())


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 4), st.integers(1, 4), st.integers(1, 3))
@settings(max_examples=20)
def test_convolutional_parameters_are_those_of_the_model(v: int, d: int, layers: int, kernel: int, gap: int) -> None:
    config = ConvolutionalConfig(vocab_size=v, d_model=d, n_layers=layers, kernel=kernel, dilation=gap)
    assert config.n_parameters == sum(p.numel() for p in Convolutional(config).parameters())


@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 3))
def test_the_receptive_field_is_the_set_that_a_walk_back_reaches(layers: int, kernel: int, dilation: int) -> None:
    config = ConvolutionalConfig(vocab_size=2, n_layers=layers, kernel=kernel, dilation=dilation)
    reached = {0}
    for layer in range(layers):
        reached = {at + tap * dilation**layer for at in reached for tap in range(kernel)}
    assert config.receptive_field == max(reached) + 1
    assert config.gaps == tuple(dilation**layer for layer in range(layers))


@given(st.integers(1, 300), st.integers(2, 5), st.integers(1, 5))
def test_as_many_layers_span_n_as_first_have_a_field_of_n(n: int, kernel: int, dilation: int) -> None:
    found = ConvolutionalConfig(vocab_size=2, kernel=kernel, dilation=dilation, n_layers=1).layers_to_span(n)
    fields = [1]
    while fields[-1] < n:
        fields.append(fields[-1] + (kernel - 1) * dilation ** (len(fields) - 1))
    assert found == len(fields) - 1
    if dilation == 1:
        assert found == -(-(n - 1) // (kernel - 1))
    if dilation == kernel:  # the paper's log_k(n)
        assert kernel ** (found - 1) < n <= kernel**found or (n == 1 and found == 0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"d_model": 0}, "d_model: expected a whole number of at least 1, got 0"),
        ({"n_layers": 0}, "n_layers: expected"),
        ({"vocab_size": 1.5}, "vocab_size: expected"),
        ({"cell": "gru"}, "cell: expected one of rnn, lstm, got 'gru'"),
        ({"forget_bias": float("nan")}, "forget_bias: expected"),
    ],
)
def test_impossible_recurrent_shapes_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RecurrentConfig(**{"vocab_size": 5, **change})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change", [{"kernel": 0}, {"dilation": 0}, {"dilation": 2**40}, {"dilation": 2, "n_layers": 60}, {"kernel": 2**17}]
)
def test_impossible_convolutional_shapes_are_refused(change: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"expected"):
        ConvolutionalConfig(vocab_size=5, **change)


def test_a_kernel_of_one_never_spans() -> None:
    config = ConvolutionalConfig(vocab_size=5, kernel=1)
    assert config.layers_to_span(1) == 0
    with pytest.raises(ValueError, match="kernel: expected at least 2"):
        config.layers_to_span(2)
