"""What the applications measure: against loops over the definition, derivatives by hand, and runs that differ."""

from __future__ import annotations

import itertools
import math

import pytest
import torch

import viz_model as vm
from viz_model.analysis.answer_span import answer_span
from viz_model.analysis.copying import copying
from viz_model.analysis.right_reading import HeadReadings, application_heads, right_reading
from viz_model.analysis.translation_accuracy import LengthAccuracy, TranslationAccuracy, translation_accuracy
from viz_model.analysis.word_influence import word_influence
from viz_model.blocks import Reading
from viz_model.masks import full
from viz_model.tasks.english_french import EnglishFrench, by_length
from viz_model.tasks.question_answering import QuestionAnswering
from viz_model.training.studies import kept

TEXT = "The music was lovely, but I did not like the film."


def softmax(values: list[float]) -> list[float]:
    largest = max(values)
    raised = [math.exp(value - largest) for value in values]
    return [value / sum(raised) for value in raised]


@pytest.mark.parametrize("seed", range(6))
def test_the_chosen_span_is_the_best_of_all(seed: int) -> None:
    logits = 3 * torch.randn(2, 9, generator=torch.Generator().manual_seed(seed))
    found = answer_span(logits, longest=3)
    start, end = (softmax(row) for row in logits.tolist())
    spans = {(i, j): start[i] * end[j] for i, j in itertools.product(range(1, 9), repeat=2) if i <= j < i + 3}
    best = max(spans, key=lambda at: spans[at])
    torch.testing.assert_close(found.start.tolist(), start, rtol=1e-5, atol=1e-6)
    assert found.none == pytest.approx(start[0] * end[0], rel=1e-5)
    if found.first is None:
        assert start[0] * end[0] >= spans[best]
        assert found.probability == found.none
    else:
        assert (found.first, found.last) == best
        assert spans[best] > start[0] * end[0]
        assert found.probability == pytest.approx(spans[best], rel=1e-5)


def test_among_six_seeds_both_kinds_of_answer_occur() -> None:
    kinds = {answer_span(torch.tensor([[high, 1.0, 0.0], [high, 0.0, 1.0]])).first for high in (-5.0, 5.0)}
    assert kinds == {1, None}


def test_a_span_needs_two_rows() -> None:
    with pytest.raises(ValueError, match=r"logits: expected \[2, position\], got \[3, 4\]"):
        answer_span(torch.zeros(3, 4))


@pytest.fixture(scope="module")
def judged():
    model = vm.load("sentiment")
    trace = vm.run(model, TEXT)
    good, bad = model.tokenizer.id("positive"), model.tokenizer.id("negative")
    words = tuple(range(1, trace.ids.shape[1] - 1))
    return model, trace, words, bad, good, word_influence(model, trace, words, position=0, verdict=bad, other=good)


def log_odds(logits: torch.Tensor, verdict: int, other: int) -> torch.Tensor:
    chances = logits[0, 0].double().log_softmax(-1)
    return chances[verdict] - chances[other]


def test_attention_is_the_last_layers_mean(judged) -> None:
    _, trace, words, _, _, found = judged
    weights = trace.blocks[-1].attention.weights
    wanted = [sum(float(weights[0, head, 0, word]) for head in range(4)) / 4 for word in words]
    torch.testing.assert_close(found.attention.tolist(), wanted, rtol=1e-5, atol=1e-7)


def test_gradient_is_the_slope_of_the_log_odds_along_each_words_embedding(judged) -> None:
    """By differences in doubles: the embedding of one word a little longer and a little shorter."""
    _model, trace, words, verdict, other, found = judged
    double = vm.load("sentiment").double()
    step = 1e-5
    for place, word in enumerate(words):
        sides = []
        for sign in (1, -1):
            embedding = trace.token_embedding.double().clone()
            embedding[0, word] *= 1 + sign * step
            sides.append(float(log_odds(through(double, embedding), verdict, other)))
        assert float(found.gradient[place]) == pytest.approx((sides[0] - sides[1]) / (2 * step), rel=2e-3, abs=2e-4)


def through(model, embedding: torch.Tensor) -> torch.Tensor:
    """The model's own blocks, one after the other."""
    stack, n = model.stack, embedding.shape[1]
    resid, reading = embedding, Reading(full(n), stack.positions.rotate, stack.positions.bias(n))
    for block in stack.blocks:
        resid = block(resid, reading).resid_post
    return model.unembed(stack.final_norm(resid))


