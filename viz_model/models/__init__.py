"""Whole models: an encoder, a decoder, the two joined, and an encoder of images. Calling one gives its trace."""

from viz_model.models.decoder import Decoder
from viz_model.models.encoder import Encoder
from viz_model.models.encoder_decoder import EncoderDecoder, EncoderDecoderTrace
from viz_model.models.span import Span, SpanTrace
from viz_model.models.stack import ModelTrace, Stack, StackTrace
from viz_model.models.vision import VisionEncoder, VisionTrace

Model = Encoder | Decoder | EncoderDecoder  # those with an unembedding: logits over a vocabulary
Trace = ModelTrace | EncoderDecoderTrace

__all__ = [
    "Decoder",
    "Encoder",
    "EncoderDecoder",
    "EncoderDecoderTrace",
    "Model",
    "ModelTrace",
    "Span",
    "SpanTrace",
    "Stack",
    "StackTrace",
    "Trace",
    "VisionEncoder",
    "VisionTrace",
]
