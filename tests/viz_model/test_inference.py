"""From a text to a trace: what comes out, what is refused, and that viewers of one model never meet."""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import torch

from tests.viz_model.models.small_models import BASE, model_of, pair_of
from viz_model.config import EncoderDecoderConfig
from viz_model.edits import AblateHead, Edit, KnockOut, PatchHead, SetWeight, UniformHead
from viz_model.inference import run
from viz_model.models import Decoder, Encoder, EncoderDecoder, EncoderDecoderTrace
from viz_model.tokenizer import Specials, Tokenizer

ENGLISH = Tokenizer.from_words(["the", "The", "cat", "sat", "on", "mat", "a", "dog"])
FRENCH = Tokenizer.from_words(["le", "chat", "noir", "dort"])
MASKED = Tokenizer.from_words(["The", "cat", "sat", "on", "the", "mat"], Specials.masked())
BYTES = Tokenizer.train("byte-bpe", ["the cat sat"], vocab_size=270)


def decoder(tokenizer: Tokenizer | None = ENGLISH, **changes: int) -> Decoder:
    vocab_size = tokenizer.vocab_size if tokenizer else 12
    model = model_of(Decoder, replace(BASE, vocab_size=vocab_size, **changes))
    model.tokenizer = tokenizer
    return model.eval()


def translator() -> EncoderDecoder:
    encoder = replace(BASE, vocab_size=ENGLISH.vocab_size, n_layers=3)
    model = pair_of(EncoderDecoderConfig(encoder=encoder, decoder=replace(BASE, vocab_size=FRENCH.vocab_size)))
    model.tokenizer, model.target_tokenizer = ENGLISH, FRENCH
    return model.eval()


def test_a_run_is_one_text_with_its_tokens_and_no_gradient() -> None:
    model = decoder()
    trace = run(model, "The cat sat")
    assert trace.tokens == ("[BOS]", "The", "cat", "sat")
    assert trace.ids.tolist() == [[ENGLISH.id(token) for token in trace.tokens]]
    assert trace.logits.shape == (1, 4, ENGLISH.vocab_size)
    assert trace.logits.is_inference()
    assert not trace.logits.requires_grad
    assert not torch.is_inference_mode_enabled()
    assert torch.equal(trace.logits, model(trace.ids.clone()).logits)


def test_a_masked_model_reads_both_ends() -> None:
    model = model_of(Encoder, replace(BASE, vocab_size=MASKED.vocab_size))
    model.tokenizer = MASKED
    trace = run(model, "The [MASK] sat")
    assert trace.tokens == ("[CLS]", "The", "[MASK]", "sat", "[SEP]")
    assert (trace.blocks[0].attention.weights > 0).all()


@pytest.mark.parametrize(
    ("text", "got"),
    [("", "an empty text"), ("  \t\n ", "an empty text"), ("\0", "characters that are left out")],
)
def test_a_text_without_a_token_is_refused_in_words(text: str, got: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"text: expected at least one word, got {got}.")):
        run(decoder(), text)


def test_white_space_is_a_text_to_a_model_of_bytes_alone() -> None:
    assert run(decoder(BYTES), "  ").tokens[0] == "[BOS]"
    with pytest.raises(ValueError, match="got an empty text"):
        run(decoder(BYTES), "")


def test_the_limit_is_the_models_context() -> None:
    model = decoder(context_length=5)
    assert len(run(model, "the cat sat on").tokens) == 5
    with pytest.raises(ValueError, match=re.escape("text: expected at most 5 tokens (the model's context), got 6.")):
        run(model, "the cat sat on the")


def test_an_unknown_word_and_one_that_looks_like_markup_are_read() -> None:
    assert run(decoder(), "The <s> 1984").tokens[:2] == ("[BOS]", "The")
    assert "[UNK]" in run(decoder(), "The zebra").tokens


def test_what_a_model_lacks_or_has_too_much_is_said() -> None:
    with pytest.raises(ValueError, match=r"model: expected one with a tokenizer \(vm.load gives one\)"):
        run(decoder(None), "The cat")
    with pytest.raises(ValueError, match="target: expected none, since this model has one stack"):
        run(decoder(), "The cat", target="le chat")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="target: an encoder-decoder expects the text that its decoder has written"):
        run(translator(), "The cat")  # type: ignore[call-overload]
    bare = translator()
    bare.tokenizer = None
    with pytest.raises(ValueError, match="expected one with a tokenizer"):
        run(bare, "The cat", target="le")


