"""The two objectives, what they measure, and that the models that ship have really learned."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from viz_model.checkpoint import load, read_card
from viz_model.models import Decoder, Encoder
from viz_model.tasks import english, language
from viz_model.tasks.language import LanguageTask, MaskedWords, NextWord, share_right
from viz_model.tasks.task import pad

FRESH = 20_251  # a seed that no model and no figure has seen
TASKS: dict[str, type[LanguageTask]] = {task.name: task for task in (NextWord, MaskedWords)}


@cache
def corpus_of_training() -> list[english.Sentence]:
    return _corpus(language.N_TRAINING, language.SEED_TRAINING)


_corpus = english.corpus


@pytest.fixture(scope="module")
def _one_corpus() -> Iterator[None]:
    """Both tasks draw the same sentences: once is enough."""
    patch = pytest.MonkeyPatch()

    def shared(n: int, seed: int) -> list[english.Sentence]:
        same = (n, seed) == (language.N_TRAINING, language.SEED_TRAINING)
        return corpus_of_training() if same else _corpus(n, seed)

    patch.setattr(english, "corpus", shared)
    yield
    patch.undo()


@pytest.fixture(scope="module", params=["english-causal", "english-masked"])
def small(request: pytest.FixtureRequest) -> LanguageTask:
    patch = pytest.MonkeyPatch()
    patch.setattr(language, "N_HELD_OUT", 40)
    task = TASKS[request.param](300)
    assert len(task.held_out_sentences) == 40  # drawn here, while there are few
    patch.undo()
    return task


def model_that_ships(name: str) -> Encoder | Decoder:
    model = load(name)
    assert isinstance(model, Encoder | Decoder)
    return model


def spelt(task: LanguageTask, ids: Tensor) -> list[str]:
    return [task.tokenizer.token(i) for i in ids.tolist()]


def test_the_vocabulary_is_the_grammars(small: LanguageTask) -> None:
    n_specials = len(small.tokenizer.specials.names)
    assert small.tokenizer.tokens[n_specials:] == english.vocabulary()
    assert len(small.training) == 300
    assert len(small.held_out().ids) == 40
    for sentence in small.held_out_sentences:
        ids = small.encode(sentence.words)
        assert small.tokenizer.decode(ids) == str(sentence)
        assert spelt(small, torch.tensor(ids))[1:-1] == list(sentence.words)


def test_training_and_the_page_read_a_text_alike(small: LanguageTask) -> None:
    """What the tokenizer adds to a typed text stands where training had it."""
    sentence = small.held_out_sentences[0]
    typed, trained = small.tokenizer.encode(str(sentence)).ids, tuple(small.encode(sentence.words))
    assert typed == (trained if isinstance(small, MaskedWords) else trained[:-1])


def test_a_word_outside_the_vocabulary_is_refused(small: LanguageTask) -> None:
    with pytest.raises(ValueError, match="expected words of the vocabulary, got 'zebra'"):
        small.encode(["The", "zebra"])


def test_held_out_sentences_were_not_trained_on(small: LanguageTask) -> None:
    def core(sentence: english.Sentence) -> tuple[str, ...]:
        return tuple(word.lower() for word in sentence.words if word != ".")

    trained = {core(sentence) for sentence in english.corpus(300, language.SEED_TRAINING)}
    assert not trained & {core(sentence) for sentence in small.held_out_sentences}


def test_the_next_word_is_asked_of_each_position() -> None:
    task = NextWord(50)
    words = ["The", "cat", "sat"], ["A", "dog", "saw", "the", "boys", "."]
    ids, present = pad([task.encode(sentence) for sentence in words], task.tokenizer.special_ids.pad or 0)
    batch = task.ask(ids, present, torch.Generator())
    assert spelt(task, batch.ids[0]) == ["[BOS]", "The", "cat", "sat", "[EOS]", "[PAD]", "[PAD]"]
    assert spelt(task, batch.ids[1]) == ["[BOS]", "A", "dog", "saw", "the", "boys", "."]
    assert batch.asked.tolist() == [[True] * 4 + [False] * 3, [True] * 7]
    assert spelt(task, batch.answers) == ["The", "cat", "sat", "[EOS]", "A", "dog", "saw", "the", "boys", ".", "[EOS]"]
    assert batch.present[0].tolist() == [True] * 5 + [False] * 2


def test_a_share_of_the_words_is_masked_as_bert_does() -> None:
    task = MaskedWords(2000)
    generator = torch.Generator().manual_seed(2)
    n_words, asked, shown = 0, 0, Counter[str]()
    mask = task.tokenizer.special_ids.mask
    for _ in range(60):
        chosen = torch.randint(2000, (256,), generator=generator).tolist()
        ids, present = pad([task.training[i] for i in chosen], task.tokenizer.special_ids.pad or 0)
        batch = task.ask(ids, present, generator)
        is_word = present & (ids >= len(task.tokenizer.specials.names))
        n_words += int(is_word.sum())
        asked += int(batch.asked.sum())
        assert batch.asked.any(1).all()
        assert not (batch.asked & ~is_word).any()
        assert torch.equal(batch.answers, ids[batch.asked])
        assert torch.equal(batch.ids[~batch.asked], ids[~batch.asked])
        assert torch.equal(batch.present, present)
        now, before = batch.ids[batch.asked], ids[batch.asked]
        shown["mask"] += int((now == mask).sum())
        shown["same"] += int((now == before).sum())
        shown["other"] += int(((now != mask) & (now != before)).sum())
    # A little more than the share: a sentence that was asked nothing is asked its first word.
    assert 0.15 < asked / n_words < 0.22
    assert shown["mask"] / asked == pytest.approx(0.8, abs=0.015)
    assert shown["other"] / asked == pytest.approx(0.1, abs=0.015)
    assert shown["same"] / asked == pytest.approx(0.1, abs=0.015)


def test_batches_are_the_generators_alone(small: LanguageTask) -> None:
    torch.manual_seed(0)
    before = torch.random.get_rng_state()
    one, two, other = (small.batch(8, torch.Generator().manual_seed(seed)) for seed in (1, 1, 2))
    assert torch.equal(one.ids, two.ids)
    assert torch.equal(one.answers, two.answers)
    assert one.ids.shape != other.ids.shape or not torch.equal(one.ids, other.ids)
    assert torch.equal(torch.random.get_rng_state(), before)
    assert len(one.ids) == 8


def test_rows_are_padded_behind() -> None:
    ids, present = pad([[5, 6], [7], [8, 9, 1]], 0)
    assert ids.tolist() == [[5, 6, 0], [7, 0, 0], [8, 9, 1]]
    assert present.tolist() == [[True, True, False], [True, False, False], [True] * 3]


def test_a_share_is_of_rows() -> None:
    logits = torch.tensor([[1.0, 2.0, 0.0], [3.0, 0.0, 1.0], [0.0, 0.0, 1.0]])
    assert share_right(logits, [1, 0, 2], [0, 1, 1]) == 1
    assert share_right(logits, [1, 2, 0], [0, 0, 1]) == pytest.approx(1 / 3)


@pytest.mark.parametrize("name", sorted(TASKS))
def test_figures_equal_a_slow_recount(name: str) -> None:
    """Sentence by sentence without padding, through the traced path."""
    patch = pytest.MonkeyPatch()
    patch.setattr(language, "N_HELD_OUT", 12)
    task, model = TASKS[name](10), model_that_ships(name)
    assert len(task.held_out_sentences) == 12
    patch.undo()
    patch.setattr(language.english, "agreement_items", lambda n, seed, attractors: ITEMS[attractors])
    found = task.figures(model)
    patch.undo()
    losses: list[float] = []
    for sentence in task.held_out_sentences:
        ids = task.encode(sentence.words)
        if name == "english-causal":
            logits = model(torch.tensor([ids[:-1]])).logits[0]
            losses += F.cross_entropy(logits, torch.tensor(ids[1:]), reduction="none").tolist()
        else:
            for position in range(1, len(ids) - 1):
                hidden = [*ids[:position], task.tokenizer.special_ids.mask, *ids[position + 1 :]]
                logits = model(torch.tensor([hidden])).logits[0, position]
                losses.append(-float(logits.log_softmax(0)[ids[position]]))
    key = next(key for key in found if key.startswith("held-out loss"))
    assert found[key] == pytest.approx(math.fsum(losses) / len(losses), abs=1e-4)


ITEMS = {attractors: english.agreement_items(20, 5, attractors) for attractors in (0, 1)}


def accuracy_of_next_word(task: NextWord, model: Encoder | Decoder, items: list[english.AgreementItem]) -> float:
    right = 0
    for item in items:
        ids = [task.tokenizer.id(word) for word in ("[BOS]", *item.prefix, item.right, item.wrong)]
        assert None not in ids
        logits = model(torch.tensor([ids[:-2]])).logits[0, -1]
        right += bool(logits[ids[-2]] > logits[ids[-1]])
    return right / len(items)


@pytest.mark.usefixtures("_one_corpus")
@pytest.mark.parametrize("name", sorted(TASKS))
def test_the_figures_that_ship_are_measured_again(name: str) -> None:
    """On the machine's own arithmetic: the last digits may differ elsewhere, what they say may not."""
    task, model = TASKS[name](), model_that_ships(name)
    assert task.tokenizer == model.tokenizer
    claimed, found = dict(read_card(name).figures), task.figures(model)
    assert found.keys() == claimed.keys()
    for key, value in claimed.items():
        assert found[key] == pytest.approx(value, abs=2e-3 if key.startswith("agreement") else 1e-4), key


