"""A transformer made of glass: everything that it computes can be seen, checked and changed.

    import viz_model as vm
    model = vm.load("english-causal")
    trace = vm.run(model, "The cat sat on the mat", edits=(vm.AblateHead(layer=0, head=2),))
    trace.blocks[0].attention.weights[0, 2]

Names are imported when they are first used, so that `vm.figures` costs no torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from viz_model import analysis, figures
    from viz_model.attention import AttentionTrace, MultiHeadAttention, attend
    from viz_model.beam import BeamNode, BeamTree, beam_search
    from viz_model.blocks import BlockTrace, CrossBlockTrace
    from viz_model.checkpoint import CheckpointError, bundled, load, read_card, save
    from viz_model.computation import steps
    from viz_model.config import EncoderDecoderConfig, TransformerConfig, presets
    from viz_model.edit_codes import parse_edit
    from viz_model.edits import AblateHead, KnockOut, PatchHead, SetWeight, UniformHead
    from viz_model.generation import Sampling, generate, token_distribution
    from viz_model.inference import run
    from viz_model.models import Decoder, Encoder, EncoderDecoder, EncoderDecoderTrace, ModelTrace, StackTrace
    from viz_model.terms import arithmetic
    from viz_model.textbook import textbook_example
    from viz_model.tokenizer import Encoding, Specials, Tokenizer
    from viz_model.training.recipe import Recipe, recipes
    from viz_model.training.trainer import train

_homes = {
    "attention": "AttentionTrace MultiHeadAttention attend",
    "beam": "BeamNode BeamTree beam_search",
    "blocks": "BlockTrace CrossBlockTrace",
    "checkpoint": "CheckpointError bundled load read_card save",
    "computation": "steps",
    "config": "EncoderDecoderConfig TransformerConfig presets",
    "edit_codes": "parse_edit",
    "edits": "AblateHead KnockOut PatchHead SetWeight UniformHead",
    "generation": "Sampling generate token_distribution",
    "inference": "run",
    "models": "Decoder Encoder EncoderDecoder EncoderDecoderTrace ModelTrace StackTrace",
    "terms": "arithmetic",
    "textbook": "textbook_example",
    "tokenizer": "Encoding Specials Tokenizer",
    "training.recipe": "Recipe recipes",
    "training.trainer": "train",
}
_home = {name: module for module, names in _homes.items() for name in names.split()}

__all__ = [
    "AblateHead",
    "AttentionTrace",
    "BeamNode",
    "BeamTree",
    "BlockTrace",
    "CheckpointError",
    "CrossBlockTrace",
    "Decoder",
    "Encoder",
    "EncoderDecoder",
    "EncoderDecoderConfig",
    "EncoderDecoderTrace",
    "Encoding",
    "KnockOut",
    "ModelTrace",
    "MultiHeadAttention",
    "PatchHead",
    "Recipe",
    "Sampling",
    "SetWeight",
    "Specials",
    "StackTrace",
    "Tokenizer",
    "TransformerConfig",
    "UniformHead",
    "analysis",
    "arithmetic",
    "attend",
    "beam_search",
    "bundled",
    "figures",
    "generate",
    "load",
    "parse_edit",
    "presets",
    "read_card",
    "recipes",
    "run",
    "save",
    "steps",
    "textbook_example",
    "token_distribution",
    "train",
]


def __getattr__(name: str) -> Any:
    if name in ("analysis", "figures"):
        return import_module(f"viz_model.{name}")
    if name not in _home:
        raise AttributeError(f"module 'viz_model' has no attribute {name!r}")
    value = getattr(import_module(f"viz_model.{_home[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