def test_an_encoder_decoder_reads_two_languages_of_two_lengths() -> None:
    model = translator()
    trace = run(model, "the cat sat on the mat", target="le chat")
    assert isinstance(trace, EncoderDecoderTrace)
    assert trace.encoder.tokens == ("[BOS]", "the", "cat", "sat", "on", "the", "mat")
    assert trace.decoder.tokens == ("[BOS]", "le", "chat")
    assert trace.decoder.blocks[0].cross_attention.weights.shape == (1, 4, 3, 7)
    assert (len(trace.encoder.blocks), len(trace.decoder.blocks)) == (3, 2)
    ids = (torch.tensor([ENGLISH.encode("the cat sat on the mat").ids]), torch.tensor([FRENCH.encode("le chat").ids]))
    assert torch.equal(trace.logits, model(*ids).logits)


def test_a_decoder_that_has_written_nothing_yet_reads_its_begin_token() -> None:
    model = translator()
    assert run(model, "the cat", target="").decoder.tokens == ("[BOS]",)
    with pytest.raises(ValueError, match="text: expected at least one word"):
        run(model, "", target="le")
    model.target_tokenizer = Tokenizer.from_words(["le", "chat", "noir", "dort"], Specials(add_begin=False))
    with pytest.raises(ValueError, match="target: expected at least one word"):
        run(model, "the cat", target="")


def test_one_tokenizer_serves_both_sides_where_there_is_one() -> None:
    model = translator()
    model.tokenizer, model.target_tokenizer = FRENCH, None
    assert run(model, "le chat noir", target="chat").decoder.tokens == ("[BOS]", "chat")


def test_a_target_that_is_too_long_is_called_a_target() -> None:
    with pytest.raises(ValueError, match=re.escape("target: expected at most 16 tokens")):
        run(translator(), "the cat", target="le " * 16)


def test_a_head_is_patched_from_a_text() -> None:
    model, other = decoder(), "a dog sat"
    patched = run(model, "The cat sat", edits=(PatchHead(0, 1, other),)).blocks[0].attention
    plain, source = run(model, "The cat sat").blocks[0].attention, run(model, other).blocks[0].attention
    assert torch.equal(patched.heads[:, 1], source.heads[:, 1])
    assert torch.equal(patched.heads[:, 0], plain.heads[:, 0])
    assert not torch.equal(patched.heads[:, 1], plain.heads[:, 1])
    with pytest.raises(ValueError, match="same number of tokens"):
        run(model, "The cat sat", edits=(PatchHead(0, 1, "a dog"),))


def test_a_head_of_cross_attention_is_patched_from_a_text_with_the_same_target() -> None:
    model = translator()
    edit = PatchHead(1, 2, "the dog sat", stack="decoder", attention="cross")
    patched = run(model, "The cat sat", target="le chat", edits=(edit,)).decoder.blocks[1].cross_attention
    source = run(model, "the dog sat", target="le chat").decoder.blocks[1].cross_attention
    assert torch.equal(patched.heads[:, 2], source.heads[:, 2])


def test_viewers_of_one_model_never_meet() -> None:
    """With hooks on a shared model most edited runs leak into another viewer's; an argument cannot."""
    model = decoder()
    viewers: list[tuple[str, tuple[Edit, ...]]] = [
        ("The cat sat on the mat", ()),
        ("The cat sat on the mat", (AblateHead(0, 1),)),
        ("The cat sat on the mat", (UniformHead(1, 3), KnockOut(0, 0, None, 1))),
        ("a dog sat", (SetWeight(0, 2, 2, 0, 0.5),)),
        ("The cat sat on the mat", (PatchHead(1, 0, "the dog sat on a mat"),)),
        ("a dog", ()),
    ]
    alone = [run(model, text, edits=edits).logits for text, edits in viewers]
    assert not torch.equal(alone[0], alone[1])
    rounds = list(range(len(viewers))) * 40
    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(lambda i: run(model, viewers[i][0], edits=viewers[i][1]).logits, rounds))
    wrong = [i for i, logits in zip(rounds, together, strict=True) if not torch.equal(logits, alone[i])]
    assert wrong == []
