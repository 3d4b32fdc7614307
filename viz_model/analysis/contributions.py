"""What each head adds to the residual stream, and what each link of it weighs."""

from __future__ import annotations

from torch import Tensor

from viz_model.attention import AttentionTrace, MultiHeadAttention


def head_terms(layer: MultiHeadAttention, trace: AttentionTrace) -> Tensor:
    """heads[h] W_O[h], what head h adds to the stream: [batch, head, query, d_model].

    Summed over the heads, with the bias of W_O, this is `trace.out` (Elhage et al., 2021, 'Attention heads are
    independent and additive'). An ablated head's term is zero.
    """
    return trace.heads @ _w_o(layer)


def value_weighted_norms(layer: MultiHeadAttention, trace: AttentionTrace) -> Tensor:
    """||w_qk v_k W_O[h]||, the size of what a link really carries: [batch, head, query, key].

    Kobayashi et al. (2020): a large weight on a small value moves little. Biases of W_O belong to no link.
    """
    sizes: Tensor = (trace.v @ _w_o(layer)).norm(dim=-1)
    return trace.weights * sizes[:, :, None, :]


def _w_o(layer: MultiHeadAttention) -> Tensor:
    """W_O cut into its heads: [head, d_head, d_model]."""
    weight = layer.w_o.weight.detach()
    by_head: Tensor = weight.view(weight.shape[0], layer.n_heads, layer.d_head).permute(1, 2, 0)
    return by_head
