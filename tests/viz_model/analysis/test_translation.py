"""A translation, free running, cheating and components, each against a second way to the same number."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import viz_model as vm
from tests.viz_model.analysis.small_models import IDS, TARGET_IDS, encoder_decoder
from viz_model.analysis.components import components, read_again
from viz_model.analysis.free_running import right_by_position, written
from viz_model.analysis.translation import forced_words, ids_of, without_head, writing
from viz_model.generation import generate
from viz_model.sampling import Sampling
from viz_model.tasks.english_french import EnglishFrench, translate
from viz_model.tasks.english_french_cheating import CheatingFrench, unmasked
from viz_model.training.cheating import FreeRunning
from viz_model.training.studies import kept

LONG = "the new green dress is under my beautiful green beds"


@pytest.fixture(scope="module")
def model() -> vm.EncoderDecoder:
    return vm.load("english-french")


def test_the_rows_of_a_translation_belong_to_the_words_written(model) -> None:
    found = writing(model, "The black cat", most=9)
    assert found.source == ("the", "black", "cat", "[EOS]")
    assert found.read == ("[BOS]", "le", "chat", "noir")
    assert found.written == ("le", "chat", "noir", "[EOS]")
    assert (found.french, found.right) == (("le", "chat", "noir"), True)
    assert [sorted(places) for places in found.gold] == [[0], [2], [1]]
    weights = found.trace.decoder.blocks[0].cross_attention.weights[0].mean(0)
    assert weights.argmax(-1).tolist()[:3] == [0, 2, 1]
    assert [model.target_tokenizer.token(int(found.probabilities(i).argmax())) for i in range(4)] == list(found.written)


def test_a_wrong_or_unknown_translation_has_no_known_alignment(model) -> None:
    wrong = writing(model, LONG, most=30)
    assert (wrong.right, wrong.gold) == (False, ())
    assert writing(model, "cat cat the", most=9).right is None
    cut = writing(model, "the black cat", most=2)
    assert (cut.ended, cut.french) == (False, ("le", "chat"))


def test_forced_words_read_the_right_words(model) -> None:
    french = translate(LONG.split()).french
    ids, start, _ = ids_of(model, LONG)
    expected, target = [], start
    for word in (*french, "[EOS]"):
        expected.append(model.target_tokenizer.token(int(model.logits(ids, target)[0, -1].argmax())))
        target = torch.cat((target, torch.tensor([[model.target_tokenizer.id(word)]])), dim=1)
    assert forced_words(model, LONG, french) == tuple(expected)
    assert forced_words(model, LONG, french, causal=False) != tuple(expected)


def test_writing_in_a_batch_is_writing_one_by_one(model) -> None:
    task = EnglishFrench()
    pairs = [translate(text.split()) for text in ("the black cat", LONG, "I am happy")]
    batch = task.encode(pairs)
    found = written(model, batch, n=12)
    for row, pair in zip(found.tolist(), pairs, strict=True):
        ids, start, end = ids_of(model, " ".join(pair.english))
        steps = generate(model, ids, target_ids=start, n=12, sampling=Sampling(temperature=0), stop=end)
        alone = [step.chosen for step in steps]
        assert row[: len(alone)] == alone
    share = right_by_position(model, batch)
    assert share.free_whole == pytest.approx(2 / 3)
    assert share.n.tolist()[:4] == [3, 3, 3, 3]
    assert share.free[0] == share.forced[0] == 1


def test_the_kept_measurement_is_made_of_the_bundled_model(model) -> None:
    task = EnglishFrench()
    trained, longer = FreeRunning.from_json(kept("free-running")).groups
    found = right_by_position(model, task.held_out())
    np.testing.assert_allclose(trained.free, found.free[: len(trained.free)], atol=1e-9)
    assert trained.whole == found.free_whole == task.accuracy(model)
    assert longer.free_tokens < longer.forced_tokens < trained.forced_tokens


def test_cheating_lets_the_next_word_through_and_padding_not() -> None:
    task, small = CheatingFrench(n_training=10), encoder_decoder(vocab_size=300)
    batch = task.encode([translate(text.split()) for text in ("the black cat", "the cat")])
    mask = unmasked(batch).target_present
    n = batch.target_ids.shape[1]
    for row in range(2):
        assert mask[row, 0].tolist() == [batch.target_present[row].tolist()] * n
    changed = batch.target_ids.clone()
    changed[0, 3] += 1
    other = type(batch)(batch.ids, batch.present, batch.asked, batch.answers, changed, batch.target_present)
    assert not torch.allclose(task.logits(small, batch)[0, 1], task.logits(small, other)[0, 1])
    plain = EnglishFrench(n_training=10)
    torch.testing.assert_close(plain.logits(small, batch)[0, 1], plain.logits(small, other)[0, 1])


def test_components_of_unequal_depths() -> None:
    small = encoder_decoder()
    trace = small(IDS, TARGET_IDS)
    one, two = components(small, trace)
    assert (one.self_attention.n_layers, two.self_attention.n_layers) == (2, 3)
    assert (one.self_attention.n_heads, two.cross_attention.n_heads) == (2, 4)
    assert (one.self_attention.ahead, two.self_attention.ahead) == (True, False)
    assert (two.self_attention.n_open, two.cross_attention.n_open) == (10, 24)
    assert one.n_parameters + two.n_parameters == sum(p.numel() for p in small.parameters())
    torch.testing.assert_close(read_again(small, trace).logits, trace.logits)


def test_a_silenced_head_changes_what_is_computed(model) -> None:
    text = "the black cat sees the old horse"
    plain, silent = writing(model, text, most=20), without_head(model, text, 0, 0, most=20)
    assert silent.trace.decoder.blocks[0].cross_attention.heads[0, 0].abs().sum() == 0
    assert plain.trace.decoder.blocks[0].cross_attention.heads[0, 0].abs().sum() > 0
