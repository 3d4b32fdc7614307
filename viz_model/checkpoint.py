"""A model on disk: `model.safetensors` for the weights, `model.json` for all else. Never pickle.

The JSON holds the config, the tokenizers, the recipe and seed that trained it and the figures that it reached.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors

from viz_model.config import Config, EncoderDecoderConfig, TransformerConfig, config_from_dict, config_to_dict
from viz_model.models import Decoder, Encoder, EncoderDecoder, Model, Span, VisionEncoder
from viz_model.tokenizer import Tokenizer

FORMAT = "glass-transformer"
VERSION = 1
LARGEST_CONTEXT = 2**26  # numbers in a table of positions: about a million positions at d_model 64
LARGEST_BASE = 1e12  # of rotary positions; the largest published ones are below 1e8
BUNDLED = Path(__file__).parent.parent / "assets" / "models"

# A vision encoder is an encoder too: the narrower kind stands first.
_kinds: dict[str, type[Encoder] | type[Decoder] | type[Span]] = {
    "vision": VisionEncoder,
    "encoder": Encoder,
    "decoder": Decoder,
    "span": Span,
}


class CheckpointError(ValueError):
    """A file that is no checkpoint of ours, or a damaged one; the message says what was expected and what was got."""


@dataclass(frozen=True, slots=True)
class Card:
    """What a checkpoint says of itself."""

    kind: str  # encoder, decoder, vision, span, encoder-decoder
    recipe: Mapping[str, Any]
    seed: int | None
    figures: Mapping[str, Any]  # name -> what training reached, e.g. held-out loss


def bundled() -> tuple[str, ...]:
    """The names of the models that ship, sorted."""
    return tuple(sorted(path.parent.name for path in BUNDLED.glob("*/model.json")))


def save(
    model: Model | Span,
    folder: str | Path,
    *,
    recipe: Mapping[str, Any] | None = None,
    seed: int | None = None,
    figures: Mapping[str, Any] | None = None,
) -> None:
    """Writes the model to a folder, made where it is missing. The same model gives the same bytes."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tokenizers = {
        name: tokenizer.to_json()
        for name in ("tokenizer", "target_tokenizer")
        if (tokenizer := getattr(model, name, None)) is not None
    }
    card = {
        "format": FORMAT,
        "version": VERSION,
        "kind": _kind(model),
        "config": config_to_dict(model.config),
        "recipe": dict(recipe or {}),
        "seed": seed,
        "figures": dict(figures or {}),
        **tokenizers,
    }
    tied = getattr(model.config, "tied", False) or getattr(getattr(model.config, "decoder", None), "tied", False)
    tensors = {
        name: tensor.contiguous()
        for name, tensor in model.state_dict().items()
        if not (tied and name == "unembed.weight")  # the same tensor as the embedding: written once
    }
    (folder / "model.safetensors").write_bytes(save_tensors(tensors))
    (folder / "model.json").write_text(json.dumps(card, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def load(name: str | Path) -> Model | Span:
    """A bundled model by its name, or any checkpoint by its folder; in eval mode, its weights frozen.

    Raises CheckpointError where there is none, or where it is damaged or not one of ours.
    """
    folder = _folder(name)
    card = _read_json(folder)
    tensors = _read_tensors(folder / "model.safetensors")
    try:
        config = config_from_dict(card["config"])
        _check_size(config, tensors)
        model = _build(card["kind"], config)
        for name in ("tokenizer", "target_tokenizer"):
            if name in card:
                setattr(model, name, _tokenizer(card[name], config, name))
    except KeyError as missing:
        raise CheckpointError(f"{folder / 'model.json'}: expected the field {missing}, got none.") from None
    except (TypeError, ValueError) as error:
        raise CheckpointError(f"{folder / 'model.json'}: {error}") from None
    _fill(model, tensors, folder / "model.safetensors")
    return model.eval().requires_grad_(False)


def read_card(name: str | Path) -> Card:
    """What a checkpoint says of itself, without its weights."""
    card = _read_json(_folder(name))
    return Card(card.get("kind", ""), card.get("recipe", {}), card.get("seed"), card.get("figures", {}))


def _folder(name: str | Path) -> Path:
    if isinstance(name, str) and name in bundled():
        return BUNDLED / name
    folder = Path(name)
    if not os.path.isdir(folder):  # False, not an error, for a name that no file can have
        raise CheckpointError(f"model: expected one of {', '.join(bundled())} or a checkpoint's folder, got {name!r}.")
    return folder


def _read_json(folder: Path) -> dict[str, Any]:
    path = folder / "model.json"
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CheckpointError(f"{folder}: expected the files model.json and model.safetensors, got none.") from None
    except (OSError, ValueError, RecursionError) as error:  # not UTF-8 and not JSON are both a ValueError
        raise CheckpointError(f"{path}: expected JSON text, got something damaged ({error}).") from None
    if not isinstance(card, dict) or card.get("format") != FORMAT:
        raise CheckpointError(f"{path}: expected a file that says format {FORMAT!r}, got a foreign one.")
    if card.get("version") != VERSION:
        raise CheckpointError(f"{path}: expected version {VERSION}, got {card.get('version')!r}.")
    return card


def _build(kind: object, config: Config) -> Model | Span:
    if kind == "encoder-decoder" and isinstance(config, EncoderDecoderConfig):
        return EncoderDecoder(config)
    if isinstance(kind, str) and kind in _kinds and isinstance(config, TransformerConfig):
        return _kinds[kind](config)
    known = "encoder, decoder or another known kind (encoder-decoder, span, vision)"
    raise ValueError(f"kind: expected {known} with a config to match, got {kind!r}.")


def _tokenizer(text: str, config: Config, name: str) -> Tokenizer:
    made = Tokenizer.from_json(text)
    if isinstance(config, EncoderDecoderConfig):
        config = config.encoder if name == "tokenizer" else config.decoder
    if made.vocab_size > config.vocab_size:
        raise ValueError(f"{name}: expected at most {config.vocab_size} tokens (vocab_size), got {made.vocab_size}.")
    return made


def _read_tensors(path: Path) -> dict[str, torch.Tensor]:
    try:
        tensors = load_tensors(path.read_bytes())
    except FileNotFoundError:
        raise CheckpointError(f"{path}: expected the weights in this file, got none.") from None
    except (OSError, SafetensorError, KeyError, RuntimeError, ValueError) as error:
        raise CheckpointError(
            f"{path}: expected a safetensors file, got something else or damaged ({error})."
        ) from None
    for name, tensor in tensors.items():
        if tensor.dtype != torch.float32:
            raise CheckpointError(
                f"{path}: expected {name} in float32, got {str(tensor.dtype).removeprefix('torch.')}."
            )
    return tensors


def _check_size(config: Config, tensors: Mapping[str, torch.Tensor]) -> None:
    """Raises ValueError for a model that must not even be made to compare shapes: it could take all the memory."""
    largest = max((tensor.numel() for tensor in tensors.values()), default=0)
    for part in (config.encoder, config.decoder) if isinstance(config, EncoderDecoderConfig) else (config,):
        widths = [part.vocab_size]
        if part.n_layers:
            widths += [part.n_heads * part.d_head, part.d_ff if part.feed_forward else 0]
        if max(widths) * part.d_model > largest or part.n_layers > len(tensors):
            raise ValueError("config: expected the size of the weights beside it, got a larger model.")
        if not 1.0 <= part.rotary_base <= LARGEST_BASE:
            raise ValueError(f"rotary_base: expected a number from 1 to {LARGEST_BASE:.0e}, got one outside.")
        if part.context_length * part.d_model > LARGEST_CONTEXT:
            raise ValueError(
                f"context_length: expected at most {LARGEST_CONTEXT // part.d_model} at d_model {part.d_model}, "
                f"got {part.context_length}."
            )


def _fill(model: Model | Span, tensors: Mapping[str, torch.Tensor], path: Path) -> None:
    wanted = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
    if not isinstance(model, Span) and model.unembed.weight is _target_embedding(model):
        del wanted["unembed.weight"]
    got = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    if wanted != got:
        wrong = sorted(name for name in wanted.keys() | got.keys() if wanted.get(name) != got.get(name))
        first = wrong[0]
        raise CheckpointError(
            f"{path}: expected {first} of shape {list(wanted.get(first, ())) or 'none'}, "
            f"got {list(got.get(first, ())) or 'none'} ({len(wrong)} such differences)."
        )
    broken = [name for name, tensor in tensors.items() if not torch.isfinite(tensor).all()]
    if broken:
        raise CheckpointError(f"{path}: expected finite weights, got NaN or infinity in {broken[0]}.")
    model.load_state_dict(tensors, strict=False)


def _target_embedding(model: Model) -> torch.Tensor:
    stack = model.decoder if isinstance(model, EncoderDecoder) else model.stack
    return stack.embed.weight


def _kind(model: Model | Span) -> str:
    if isinstance(model, EncoderDecoder):
        return "encoder-decoder"
    return next(name for name, kind in _kinds.items() if isinstance(model, kind))
