"""What a picture shows of the weights: hidden, merged or cut, each row's sum is kept or what it lacks is said."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch

from tests.viz_model.models.small_models import BASE, model_of
from tests.viz_model.trained_tokenizers import FAMILY, TOKENIZERS
from viz_model.blocks import BlockTrace
from viz_model.display import REST, Lens, Shown, place_of, shown
from viz_model.edits import Edit, KnockOut
from viz_model.inference import run
from viz_model.models import Decoder, Encoder, ModelTrace, StackTrace
from viz_model.tokenizer import Encoding, Specials, Tokenizer

PIECES = Tokenizer.train("wordpiece", ["the cat sat on the mat"] * 4 + ["unsettling"], 40, Specials.masked())
TEXT = "unsettling cat sat on mats"


def model_with(tokenizer: Tokenizer, *, causal: bool = False) -> Encoder | Decoder:
    config = replace(BASE, vocab_size=tokenizer.vocab_size, context_length=64)
    model = model_of(Decoder, config) if causal else model_of(Encoder, config)
    model.tokenizer = tokenizer
    return model


def looked(
    lens: Lens, text: str = TEXT, tokenizer: Tokenizer = PIECES, *, causal: bool = False, edits: tuple[Edit, ...] = ()
) -> tuple[Shown, ModelTrace, Encoding]:
    trace = run(model_with(tokenizer, causal=causal), text, edits=edits)
    encoding = tokenizer.encode(text)
    return shown(trace, encoding, lens), trace, encoding


def weights_of(trace: ModelTrace) -> np.ndarray:
    return np.stack([block.attention.weights[0].numpy() for block in trace.blocks]).astype(np.float64)


def test_without_a_lens_it_is_the_trace() -> None:
    seen, trace, encoding = looked(Lens())
    np.testing.assert_array_equal(np.stack(seen.weights), weights_of(trace))
    assert seen.queries == seen.keys == trace.tokens == encoding.tokens
    assert seen.rows == seen.columns == tuple(range(i, i + 1) for i in range(len(encoding)))
    assert seen.mask.all()
    assert seen.hidden_mass == 0


def test_the_text_is_cut_into_pieces() -> None:
    """Else the tests below would merge nothing."""
    encoding = PIECES.encode(TEXT)
    assert len(encoding) > 9
    assert any(token.startswith("##") for token in encoding.tokens)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("hide", "renormalise", "merge"), list(product([False, True], repeat=3)))
@pytest.mark.parametrize(("first", "last"), [(0, 0), (2, 8), (0, 3), (5, 99), (3, 3)])
def test_every_composition_is_the_sum_of_its_parts(
    hide: bool, renormalise: bool, merge: bool, first: int, last: int, causal: bool
) -> None:
    lens = Lens(hide_specials=hide, renormalise=renormalise, merge_words=merge, first=first, last=last)
    seen, trace, encoding = looked(lens, causal=causal)
    weights = weights_of(trace)
    n, special = len(encoding), np.array(encoding.special)
    visible = ~special if hide else np.ones(n, bool)
    lacking = weights[..., ~visible].sum(-1)  # layer, head, query
    if renormalise:
        total = weights[..., visible].sum(-1, keepdims=True)
        weights = np.where(visible, weights / np.where(total == 0, 1, total), 0)
    shown_positions = {position for group in seen.columns for position in group}
    for layer, layer_seen in enumerate(seen.weights):
        assert layer_seen.shape == (4, len(seen.rows), len(seen.columns))
        for (i, row), (j, column) in product(enumerate(seen.rows), enumerate(seen.columns)):
            keys = list(column) or [k for k in range(n) if visible[k] and k not in shown_positions]
            expected = weights[layer][:, list(row)][:, :, keys].sum(-1).mean(-1)
            np.testing.assert_allclose(layer_seen[:, i, j], expected, atol=1e-6)
    sums = np.stack([layer.sum(-1) for layer in seen.weights])
    hidden = np.stack([lacking[..., list(row)].mean(-1) for row in seen.rows], -1)
    np.testing.assert_allclose(sums, np.where(renormalise & (hidden < 1 - 1e-6), 1, 1 - hidden), atol=1e-5)
    assert seen.hidden_mass == pytest.approx(float(hidden.mean()), abs=1e-5)
    assert (seen.hidden_mass > 0) is hide


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize(("first", "last"), [(0, 0), (0, 4), (3, 7), (7, 0)])
def test_a_cell_is_masked_where_nothing_in_it_may_be_read(merge: bool, first: int, last: int, causal: bool) -> None:
    seen, trace, _ = looked(Lens(merge_words=merge, first=first, last=last), causal=causal)
    whole = trace.blocks[0].attention.mask[0, 0].numpy()
    inside = {position for group in seen.columns for position in group}
    for (i, row), (j, column) in product(enumerate(seen.rows), enumerate(seen.columns)):
        keys = list(column) or [k for k in range(len(trace.tokens)) if k not in inside]
        assert seen.mask[i, j] == whole[np.ix_(list(row), keys)].any()
        if not seen.mask[i, j]:
            assert not any(layer[:, i, j].any() for layer in seen.weights)


def test_rows_read_and_columns_are_read() -> None:
    """Asymmetric on purpose: the first token reads the last alone, every other one itself."""
    encoding = PIECES.encode("cat sat on the mat")
    n = len(encoding)
    weights = torch.eye(n)[None, None].clone()
    weights[0, 0, 0] = torch.eye(n)[-1]
    _, trace, _ = looked(Lens(), "cat")
    block = trace.blocks[0]
    attention = replace(block.attention, weights=weights, mask=torch.ones(1, 1, n, n, dtype=torch.bool))
    made: StackTrace[BlockTrace] = replace(trace, tokens=encoding.tokens, blocks=(replace(block, attention=attention),))
    for lens in (Lens(), Lens(merge_words=True)):
        seen = shown(made, encoding, lens)
        assert seen.weights[0][0, 0, -1] == 1
        assert seen.weights[0][0, -1, 0] == 0
    half = shown(made, encoding, Lens(last=1))
    assert half.weights[0][0].tolist() == [[0, 0, 1], [0, 1, 0]]


def test_merged_words_have_their_own_spelling_and_positions() -> None:
    seen, _, encoding = looked(Lens(merge_words=True))
    assert seen.queries == ("[CLS]", "unsettling", "cat", "sat", "on", "mats", "[SEP]")
    assert [position for group in seen.rows for position in group] == list(range(len(encoding)))
    hidden, _, _ = looked(Lens(merge_words=True, hide_specials=True))
    assert hidden.queries == seen.queries[1:-1]
    assert hidden.rows == seen.rows[1:-1]


def test_a_character_in_pieces_is_whole_again_as_a_word() -> None:
    tokenizer = TOKENIZERS["byte-bpe"]
    text = "cat 🤖 貓"
    assert any("‹" in token for token in tokenizer.encode(text).tokens)
    merged, _, _ = looked(Lens(merge_words=True), text, tokenizer, causal=True)
    assert merged.queries == ("[BOS]", "cat", "␣🤖", "␣貓")


@pytest.mark.parametrize("text", ["שלום עולם", "عربي ٣٤", f"{FAMILY} cat", "<script>alert(1)</script>", "a"])
def test_any_script_keeps_its_order(text: str) -> None:
    tokenizer = TOKENIZERS["byte-bpe"]
    seen, trace, encoding = looked(Lens(merge_words=True), text, tokenizer, causal=True)
    assert [group.start for group in seen.rows] == sorted(group.start for group in seen.rows)
    assert len(seen.queries) == len({*encoding.words} - {None}) + 1
    np.testing.assert_allclose(np.stack(seen.weights).sum(-1), 1, atol=1e-5)
    assert seen.weights[0].shape[1] < len(trace.tokens) or text == "a"


def test_one_token() -> None:
    tokenizer = Tokenizer.from_words(["cat"], Specials(add_begin=False))
    for lens in (Lens(), Lens(True, True, True, 0, 5), Lens(first=3, last=9)):
        seen, _, _ = looked(lens, "cat", tokenizer, causal=True)
        assert [layer.tolist() for layer in seen.weights] == [[[[1.0]]] * 4] * 2
        assert seen.queries == seen.keys == ("cat",)


def test_everything_hidden_leaves_an_empty_picture() -> None:
    for merge, renormalise in product([False, True], repeat=2):
        seen, _, _ = looked(Lens(True, renormalise, merge, 2, 4), "[MASK]")
        assert seen.weights[0].shape == (4, 0, 0)
        assert seen.queries == seen.keys == ()
        assert seen.mask.shape == (0, 0)
        assert seen.hidden_mass == 0


def test_a_row_that_reads_hidden_tokens_alone_stays_zero() -> None:
    """The first word of a causal model after its begin token, when the link to itself is cut."""
    tokenizer = Tokenizer.from_words(["cat", "sat"])
    cut = (KnockOut(0, 0, 1, 1),)
    seen, _, _ = looked(Lens(hide_specials=True, renormalise=True), "cat sat", tokenizer, causal=True, edits=cut)
    assert seen.weights[0][0, 0].tolist() == [0, 0]
    assert seen.weights[0][0, 1].sum() == pytest.approx(1)


def test_what_an_edit_took_is_not_called_hidden() -> None:
    tokenizer = Tokenizer.from_words(["cat", "sat"], Specials(add_begin=False))
    cut = (KnockOut(0, 0, None, 0, renormalise=False),)
    seen, trace, _ = looked(Lens(hide_specials=True), "cat sat cat", tokenizer, causal=True, edits=cut)
    assert seen.weights[0][0].sum() < 2.9
    assert seen.hidden_mass == 0
    begin = Tokenizer.from_words(["cat", "sat"])
    seen, trace, _ = looked(Lens(hide_specials=True), "cat sat", begin, causal=True, edits=cut)
    assert seen.hidden_mass == pytest.approx(float(weights_of(trace)[..., 1:, 0].mean()), abs=1e-6)


def test_the_rest_is_one_last_column() -> None:
    seen, _, _ = looked(Lens(first=3, last=5), causal=True)
    assert seen.keys == (*seen.queries, REST)
    assert seen.rows == (range(3, 4), range(4, 5), range(5, 6))
    assert seen.columns == (*seen.rows, range(0))
    assert seen.mask[:, -1].all()


def test_a_range_around_a_word_takes_whole_words() -> None:
    encoding = PIECES.encode(TEXT)
    first_word = [i for i, word in enumerate(encoding.words) if word == 0]
    seen, _, _ = looked(Lens(merge_words=True, first=first_word[1], last=first_word[-1] + 1))
    assert seen.queries == ("cat",)


def test_a_place_knows_its_positions() -> None:
    groups = (range(0, 1), range(1, 4), range(4, 5), range(0))
    assert [place_of(position, groups) for position in range(6)] == [0, 1, 1, 1, 2, None]
    seen, _, encoding = looked(Lens(hide_specials=True, merge_words=True))
    assert place_of(0, seen.rows) is None
    assert place_of(len(encoding) - 1, seen.rows) is None
    assert place_of(1, seen.rows) == place_of(2, seen.rows) == 0
