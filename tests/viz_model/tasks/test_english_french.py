"""The English -> French task: what is asked, what is held out, and which attention is expected."""

from collections import Counter
from types import SimpleNamespace

import pytest
import torch

import viz_model as vm
from viz_model.config import EncoderDecoderConfig, TransformerConfig
from viz_model.models import EncoderDecoder
from viz_model.tasks.english_french import LONGEST_TRAINED, EnglishFrench, Pair, clean, pairs, spell, translate


@pytest.fixture(scope="module")
def task() -> EnglishFrench:
    return EnglishFrench(n_training=2000)


def test_held_out_texts_are_never_trained_on(task: EnglishFrench) -> None:
    def core(pair: Pair) -> tuple[str, ...]:
        return pair.english[:-1] if pair.english[-1] == "." else pair.english

    trained = {core(pair) for pair in pairs(6000, seed=1)} | {core(pair) for pair in pairs(2000, seed=99)}
    held_out = [core(pair) for pair in pairs(500, seed=2, held_out=True)]
    assert not trained.intersection(held_out)
    assert not {("the", "black", "cat"), tuple(task.probe()[0].text.split())} & trained
    assert max(map(len, trained)) <= LONGEST_TRAINED


def test_by_length_has_lengths_never_trained(task: EnglishFrench) -> None:
    found = task.by_length()
    assert {3, 6, LONGEST_TRAINED, LONGEST_TRAINED + 1, LONGEST_TRAINED + 4} <= set(found)
    for length, batch in found.items():
        assert set(batch.present.sum(1).tolist()) == {length + 1}  # [EOS]


def test_batches_depend_on_the_generator_alone(task: EnglishFrench) -> None:
    again = EnglishFrench(n_training=2000)
    torch.manual_seed(5)
    one = task.batch(16, torch.Generator().manual_seed(3))
    torch.manual_seed(6)
    two = again.batch(16, torch.Generator().manual_seed(3))
    other = task.batch(16, torch.Generator().manual_seed(4))
    assert torch.equal(one.ids, two.ids)
    assert torch.equal(one.answers, two.answers)
    assert one.ids.shape != other.ids.shape or not torch.equal(one.ids, other.ids)


def test_a_batch_asks_for_the_token_after_the_one_that_is_read(task: EnglishFrench) -> None:
    batch = task.batch(32, torch.Generator().manual_seed(0))
    assert batch.target_ids is not None
    french = task.target_tokenizer
    answers = iter(batch.answers.split(batch.asked.sum(1).tolist()))
    for ids, present, read, asked in zip(batch.ids, batch.present, batch.target_ids, batch.asked, strict=True):
        written = [french.token(i) for i in next(answers).tolist()]
        assert [french.token(i) for i in read[asked].tolist()] == ["[BOS]", *written[:-1]]
        assert written[-1] == "[EOS]"
        words = [task.tokenizer.token(i) for i in ids[present].tolist()]
        pair = translate(words[:-1])
        assert pair is not None
        assert words[-1] == "[EOS]"
        assert tuple(written[:-1]) == pair.french
        assert set(read[~asked].tolist()) <= {french.special_ids.pad}


def test_expected_attention_is_that_of_the_token_about_to_be_written(task: EnglishFrench) -> None:
    pair = translate(["the", "black", "cat"])
    assert pair is not None
    (expected,) = task.expected(task.encode([pair]))
    # reads [BOS] le chat noir, writes le chat noir [EOS]; the source is the black cat [EOS]
    assert (expected.attention, expected.stack) == ("cross", "decoder")
    assert expected.keys.int().tolist() == [[[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]]]


def test_a_wrong_translation_has_no_expected_attention(task: EnglishFrench) -> None:
    pair = translate(["the", "black", "cat"])
    assert pair is not None
    wrong = Pair(pair.english, ("le", "chat", "rouge"), pair.alignment)
    both = task.expected(task.encode([wrong, pair]))[0].keys
    assert both.any(-1).any(-1).tolist() == [False, True]


def test_typed_text_reads_as_the_task_writes_it(task: EnglishFrench) -> None:
    for pair in pairs(300, seed=8):
        target = task.target_tokenizer.encode(spell(pair.french))
        assert target.tokens == ("[BOS]", *pair.french)
        assert task.tokenizer.encode(spell(pair.english)).tokens == (*pair.english, "[EOS]")
        assert clean(spell(pair.english).capitalize().replace(" i ", " I ")) == pair.english


def test_the_probe_runs_as_text(task: EnglishFrench) -> None:
    probe, batch = task.probe()
    sizes = (task.tokenizer.vocab_size, task.target_tokenizer.vocab_size)
    stacks = [TransformerConfig(vocab_size=n, d_model=16, n_layers=1, n_heads=2) for n in sizes]
    model = EncoderDecoder(EncoderDecoderConfig(encoder=stacks[0], decoder=stacks[1]),
                           tokenizer=task.tokenizer, target_tokenizer=task.target_tokenizer)  # fmt: skip
    assert probe.target is not None
    assert batch.target_ids is not None
    trace = vm.run(model, probe.text, target=probe.target)
    assert (trace.encoder.tokens, trace.decoder.tokens) == (probe.tokens, probe.target_tokens)
    assert torch.equal(trace.decoder.ids, batch.target_ids)
    assert torch.allclose(trace.logits, task.logits(model, batch), atol=1e-5)


