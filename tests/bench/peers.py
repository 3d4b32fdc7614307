"""The peers: models of other libraries at a given shape, with random weights; nothing is downloaded.

All are pre-norm with exact GELU, four heads, learned positions, untied unembedding and no dropout. What cannot be made
equal: x-transformers has no biases in its attention and its norms, which is a little less to compute.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import torch
from torch import Tensor, nn

from tests.bench.shape import N_HEADS, VOCABULARY, Shape
from viz_model.config import TransformerConfig
from viz_model.models import Decoder, Encoder

Logits = Callable[[Tensor], Tensor]  # ids [batch, position] to [batch, position, vocab_size]


def our_model(shape: Shape, *, causal: bool = True) -> Decoder | Encoder:
    config = TransformerConfig(
        vocab_size=VOCABULARY,
        context_length=shape.n_tokens,
        d_model=shape.d_model,
        n_layers=shape.n_layers,
        n_heads=N_HEADS,
        position="learned",
    )
    return (Decoder if causal else Encoder)(config)


class TorchEncoder(nn.Module):
    """`nn.TransformerEncoder` with the embeddings and the unembedding that it leaves to its user."""

    def __init__(self, shape: Shape, *, causal: bool) -> None:
        super().__init__()
        d = shape.d_model
        layer = nn.TransformerEncoderLayer(
            d, N_HEADS, 4 * d, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        self.embed = nn.Embedding(VOCABULARY, d)
        self.positions = nn.Parameter(torch.randn(shape.n_tokens, d) * 0.02)
        self.encoder = nn.TransformerEncoder(layer, shape.n_layers, nn.LayerNorm(d), enable_nested_tensor=False)
        self.unembed = nn.Linear(d, VOCABULARY, bias=False)
        self.mask = nn.Transformer.generate_square_subsequent_mask(shape.n_tokens) if causal else None

    def forward(self, ids: Tensor) -> Tensor:
        x = self.embed(ids) + self.positions
        return self.unembed(self.encoder(x, mask=self.mask, is_causal=self.mask is not None))


def torch_encoder(shape: Shape, *, causal: bool = True) -> tuple[nn.Module, Logits]:
    model = TorchEncoder(shape, causal=causal)
    return model, model


def x_transformers(shape: Shape, *, causal: bool = True) -> tuple[nn.Module, Logits]:
    library: Any = import_module("x_transformers")
    layers = (library.Decoder if causal else library.Encoder)(
        dim=shape.d_model,
        depth=shape.n_layers,
        heads=N_HEADS,
        attn_dim_head=shape.d_model // N_HEADS,
        attn_flash=True,
    )
    model = library.TransformerWrapper(num_tokens=VOCABULARY, max_seq_len=shape.n_tokens, attn_layers=layers)
    return model, model


def hugging_face(shape: Shape, *, attention: str = "sdpa") -> tuple[Any, Logits]:
    """GPT-2; `attention`: "sdpa" (torch's fused one) or "eager", which can give its weights."""
    library: Any = import_module("transformers")
    config = library.GPT2Config(
        vocab_size=VOCABULARY,
        n_positions=shape.n_tokens,
        n_embd=shape.d_model,
        n_layer=shape.n_layers,
        n_head=N_HEADS,
        activation_function="gelu",
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        use_cache=False,
        tie_word_embeddings=False,
        attn_implementation=attention,
        bos_token_id=0,
        eos_token_id=0,
    )
    model = library.GPT2LMHeadModel(config)
    return model, lambda ids: model(ids).logits


def transformer_lens(shape: Shape) -> Any:
    """TransformerLens' own small model, which it made to be read."""
    library: Any = import_module("transformer_lens")
    config = library.TransformerBridgeConfig(
        n_layers=shape.n_layers,
        d_model=shape.d_model,
        n_ctx=shape.n_tokens,
        d_head=shape.d_model // N_HEADS,
        n_heads=N_HEADS,
        d_mlp=4 * shape.d_model,
        d_vocab=VOCABULARY,
        act_fn="gelu",
        normalization_type="LN",
        device="cpu",
    )
    return library.TransformerBridge.boot_native(config)