def test_ablation_is_the_fall_when_every_head_is_kept_from_the_word(judged) -> None:
    model, trace, words, verdict, other, found = judged
    before = float(log_odds(trace.logits, verdict, other))
    for place in (0, 7, 8):
        cuts = tuple(vm.KnockOut(layer, head, query=None, key=words[place]) for layer in range(3) for head in range(4))
        after = float(log_odds(vm.run(model, TEXT, edits=cuts).logits, verdict, other))
        assert float(found.ablation[place]) == pytest.approx(before - after, rel=1e-3, abs=1e-3)


def test_the_negation_moves_the_verdict_most(judged) -> None:
    _, trace, words, _, _, found = judged
    assert trace.tokens[words[int(found.ablation.argmax())]] == "not"
    assert found.agreement("attention", "attention") == 1.0
    assert found.agreement("gradient", "ablation") == found.agreement("ablation", "gradient")


def test_right_reading_is_the_mean_over_the_known_links() -> None:
    task, model = QuestionAnswering(n_training=10), vm.load("question-answering")
    batch = task.encode(task.held_out_examples[:6])
    _, expected = task.expected(batch)
    found = right_reading(model, batch, expected)
    shares = []
    for row in range(6):
        n = int(batch.present[row].sum())
        weights = model(batch.ids[row : row + 1, :n]).blocks[1].attention.weights[0, 2]  # without padding
        for query in range(n):
            keys = expected.keys[row, query].nonzero()[:, 0].tolist()
            if keys:
                shares.append(sum(float(weights[query, key]) for key in keys))
    assert float(found[1, 2]) == pytest.approx(sum(shares) / len(shares), abs=1e-5)


def test_the_recorded_heads_are_those_of_the_models_that_ship() -> None:
    recorded, now = HeadReadings.from_json(kept("application-heads")), application_heads()
    assert [(one.model, one.link) for one in recorded.readings] == [(one.model, one.link) for one in now.readings]
    for one, other in zip(recorded.readings, now.readings, strict=True):
        torch.testing.assert_close(torch.tensor(one.weight), torch.tensor(other.weight), atol=1e-4, rtol=1e-3)
    assert recorded.of("question-answering")[0].best == (1, 2)


def test_copying_counts_the_same_word_wherever_it_stands() -> None:
    weights = torch.tensor([[[[0.5, 0.2, 0.3], [0.1, 0.8, 0.1]]]])
    found = copying(weights, [7, 5, 7], [7, 9])
    assert found.possible.tolist() == [True, False]
    torch.testing.assert_close(found.weight, torch.tensor([[[0.8, 0.0]]]))
    torch.testing.assert_close(found.mean, torch.tensor([[0.8]]))
    assert found.any_head == pytest.approx(0.8)
    nothing = copying(weights, [1, 2, 3], [7, 9])
    assert nothing.any_head == 0.0
    assert float(nothing.mean) == 0.0
    with pytest.raises(ValueError, match="weights: expected"):
        copying(weights, [7, 5], [7, 9])


def test_heads_that_share_the_work_are_counted_together() -> None:
    weights = torch.tensor([[[[0.9, 0.1], [0.9, 0.1]], [[0.3, 0.7], [0.3, 0.7]]]])
    found = copying(weights, [1, 2], [1, 2])
    torch.testing.assert_close(found.mean, torch.tensor([[0.5, 0.5]]))
    assert found.any_head == pytest.approx(0.8)


def test_accuracy_by_length_is_what_greedy_writing_gets_right() -> None:
    task, model = EnglishFrench(n_training=10), vm.load("english-french")
    found = translation_accuracy(model, "english-french", task)
    assert found == TranslationAccuracy.from_json(kept("translation-by-length"))
    (nine,) = (one for one in found.lengths if one.words == 9)
    assert not nine.trained
    right = 0
    for pair in by_length()[9][:20]:
        source = torch.tensor([[model.tokenizer.id(word) for word in (*pair.english, "[EOS]")]])
        written = [model.target_tokenizer.id("[BOS]")]
        while len(written) < 40 and model.target_tokenizer.token(written[-1]) != "[EOS]":
            with torch.inference_mode():
                written.append(int(model.logits(source, torch.tensor([written]))[0, -1].argmax()))
        right += tuple(map(model.target_tokenizer.token, written[1:-1])) == pair.french
    batch = task.encode(by_length()[9][:20])
    assert right == round(20 * task.accuracy(model, batch))
    assert 0 < right < 20


def test_the_shares_are_of_sentences_and_not_of_lengths() -> None:
    rows = (LengthAccuracy(2, 10, 10, True), LengthAccuracy(3, 30, 15, True), LengthAccuracy(9, 5, 1, False))
    found = TranslationAccuracy("m", rows)
    assert found.share(trained=True) == pytest.approx(25 / 40)
    assert found.share(trained=False) == pytest.approx(1 / 5)