def test_accuracy_counts_whole_sentences(task: EnglishFrench) -> None:
    class Oracle:
        """Answers right but for one token of the first sentence."""

        def logits(self, ids, target_ids, present, target_present):  # type: ignore[no-untyped-def]
            batch = task.held_out()
            found = torch.zeros(*target_ids.shape, task.target_tokenizer.vocab_size)
            answers = torch.zeros_like(target_ids)
            answers[batch.asked] = batch.answers
            answers[0, 1] += 1
            return found.scatter_(-1, answers[..., None], 1.0)

    n = len(task.held_out().ids)
    assert n >= 300
    assert task.accuracy(Oracle()) == pytest.approx(1 - 1 / n)


class Scholar:
    """Translates by the grammar what has at most 6 words, and nothing longer; one head reads the right words."""

    def __init__(self, task: EnglishFrench) -> None:
        self.task = task

    def logits(self, ids, target_ids, present, target_present):  # type: ignore[no-untyped-def]
        task, (n, m) = self.task, target_ids.shape
        found = torch.zeros(n, m, task.target_tokenizer.vocab_size)
        for row, source in enumerate(ids):
            words = [task.tokenizer.token(i) for i in source[present[row]].tolist()][:-1]
            pair = translate(words)
            assert pair is not None
            if len(words) <= 6:
                for at, word in enumerate((*pair.french, "[EOS]")):
                    found[row, at, task.target_tokenizer.id(word)] = 1.0
        return found

    def __call__(self, ids, target_ids, present, target_present):  # type: ignore[no-untyped-def]
        (n, m), n_source = target_ids.shape, ids.shape[1]
        weights = torch.zeros(3, n, 2, m, n_source)  # layer 1, head 0: .75 on what the test's own look-up says
        for row, source in enumerate(ids):
            pair = translate([self.task.tokenizer.token(i) for i in source[present[row]].tolist()][:-1])
            assert pair is not None
            for query, sources in enumerate(pair.alignment):
                for key in sources:
                    weights[1, row, 0, query, key] = 0.75 / len(sources)
                    weights[0, row, 1, query, key] = 0.25 / len(sources)
        blocks = [SimpleNamespace(cross_attention=SimpleNamespace(weights=one)) for one in weights]
        return SimpleNamespace(decoder=SimpleNamespace(blocks=blocks))


def test_figures_tell_lengths_apart_and_name_the_head(task: EnglishFrench) -> None:
    found = task.figures(Scholar(task))
    short = (task.held_out().present.sum(1) <= 7).double().mean()
    assert found.pop(task.metric) == pytest.approx(float(short))
    assert found == pytest.approx(
        {
            "whole sentences right, 2 to 4 words": 1.0,
            "whole sentences right, 5 to 6 words": 1.0,
            "whole sentences right, 7 to 8 words": 0.0,
            "whole sentences right, more than 8 words, longer than trained": 0.0,
            "cross-attention on the word that is translated, layer 1 head 0": 0.75,
        }
    )


def test_the_probe_crosses_and_its_alignment_is_known(task: EnglishFrench) -> None:
    probe, batch = task.probe()
    assert (probe.text, probe.target) == ("the black cat sees the old horse", "le chat noir voit le vieux cheval")
    (expected,) = task.expected(batch)
    assert expected.keys[0].int().argmax(-1).tolist() == [0, 2, 1, 3, 4, 5, 6, 0]
    assert expected.keys[0].any(-1).tolist() == [True] * 7 + [False]


def test_no_word_is_rare_in_training(task: EnglishFrench) -> None:
    """Every word comes in 6000 of the 50,000 sentences that a run reads, those that join two clauses apart."""
    made = list(pairs(6000, seed=1))
    english = Counter(word for pair in made for word in pair.english)
    french = Counter(word for pair in made for word in pair.french)
    for counts, tokenizer, least in ((english, task.tokenizer, 12), (french, task.target_tokenizer, 5)):
        rare = {word for word in tokenizer.tokens if counts[word] < least}
        assert rare - {"and", "et"} == {*tokenizer.specials.names}


def test_the_lexicon_is_large_enough(task: EnglishFrench) -> None:
    made = list(pairs(3000, seed=12))
    assert len({word for pair in made for word in pair.english if word.isalpha()}) >= 150
    assert len({word for pair in made for word in pair.french if word.isalpha()}) >= 150
    assert {word for pair in made for word in pair.english} <= set(task.tokenizer.tokens)
    assert {word for pair in made for word in pair.french} <= set(task.target_tokenizer.tokens)
