"""Small causal models of every body, all their parameters random."""

from __future__ import annotations

from typing import Any

import torch

from tests.viz_model.analysis.small_models import shaken
from viz_model.body_configs import ConvolutionalConfig, RecurrentConfig
from viz_model.config import TransformerConfig
from viz_model.models import Convolutional, Decoder, Recurrent

VOCAB = 11
IDS = torch.tensor([[3, 1, 4, 1, 5, 9], [2, 6, 5, 3, 5, 8]])


def attention(**changes: Any) -> Decoder:
    shape = {
        "vocab_size": VOCAB,
        "context_length": 512,
        "d_model": 8,
        "n_layers": 1,
        "n_heads": 2,
        "position": "rotary",
    }
    return shaken(Decoder(TransformerConfig(**(shape | changes)), seed=0), 0)


def recurrent(cell: str, **changes: Any) -> Recurrent:
    return shaken(
        Recurrent(RecurrentConfig(**({"vocab_size": VOCAB, "d_model": 5, "cell": cell} | changes)), seed=0), 1
    )


def convolutional(**changes: Any) -> Convolutional:
    shape = {"vocab_size": VOCAB, "d_model": 6, "n_layers": 2, "kernel": 3}
    return shaken(Convolutional(ConvolutionalConfig(**(shape | changes)), seed=0), 2)


MODELS = {
    "attention": attention(),
    "attention of two layers": attention(n_layers=2),
    "rnn": recurrent("rnn"),
    "lstm": recurrent("lstm", forget_bias=2.0),
    "lstm of two layers": recurrent("lstm", n_layers=2),
    "cnn": convolutional(),
    "cnn, dilated": convolutional(dilation=2, kernel=2, n_layers=3),
    "cnn without residual": convolutional(residual=False),
}