@pytest.mark.usefixtures("_one_corpus")
@torch.inference_mode()
def test_the_causal_model_has_learned_the_grammar() -> None:
    """Near the best that any model can reach, and not better: that would be a leak."""
    model, sentences = model_that_ships("english-causal"), english.held_out(300, FRESH, corpus_of_training())
    task = NextWord(10)
    losses = []
    for sentence in sentences:
        ids = torch.tensor([task.encode(sentence.words)])
        losses += F.cross_entropy(model.logits(ids[:, :-1])[0], ids[0, 1:], reduction="none").tolist()
    loss, best = math.fsum(losses) / len(losses), english.mean_surprisal(sentences)
    assert best - 0.02 < loss < best + 0.15
    for attractors in (0, 1):
        assert accuracy_of_next_word(task, model, english.agreement_items(200, FRESH, attractors)) >= 0.98


@pytest.mark.usefixtures("_one_corpus")
@torch.inference_mode()
def test_the_masked_model_has_learned_agreement() -> None:
    model, task = model_that_ships("english-masked"), MaskedWords(10)
    sentences = english.held_out(1200, FRESH, corpus_of_training())
    counts = {0: [0, 0], 1: [0, 0]}
    for sentence in sentences:
        for one in sentence.agreement:
            if one.attractors in counts and counts[one.attractors][1] < 250:
                ids = task.encode(sentence.words)
                assert task.tokenizer.token(ids[one.verb + 1]) == one.right
                ids[one.verb + 1] = task.tokenizer.special_ids.mask or 0
                logits = model.logits(torch.tensor([ids]))[0, one.verb + 1]
                right, wrong = task.tokenizer.id(one.right), task.tokenizer.id(one.wrong)
                counts[one.attractors][0] += bool(logits[right] > logits[wrong])
                counts[one.attractors][1] += 1
    for right, n in counts.values():
        assert n >= 50
        assert right / n >= 0.95


def test_the_models_that_ship_know_the_two_sentences_of_the_lessons() -> None:
    for name in TASKS:
        tokenizer = model_that_ships(name).tokenizer
        assert tokenizer is not None
        for text in ("The cat sat on the mat", "The government is considering closing schools"):
            assert tokenizer.unknown_words(text) == ()
