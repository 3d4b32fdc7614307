"""A trace as the ordered steps of the computation: what is multiplied with what, and what comes out.

Every number is the trace's own. `arithmetic` writes one cell of a result as its terms and checks that they add up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from viz_model.attention import AttentionTrace, MultiHeadAttention, masked_softmax
from viz_model.models.one_stack import OneStack
from viz_model.models.stack import ModelTrace

Array = NDArray[np.float32]
Role = Literal["plain", "query", "key", "value", "attention", "signed"]
Rule = Literal[
    "given", "lookup", "sum", "norm", "rms", "affine", "rotation", "dots", "scale", "mask", "softmax", "edit", "matmul"
]


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """A matrix with the names of its rows and columns."""

    name: str  # as written: Q, K^T, W_Q
    values: Array  # [row, column]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    role: Role = "plain"
    masked: NDArray[np.bool_] | None = None  # [row, column]  cells that may not be attended to

    def __post_init__(self) -> None:
        if self.values.shape != (len(self.rows), len(self.columns)):
            raise ValueError(
                f"{self.name}: expected {len(self.rows)} x {len(self.columns)} values, got {self.values.shape}."
            )


@dataclass(frozen=True, slots=True, eq=False)
class Equation:
    """operands -> result, by a rule. `factor` is the number that a rule needs: the scale."""

    operands: tuple[Matrix, ...]
    rule: Rule
    result: Matrix
    factor: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One step of the computation."""

    name: str  # stable, for links
    title: str
    formula: str  # LaTeX
    equations: tuple[Equation, ...]


def steps(model: OneStack, trace: ModelTrace, *, layer: int, head: int, query: int) -> tuple[Step, ...]:
    """The steps from the tokens to one query's attention output, in one head of one layer."""
    tokens, x = trace.tokens, columns(trace.embedding.shape[-1], "d")
    block, layers = trace.blocks[layer], model.stack.layers[layer]
    n = len(tokens)
    ids = Matrix("ids", array(trace.ids[0][:, None]), tokens, ("id",))
    token_embedding = Matrix("E", array(trace.token_embedding[0]), tokens, x, "signed")
    position_embedding = Matrix("P", array(trace.position_embedding[0]), _positions(n), x, "signed")
    embedding = Matrix("X", array(trace.embedding[0]), tokens, x, "signed")
    resid = Matrix("resid_pre", array(block.resid_pre[0]), tokens, x, "signed")
    before: tuple[Step, ...] = (
        Step("tokens", "Tokens", r"\text{text} \to \text{tokens}", (_given(_places(tokens)),)),
        Step("ids", "Token ids", r"\text{token} \to \text{id}", (Equation((_places(tokens),), "lookup", ids),)),
        Step("embedding", "Embeddings", r"E = W_E[\text{ids}]", (Equation((ids,), "lookup", token_embedding),)),
        Step(
            "positions",
            "Add positions",
            r"X = E + P",
            (Equation((token_embedding, position_embedding), "sum", embedding),),
        ),
    )
    read = resid
    if model.config.norm_place == "pre" and model.config.norm != "none":
        read = Matrix("norm", array(block.normed_attention[0]), tokens, x, "signed")
        before += (_norm_step(layers.norm_attention, resid, read, layer),)
    turns = getattr(model.stack.positions, "angle", None)
    angle = None if turns is None else array(turns[:n])
    return before + attention_steps(layers.attention, block.attention, read, head=head, query=query, angle=angle)


def attention_steps(
    module: MultiHeadAttention,
    trace: AttentionTrace,
    x: Matrix,
    *,
    head: int,
    query: int,
    angle: Array | None = None,
    divisor: str = r"\sqrt{d_k}",
) -> tuple[Step, ...]:
    """The steps of one head: projections, dots, scale, mask, softmax, weighted sum, W_O.

    x: what the layer reads; angle: the turns of rotary positions, [position, d_head / 2]; divisor: the scale, in LaTeX.
    """
    tokens, d = x.rows, columns(trace.q.shape[-1], "d")
    word, row = (tokens[query],), slice(query, query + 1)
    blocked = ~trace.mask[0, 0, row].numpy()

    def of_row(name: str, tensor: Tensor, names: tuple[str, ...], role: Role, *, masked: bool = False) -> Matrix:
        return Matrix(name, array(tensor[0, head, row]), word, names, role, blocked if masked else None)

    dots, scores = of_row("dots", trace.dots, tokens, "signed"), of_row("scores", trace.scores, tokens, "signed")
    masked = of_row("masked scores", trace.scores, tokens, "signed", masked=True)
    softmax = of_row("weights", masked_softmax(trace.scores, trace.mask), tokens, "attention", masked=True)
    weights = of_row("weights", trace.weights, tokens, "attention", masked=True)
    heads = of_row(f"head {head}", trace.heads, d, "value")
    values = Matrix("V", array(trace.v[0, head]), tokens, d, "value")
    bias = () if trace.bias is None else (of_row("bias", trace.bias, tokens, "signed"),)
    turned = r" + \text{bias}" if bias else ""

    softmaxed: tuple[Equation, ...] = (Equation((masked,), "softmax", softmax),)
    if not np.allclose(softmax.values, weights.values, atol=1e-6):
        softmaxed += (Equation((softmax,), "edit", weights),)
    made = Matrix(heads.name, weights.values @ values.values, word, d, "value")
    summed: tuple[Equation, ...] = (Equation((weights, values), "matmul", heads),)
    if not np.allclose(made.values, heads.values, atol=1e-4):
        summed = (Equation((weights, values), "matmul", made), Equation((made,), "edit", heads))

    keys = Matrix("Kᵀ", array(trace.k[0, head].T), d, tokens, "key")
    asks = of_row(f"q({word[0]})", trace.q, d, "query")
    names = tuple(f"h{h}.{i}" for h in range(trace.heads.shape[1]) for i in d)
    concat = Matrix("concat", array(trace.heads[0, :, query].flatten()[None]), word, names, "value")
    out = Matrix("out", array(trace.out[0, row]), word, x.columns, "signed")
    projections = tuple(eq for name in "QKV" for eq in _projection(module, trace, x, name, head, angle))
    return (
        Step("qkv", "Query, key, value", r"Q = X W_Q \quad K = X W_K \quad V = X W_V", projections),
        Step("dots", "Dot products", r"\text{dots} = Q K^\top", (Equation((asks, keys), "dots", dots),)),
        Step(
            "scale",
            "Scale",
            rf"\text{{scores}} = \frac{{Q K^\top}}{{{divisor}}}{turned}",
            (Equation((dots, *bias), "scale", scores, factor=trace.scale),),
        ),
        Step(
            "mask", "Mask", r"s_j = -\infty \text{ where } j \text{ is masked}", (Equation((scores,), "mask", masked),)
        ),
        Step("softmax", "Softmax", r"w_j = \frac{e^{s_j}}{\sum_k e^{s_k}}", softmaxed),
        Step("heads", "Weighted sum of values", r"\text{head} = w V = \sum_j w_j v_j", summed),
        Step(
            "out",
            "Join the heads",
            r"\text{out} = \operatorname{concat}(\text{head}_0, \ldots) W_O",
            (Equation((concat, *_linear(module.w_o, "W_O", "b_O", names, x.columns)), "affine", out),),
        ),
    )


