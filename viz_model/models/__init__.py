"""Whole models: an encoder, a decoder, and the two joined. Calling one gives its trace."""

from viz_model.models.decoder import Decoder
from viz_model.models.encoder import Encoder
from viz_model.models.encoder_decoder import EncoderDecoder, EncoderDecoderTrace
from viz_model.models.stack import ModelTrace, Stack, StackTrace

Model = Encoder | Decoder | EncoderDecoder
Trace = ModelTrace | EncoderDecoderTrace

__all__ = [
    "Decoder",
    "Encoder",
    "EncoderDecoder",
    "EncoderDecoderTrace",
    "Model",
    "ModelTrace",
    "Stack",
    "StackTrace",
    "Trace",
]
