"""torch's own layers with our weights copied in: the oracle that attention, blocks and models are held against."""

import torch
from torch import Tensor, nn

from viz_model.attention import MultiHeadAttention
from viz_model.blocks import CrossSublayers, Sublayers
from viz_model.config import TransformerConfig


@torch.no_grad()
def roughen(module: nn.Module, seed: int = 1) -> None:
    """Moves every weight off its start, so that biases are not 0 and norms not 1 and a forgotten one shows."""
    generator = torch.Generator().manual_seed(seed)
    for weight in module.parameters():
        weight.add_(torch.randn(weight.shape, generator=generator), alpha=0.2)


def random_tensor(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float32) -> Tensor:
    """Normal numbers from a generator of their own."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


@torch.no_grad()
def twin_attention(ours: MultiHeadAttention, config: TransformerConfig) -> nn.MultiheadAttention:
    """nn.MultiheadAttention that computes the same; shared keys and values are written out once a head."""
    twin = nn.MultiheadAttention(config.d_model, config.n_heads, bias=config.bias, batch_first=True)
    _copy_attention(ours, twin)
    return twin


@torch.no_grad()
def twin_encoder_layer(ours: Sublayers, config: TransformerConfig) -> nn.TransformerEncoderLayer:
    """nn.TransformerEncoderLayer that computes the same as a block of ours without cross-attention."""
    twin = nn.TransformerEncoderLayer(
        config.d_model,
        config.n_heads,
        config.d_ff,
        dropout=0.0,
        activation=config.activation,
        batch_first=True,
        norm_first=config.norm_place == "pre",
        bias=config.bias,
    )
    _copy_attention(ours.attention, twin.self_attn)
    _copy_feed_forward(ours, twin)
    twin.norm1.load_state_dict(ours.norm_attention.state_dict())
    twin.norm2.load_state_dict(ours.norm_feed_forward.state_dict())
    return twin


@torch.no_grad()
def twin_decoder_layer(ours: CrossSublayers, config: TransformerConfig) -> nn.TransformerDecoderLayer:
    """nn.TransformerDecoderLayer that computes the same as a block of ours with cross-attention."""
    twin = nn.TransformerDecoderLayer(
        config.d_model,
        config.n_heads,
        config.d_ff,
        dropout=0.0,
        activation=config.activation,
        batch_first=True,
        norm_first=config.norm_place == "pre",
        bias=config.bias,
    )
    _copy_attention(ours.attention, twin.self_attn)
    _copy_attention(ours.cross_attention, twin.multihead_attn)
    _copy_feed_forward(ours, twin)
    twin.norm1.load_state_dict(ours.norm_attention.state_dict())
    twin.norm2.load_state_dict(ours.norm_cross.state_dict())
    twin.norm3.load_state_dict(ours.norm_feed_forward.state_dict())
    return twin


def _copy_attention(ours: MultiHeadAttention, twin: nn.MultiheadAttention) -> None:
    d_model, group = ours.w_o.out_features, ours.n_heads // ours.n_kv_heads

    def once_a_head(weight: Tensor) -> Tensor:
        by_head = weight.reshape(ours.n_kv_heads, ours.d_head, -1)
        return torch.stack([by_head[head // group] for head in range(ours.n_heads)]).reshape(d_model, -1)

    twin.in_proj_weight.copy_(torch.cat((ours.w_q, once_a_head(ours.w_k), once_a_head(ours.w_v))))
    twin.out_proj.weight.copy_(ours.w_o.weight)
    if ours.w_qkv.bias is not None:
        width = ours.n_kv_heads * ours.d_head
        q, k, v = ours.w_qkv.bias.split((d_model, width, width))
        twin.in_proj_bias.copy_(torch.cat((q, once_a_head(k).flatten(), once_a_head(v).flatten())))
        twin.out_proj.bias.copy_(ours.w_o.bias)


def _copy_feed_forward(ours: Sublayers, twin: nn.TransformerEncoderLayer | nn.TransformerDecoderLayer) -> None:
    twin.linear1.load_state_dict(ours.feed_forward.w_in.state_dict())
    twin.linear2.load_state_dict(ours.feed_forward.w_out.state_dict())
