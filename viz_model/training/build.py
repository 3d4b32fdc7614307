"""From a recipe and a task to a fresh model."""

from __future__ import annotations

from typing import Any

from viz_model.config import EncoderDecoderConfig, TransformerConfig
from viz_model.models import Decoder, Encoder, EncoderDecoder, Span, VisionEncoder
from viz_model.tasks.digits import Digits
from viz_model.tasks.task import Task
from viz_model.training.recipe import Recipe


def build(recipe: Recipe, task: Task, *, seed: int) -> Any:
    """A model of the recipe's shape and the task's vocabulary; it knows the task's tokenizers."""
    if isinstance(task, Digits):
        return VisionEncoder(shape(recipe, len(task.classes)), seed=seed)
    config = shape(recipe, task.tokenizer.vocab_size)
    if task.kind == "encoder-decoder":
        target = task.target_tokenizer or task.tokenizer
        both = EncoderDecoderConfig(encoder=config, decoder=shape(recipe, target.vocab_size))
        return EncoderDecoder(both, seed=seed, tokenizer=task.tokenizer, target_tokenizer=task.target_tokenizer)
    if task.kind == "encoder":
        return Encoder(config, seed=seed, tokenizer=task.tokenizer)
    if task.kind == "decoder":
        return Decoder(config, seed=seed, tokenizer=task.tokenizer)
    if task.kind == "span":
        return Span(config, seed=seed, tokenizer=task.tokenizer)
    raise ValueError(f"kind: expected a decoder, an encoder, an encoder-decoder or a span model, got {task.kind!r}.")


def shape(recipe: Recipe, vocab_size: int) -> TransformerConfig:
    """The config of one stack of a recipe."""
    return TransformerConfig(
        vocab_size=vocab_size,
        context_length=recipe.context_length,
        d_model=recipe.d_model,
        n_layers=recipe.n_layers,
        n_heads=recipe.n_heads,
        d_ff=recipe.d_ff,
        position=recipe.position,
        norm=recipe.norm,
        norm_place=recipe.norm_place,
        activation=recipe.activation,
        feed_forward=recipe.feed_forward,
    )
