"""Whole models: an encoder, a decoder, the two joined, an encoder of images; and two kinds without attention.

Calling one gives its trace.
"""

from viz_model.models.convolutional import Convolutional, ConvolutionalLayerTrace, ConvolutionalTrace
from viz_model.models.decoder import Decoder
from viz_model.models.encoder import Encoder
from viz_model.models.encoder_decoder import EncoderDecoder, EncoderDecoderTrace
from viz_model.models.recurrent import GateTrace, Recurrent, RecurrentLayerTrace, RecurrentTrace
from viz_model.models.span import Span, SpanTrace
from viz_model.models.stack import ModelTrace, Stack, StackTrace
from viz_model.models.vision import VisionEncoder, VisionTrace

Model = Encoder | Decoder | EncoderDecoder  # those with an unembedding: logits over a vocabulary
Trace = ModelTrace | EncoderDecoderTrace

__all__ = [
    "Convolutional",
    "ConvolutionalLayerTrace",
    "ConvolutionalTrace",
    "Decoder",
    "Encoder",
    "EncoderDecoder",
    "EncoderDecoderTrace",
    "GateTrace",
    "Model",
    "ModelTrace",
    "Recurrent",
    "RecurrentLayerTrace",
    "RecurrentTrace",
    "Span",
    "SpanTrace",
    "Stack",
    "StackTrace",
    "Trace",
    "VisionEncoder",
    "VisionTrace",
]
