"""From a recipe and a task to a fresh model."""

from __future__ import annotations

from typing import Any, get_args

from viz_model.body_configs import ConvolutionalConfig, RecurrentConfig
from viz_model.config import EncoderDecoderConfig, TransformerConfig
from viz_model.models import Convolutional, Decoder, Encoder, EncoderDecoder, Recurrent, Span, VisionEncoder
from viz_model.tasks.digits import Digits
from viz_model.tasks.task import Task
from viz_model.training.recipe import BodyKind, Recipe


def build(recipe: Recipe, task: Task, *, seed: int) -> Any:
    """A model of the recipe's shape and the task's vocabulary; it knows the task's tokenizers."""
    if recipe.body != "transformer":
        return _body(recipe, task, seed)
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


def _body(recipe: Recipe, task: Task, seed: int) -> Recurrent | Convolutional:
    """A model without attention; it reads from left to right only."""
    if task.kind != "decoder":
        raise ValueError(f"body: expected a transformer for {task.name}, got {recipe.body}, which only reads forwards.")
    config = body_shape(recipe, task.tokenizer.vocab_size)
    if isinstance(config, ConvolutionalConfig):
        return Convolutional(config, seed=seed, tokenizer=task.tokenizer)
    return Recurrent(config, seed=seed, tokenizer=task.tokenizer)


def body_shape(recipe: Recipe, vocab_size: int) -> RecurrentConfig | ConvolutionalConfig:
    """The config of a model without attention."""
    d_model, n_layers = recipe.d_model, recipe.n_layers
    if recipe.body == "cnn":
        return ConvolutionalConfig(
            vocab_size=vocab_size,
            d_model=d_model,
            n_layers=n_layers,
            kernel=recipe.kernel,
            dilation=recipe.dilation,
        )
    if recipe.body == "lstm":
        return RecurrentConfig(
            vocab_size=vocab_size, d_model=d_model, n_layers=n_layers, forget_bias=recipe.forget_bias
        )
    if recipe.body == "rnn":
        return RecurrentConfig(vocab_size=vocab_size, d_model=d_model, n_layers=n_layers, cell="rnn")
    raise ValueError(f"body: expected one of {', '.join(get_args(BodyKind))}, got {recipe.body!r}.")


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
        scaled=recipe.scaled,
        feed_forward=recipe.feed_forward,
        residual=recipe.residual,
    )