def _norm_step(norm: nn.Module, resid: Matrix, read: Matrix, layer: int) -> Step:
    assert isinstance(norm, nn.LayerNorm | nn.RMSNorm)
    gain = Matrix("gain", array(norm.weight[None]), ("gain",), resid.columns)
    operands: tuple[Matrix, ...] = (resid, gain)
    if isinstance(norm, nn.LayerNorm):
        formula = r"\operatorname{norm}(x) = \frac{x - \mu}{\sqrt{\sigma^2 + \varepsilon}} \odot \gamma + \beta"
        if norm.bias is not None:
            operands += (Matrix("shift", array(norm.bias[None]), ("shift",), resid.columns),)
        return Step("norm", f"What layer {layer} reads", formula, (Equation(operands, "norm", read, factor=norm.eps),))
    formula = r"\operatorname{norm}(x) = \frac{x}{\sqrt{\overline{x^2} + \varepsilon}} \odot \gamma"
    return Step(
        "norm", f"What layer {layer} reads", formula, (Equation(operands, "rms", read, factor=norm.eps or 0.0),)
    )


def _projection(
    module: MultiHeadAttention, trace: AttentionTrace, x: Matrix, name: str, head: int, angle: Array | None
) -> tuple[Equation, ...]:
    """X W + b for one head's queries, keys or values, and the turn after it where positions are rotary."""
    role = _roles[name]
    d = columns(module.d_head, "d")
    group = module.n_heads // module.n_kv_heads
    first = sum(module.widths[: "QKV".index(name)]) + (head if name == "Q" else head // group) * module.d_head
    part = slice(first, first + module.d_head)
    weight = Matrix(f"W_{name}", array(module.w_qkv.weight[part].T), x.columns, d, role)
    operands: tuple[Matrix, ...] = (x, weight)
    if module.w_qkv.bias is not None:
        operands += (Matrix(f"b_{name}", array(module.w_qkv.bias[None, part]), ("bias",), d, role),)
    used = Matrix(name, array({"Q": trace.q, "K": trace.k, "V": trace.v}[name][0, head]), x.rows, d, role)
    if name == "V" or angle is None:
        return (Equation(operands, "affine", used),)
    made = sum((bias.values for bias in operands[2:]), start=x.values @ weight.values)
    plain = Matrix(f"{name} before its turn", made, x.rows, d, role)
    turn = tuple(
        Matrix(label, np.concatenate((f(angle), f(angle)), axis=1), x.rows, d)
        for label, f in (("cos", np.cos), ("sin", np.sin))
    )
    return Equation(operands, "affine", plain), Equation((plain, *turn), "rotation", used)


_roles: dict[str, Role] = {"Q": "query", "K": "key", "V": "value"}


def _linear(
    linear: nn.Linear, weight: str, bias: str, rows: tuple[str, ...], cols: tuple[str, ...]
) -> tuple[Matrix, ...]:
    matrices: tuple[Matrix, ...] = (Matrix(weight, array(linear.weight.T), rows, cols),)
    if linear.bias is not None:
        matrices += (Matrix(bias, array(linear.bias[None]), ("bias",), cols),)
    return matrices


def _places(tokens: tuple[str, ...]) -> Matrix:
    return Matrix("tokens", np.arange(len(tokens), dtype=np.float32)[:, None], tokens, ("position",))


def _given(matrix: Matrix) -> Equation:
    return Equation((), "given", matrix)


def _positions(n: int) -> tuple[str, ...]:
    return tuple(f"position {i}" for i in range(n))


def columns(n: int, letter: str) -> tuple[str, ...]:
    """d0, d1, ...: the names of a vector's entries."""
    return tuple(f"{letter}{i}" for i in range(n))


def array(tensor: Tensor) -> Array:
    """A tensor's values as float32, detached."""
    return tensor.detach().float().numpy()
