"""What each head adds to the residual stream, and what each link of it weighs."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from viz_model.attention import AttentionTrace, MultiHeadAttention


@dataclass(frozen=True, slots=True, eq=False)
class OutputParts:
    """An attention layer's output as the sum of its heads' terms and the bias of W_O."""

    terms: Tensor  # [batch, head, query, d_model]
    bias: Tensor  # [d_model]  zeros without a bias
    out: Tensor  # [batch, query, d_model]

    @property
    def sizes(self) -> Tensor:
        """The length of each head's term: [batch, head, query]."""
        sizes: Tensor = self.terms.norm(dim=-1)
        return sizes

    @property
    def shares(self) -> Tensor:
        """How much of the output each head makes, along the output's own direction: [batch, head + 1, query].

        term . out / |out|^2, the bias last: they sum to 1. A share is below 0 where a head works against the rest, and
        all are 0 where the output is.
        """
        n_heads = self.terms.shape[1]
        parts = self.terms.new_empty(self.terms.shape[0], n_heads + 1, *self.terms.shape[2:])
        parts[:, :n_heads], parts[:, n_heads] = self.terms, self.bias
        along = (parts * self.out[:, None]).sum(-1)
        whole = self.out.square().sum(-1)[:, None]
        shares: Tensor = along / whole.clamp(min=1e-30)
        return shares

    @property
    def residual(self) -> float:
        """The largest difference between the sum of the parts and the output, over all entries."""
        return float((self.terms.sum(1) + self.bias - self.out).detach().abs().max())


def output_parts(layer: MultiHeadAttention, trace: AttentionTrace) -> OutputParts:
    """`trace.out` taken apart, head by head (`head_terms`)."""
    bias = layer.w_o.bias
    return OutputParts(
        head_terms(layer, trace), trace.out.new_zeros(trace.out.shape[-1]) if bias is None else bias.detach(), trace.out
    )


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
