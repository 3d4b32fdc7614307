"""A transformer block as a plan: its sublayers, its norms, and the arrows between them by the trace's names.

The plan is made from a config alone. It says what a picture has to draw, and which tensor of a block's trace lies on
each arrow: every tensor of the trace is on one arrow and the other way round.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Protocol

SublayerKind = Literal["attention", "cross_attention", "feed_forward", "none"]  # none: a norm of the stream alone
NORMS = {"layer": "LayerNorm", "rms": "RMSNorm", "none": ""}
MEMORY = "encoder.final_norm"  # what cross-attention reads


class BlockConfig(Protocol):
    """What a plan needs to know of a stack's config."""

    @property
    def n_layers(self) -> int: ...
    @property
    def d_model(self) -> int: ...
    @property
    def n_heads(self) -> int: ...
    @property
    def d_head(self) -> int: ...
    @property
    def d_ff(self) -> int: ...
    @property
    def norm(self) -> str: ...
    @property
    def norm_place(self) -> str: ...
    @property
    def activation(self) -> str: ...
    @property
    def feed_forward(self) -> bool: ...
    @property
    def residual(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Arrow:
    """One arrow of the picture and the tensor on it."""

    name: str  # its path in a block's trace: 'resid_mid', 'attention.out'; 'encoder.final_norm' for what comes across
    shape: tuple[str, ...]  # without the batch: ('6', '64'), or ('positions', '64') where no text is said
    also: tuple[str, ...] = ()  # other names of the same tensor


@dataclass(frozen=True, slots=True)
class Sublayer:
    """One sublayer: what it reads and leaves, with the norm before it (pre) or after the sum (post)."""

    kind: SublayerKind
    title: str
    detail: str
    normed: Arrow | None  # from the norm to the sublayer, in a pre-norm block that has norms
    out: Arrow | None  # None where it is the stream after it: no sum and no norm lie between
    leaves: Arrow  # the stream after it
    memory: Arrow | None = None  # the encoder's output, which cross-attention reads


@dataclass(frozen=True, slots=True)
class BlockPlan:
    """All that a picture of a block draws."""

    enters: Arrow
    sublayers: tuple[Sublayer, ...]
    norm: str  # the name in the box, '' for none
    norm_after: bool  # post-norm: the norm stands on the stream, after the sum
    residual: bool
    n_layers: int

    @property
    def arrows(self) -> tuple[Arrow, ...]:
        """In the order of the computation."""
        found = [self.enters]
        for one in self.sublayers:
            found += [arrow for arrow in (one.normed, one.memory, one.out, one.leaves) if arrow is not None]
        return tuple(found)

    def arrow(self, name: str) -> Arrow:
        """The arrow that a tensor of the trace lies on, by any of its names; raises ValueError that lists them."""
        for arrow in self.arrows:
            if name in (arrow.name, *arrow.also):
                return arrow
        raise ValueError(f"arrow: expected one of {', '.join(a.name for a in self.arrows)}, got {name!r}.")

    @property
    def summary(self) -> str:
        """The picture as one sentence."""
        steps = []
        for one in self.sublayers:
            words = [one.title.lower()] if one.kind != "none" else []
            if self.residual and words:
                words.append("added to the stream")
            if self.norm:
                words.insert(len(words) if self.norm_after else 0, self.norm)
            steps.append(", ".join(words))
        kind = "norm-free" if not self.norm else "post-norm" if self.norm_after else "pre-norm"
        cut = "" if self.residual else " without residual connections"
        times = "once" if self.n_layers == 1 else f"{self.n_layers} times over"
        return f"A {kind} block{cut}, {times}: {'; then '.join(steps)}."


def block_plan(
    config: BlockConfig, *, cross_attention: bool = False, n: int | None = None, n_memory: int | None = None
) -> BlockPlan:
    """The plan of one block of a stack.

    cross_attention: the stack is the decoder of an encoder-decoder. n: positions of the text that is shown; n_memory:
    those of the encoder's.
    """
    norm, after = NORMS.get(config.norm, config.norm), config.norm_place == "post"
    heads = f"{config.n_heads} heads of {config.d_head}" if config.n_heads > 1 else f"1 head of {config.d_head}"
    widths = f"{config.d_model} \u2192 {config.d_ff} \u2192 {config.d_model}, {config.activation}"
    kinds: list[SublayerKind] = ["attention"]
    kinds += ["cross_attention"] if cross_attention else []
    kinds += ["feed_forward"] if config.feed_forward else []
    titles = {"attention": "Self-attention", "cross_attention": "Cross-attention", "feed_forward": "Feed-forward"}
    normed = {"attention": "normed_attention", "cross_attention": "normed_cross", "feed_forward": "normed_feed_forward"}
    streams = ["resid_pre", *(["resid_cross"] if cross_attention else []), "resid_mid", "resid_post"][: len(kinds) + 1]

    # Where nothing lies between two names of the trace they are one tensor, and one arrow.
    also: dict[str, tuple[str, ...]] = {}
    for i, kind in enumerate(kinds):
        if after or not norm:
            same = streams[i + 1] if after else streams[i]
            also[same] = (*also.get(same, ()), normed[kind])
        if not config.residual and not (norm and after):
            also[streams[i + 1]] = (*also.get(streams[i + 1], ()), f"{kind}.out")

    def arrow(name: str) -> Arrow:
        rows = n_memory if name == MEMORY else n
        return Arrow(name, (str(rows) if rows else "positions", str(config.d_model)), also.get(name, ()))

    sublayers = [
        Sublayer(
            kind,
            titles[kind],
            widths if kind == "feed_forward" else heads,
            normed=arrow(normed[kind]) if norm and not after else None,
            out=None if f"{kind}.out" in also.get(stream, ()) else arrow(f"{kind}.out"),
            leaves=arrow(stream),
            memory=arrow(MEMORY) if kind == "cross_attention" else None,
        )
        for kind, stream in zip(kinds, streams[1:], strict=True)
    ]
    if not config.feed_forward and after and norm:
        also["resid_post"] = ("normed_feed_forward",)
        sublayers.append(Sublayer("none", "", "", None, None, arrow("resid_post")))
    elif not config.feed_forward:  # such a block ends where its attention does
        also["resid_post"] = ("resid_mid", *also.get("resid_mid", ()))
        sublayers[-1] = replace(sublayers[-1], leaves=arrow("resid_post"))
    return BlockPlan(arrow("resid_pre"), tuple(sublayers), norm, after, config.residual, config.n_layers)
