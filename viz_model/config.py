"""The shape of a transformer, as data: frozen configurations and the published ones by name."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

PositionKind = Literal["sinusoidal", "learned", "rotary", "alibi", "t5", "none"]
NormKind = Literal["layer", "rms", "none"]
NormPlace = Literal["pre", "post"]
ActivationKind = Literal["relu", "gelu", "gelu_tanh", "geglu", "swiglu"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TransformerConfig:
    """One stack of transformer blocks with its embedding and its unembedding.

    A 0 stands for the usual choice: ``n_kv_heads`` = ``n_heads``, ``d_head`` = ``d_model / n_heads``,
    ``d_ff`` = 4 ``d_model``. After construction every field holds the real number.
    """

    vocab_size: int
    context_length: int = 512
    d_model: int = 64
    n_layers: int = 2
    n_heads: int = 4
    n_kv_heads: int = 0  # fewer than n_heads: grouped-query attention (Ainslie et al., 2023)
    d_head: int = 0
    d_ff: int = 0
    position: PositionKind = "sinusoidal"
    norm: NormKind = "layer"
    norm_place: NormPlace = "pre"
    activation: ActivationKind = "gelu"
    scaled: bool = True  # dots divided by sqrt(d_head) (Vaswani et al., 2017, section 3.2.1)
    bias: bool = True  # the linear layers add a bias
    tied: bool = False  # the unembedding is the token embedding, transposed
    feed_forward: bool = True  # False: attention only, as in the induction-head experiments
    residual: bool = True  # False: each sublayer's output takes the place of its input, to see what the sum is for
    rotary_base: float = 10_000.0

    def __post_init__(self) -> None:
        for name in ("vocab_size", "context_length", "d_model", "n_heads"):
            value = getattr(self, name)
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"{name}: expected a whole number of at least 1, got {value!r}.")
        if not self.rotary_base > 0:
            raise ValueError(f"rotary_base: expected a number above 0, got {self.rotary_base}.")
        if self.n_layers < 0:
            raise ValueError(f"n_layers: expected 0 or more, got {self.n_layers}.")
        if self.d_head < 0 or self.d_ff < 0 or self.n_kv_heads < 0:
            raise ValueError(
                "d_head, d_ff and n_kv_heads: expected 0 (the usual choice) or more, got "
                f"{self.d_head}, {self.d_ff} and {self.n_kv_heads}."
            )
        if not self.d_head and self.d_model % self.n_heads:
            fitting = [n for n in range(1, self.d_model + 1) if self.d_model % n == 0]
            raise ValueError(
                f"n_heads: expected a number that divides d_model {self.d_model} "
                f"(one of {', '.join(map(str, fitting))}), got {self.n_heads}; or give d_head."
            )
        kv_heads = self.n_kv_heads or self.n_heads
        if self.n_heads % kv_heads:
            fitting = [n for n in range(1, self.n_heads + 1) if self.n_heads % n == 0]
            raise ValueError(
                f"n_kv_heads: expected a number that divides n_heads {self.n_heads} "
                f"(one of {', '.join(map(str, fitting))}), got {kv_heads}."
            )
        object.__setattr__(self, "n_kv_heads", kv_heads)
        object.__setattr__(self, "d_head", self.d_head or self.d_model // self.n_heads)
        object.__setattr__(self, "d_ff", self.d_ff or 4 * self.d_model)
        if not (self.residual or self.feed_forward):
            raise ValueError("residual: expected True without feed-forward layers, or nothing would go on, got False.")
        if self.position == "rotary" and self.d_head % 2:
            raise ValueError(f"d_head: rotary positions turn pairs, expected an even number, got {self.d_head}.")
        _check_choice("position", self.position, get_args(PositionKind))
        _check_choice("norm", self.norm, get_args(NormKind))
        _check_choice("norm_place", self.norm_place, get_args(NormPlace))
        _check_choice("activation", self.activation, get_args(ActivationKind))


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderDecoderConfig:
    """An encoder and a decoder of the same width; depth, heads and vocabulary may differ."""

    encoder: TransformerConfig
    decoder: TransformerConfig

    def __post_init__(self) -> None:
        if self.encoder.d_model != self.decoder.d_model:
            raise ValueError(
                "d_model: cross-attention expects encoder and decoder of one width, got "
                f"{self.encoder.d_model} and {self.decoder.d_model}."
            )


Config = TransformerConfig | EncoderDecoderConfig


def config_to_dict(config: Config) -> dict[str, Any]:
    """The config as plain data for JSON."""
    return asdict(config)


def config_from_dict(data: dict[str, Any]) -> Config:
    """The inverse of `config_to_dict`; raises ValueError for unknown, missing or mistyped fields."""
    if not isinstance(data, dict):
        raise ValueError(f"config: expected an object with fields, got {type(data).__name__}.")
    if set(data) == {"encoder", "decoder"}:
        parts = {name: config_from_dict(part) for name, part in data.items()}
        if all(isinstance(part, TransformerConfig) for part in parts.values()):
            return EncoderDecoderConfig(**parts)  # type: ignore[arg-type]
        raise ValueError("config: expected one stack under 'encoder' and one under 'decoder', got nested ones.")
    fields = TransformerConfig.__dataclass_fields__
    if unknown := sorted(set(data) - set(fields)):
        raise ValueError(f"config: expected only known fields, got {', '.join(unknown)}.")
    if "vocab_size" not in data:
        raise ValueError("config: expected the field vocab_size, got none.")
    kinds = {"int": int, "bool": bool, "float": (int, float)}
    for name, value in data.items():
        wanted = kinds.get(str(fields[name].type), str)
        if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):  # type: ignore[arg-type]
            raise ValueError(f"config: expected {fields[name].type} for {name}, got {value!r}.")
    return TransformerConfig(**data)


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"{name}: expected one of {', '.join(choices)}, got {value!r}.")


def _gpt2(d_model: int, n_layers: int, n_heads: int) -> TransformerConfig:
    return TransformerConfig(
        vocab_size=50_257,
        context_length=1024,
        d_model=d_model,
        n_layers=n_layers,
        n_heads=n_heads,
        position="learned",
        activation="gelu_tanh",
        tied=True,
    )


def _original(d_model: int, n_heads: int) -> EncoderDecoderConfig:
    stack = TransformerConfig(
        vocab_size=37_000,
        d_model=d_model,
        n_layers=6,
        n_heads=n_heads,
        position="sinusoidal",
        norm_place="post",
        activation="relu",
    )
    return EncoderDecoderConfig(encoder=stack, decoder=stack)


# Sources: Vaswani et al., 2017, table 3; Radford et al., 2019, table 2; Grattafiori et al., 2024, table 3.
presets: dict[str, Config] = {
    "transformer-base": _original(512, 8),
    "transformer-big": _original(1024, 16),
    "gpt2": _gpt2(768, 12, 12),
    "gpt2-medium": _gpt2(1024, 24, 16),
    "gpt2-large": _gpt2(1280, 36, 20),
    "gpt2-xl": _gpt2(1600, 48, 25),
    "llama-3-8b": TransformerConfig(
        vocab_size=128_256,
        context_length=8192,
        d_model=4096,
        n_layers=32,
        n_heads=32,
        n_kv_heads=8,
        d_ff=14_336,
        position="rotary",
        rotary_base=500_000.0,
        norm="rms",
        activation="swiglu",
        bias=False,
    ),
}
