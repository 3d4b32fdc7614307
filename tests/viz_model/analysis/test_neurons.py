"""Neurons over a corpus: against loops over single texts, and on neurons built by hand to know one word."""

import pytest
import torch

from tests.viz_model.analysis.small_models import config, shaken
from viz_model.analysis import NeuronReport, neuron_report
from viz_model.models import Decoder, Encoder
from viz_model.tokenizer import Specials, Tokenizer

WORDS = ("the", "cat", "sat", "on", "mat", "dog")
TEXTS = ("the cat sat", "the dog sat on the mat", "the cat", "dog dog dog", "", "on the cat")


def tokenizer(specials=None) -> Tokenizer:
    return Tokenizer.from_words(WORDS, specials or Specials.causal())


def model_of(kind=Decoder, **changes):
    words = tokenizer(Specials.masked() if kind is Encoder else None)
    return shaken(kind(config(vocab_size=words.vocab_size + 1, **changes), seed=1, tokenizer=words), 1)


def hand_run(model):
    """(text, position, token, pre, post) of every layer, one text at a time, without padding."""
    rows = [[] for _ in range(model.config.n_layers)]
    for i, text in enumerate(TEXTS):
        encoding = model.tokenizer.encode(text)
        trace = model(torch.tensor([encoding.ids]))
        for layer, block in enumerate(trace.blocks):
            for position, special in enumerate(encoding.special):
                if not special:
                    pre, post = block.feed_forward.pre[0, position], block.feed_forward.post[0, position]
                    rows[layer].append((i, position, encoding.ids[position], pre.tolist(), post.tolist()))
    return rows


@pytest.mark.parametrize("kind", [Decoder, Encoder])
@pytest.mark.parametrize("changes", [{}, {"activation": "swiglu", "norm": "rms"}, {"activation": "relu"}])
def test_shares_means_and_examples_are_those_of_a_loop_over_the_texts(kind, changes) -> None:
    model = model_of(kind, **changes)
    report = neuron_report(model, TEXTS, n_examples=4)
    rows = hand_run(model)
    assert report.n_tokens == len(rows[0]) == 17
    assert report.texts[1][1:7] == ("the", "dog", "sat", "on", "the", "mat")
    for layer, neurons in enumerate(report.layers):
        assert [neuron.index for neuron in neurons] == list(range(model.config.d_ff))
        for neuron in neurons:
            own = [(text, p, ids, pre[neuron.index], post[neuron.index]) for text, p, ids, pre, post in rows[layer]]
            assert neuron.layer == layer
            assert neuron.active == pytest.approx(sum(pre > 0 for *_, pre, _ in own) / len(own))
            assert neuron.mean == pytest.approx(sum(post for *_, post in own) / len(own), abs=1e-5)
            for example in neuron.examples:
                (activation,) = [post for text, p, _, _, post in own if (text, p) == (example.text, example.position)]
                assert example.activation == pytest.approx(activation, abs=1e-5)
            strongest = max(post for *_, post in own)
            assert neuron.examples[0].activation == pytest.approx(strongest, abs=1e-5)
            values = [example.activation for example in neuron.examples]
            assert values == sorted(values, reverse=True)


def test_the_same_prefix_is_one_example_in_a_model_that_reads_from_left_to_right() -> None:
    report = neuron_report(model_of(), TEXTS, n_examples=99)
    for neuron in report.layers[0]:
        prefixes = [report.texts[e.text][: e.position + 1] for e in neuron.examples]
        assert len(set(prefixes)) == len(prefixes) == 14
    both_ways = neuron_report(model_of(Encoder), TEXTS, n_examples=99)
    assert len(both_ways.layers[0][0].examples) == 17


def test_by_token_is_the_share_of_variance_between_tokens() -> None:
    model = model_of()
    rows = hand_run(model)
    for layer, neurons in enumerate(neuron_report(model, TEXTS).layers):
        for neuron in neurons:
            groups: dict[int, list[float]] = {}
            for _, _, token, _, post in rows[layer]:
                groups.setdefault(token, []).append(post[neuron.index])
            every = [x for group in groups.values() for x in group]
            middle = sum(every) / len(every)
            between = sum(len(g) * (sum(g) / len(g) - middle) ** 2 for g in groups.values())
            assert neuron.by_token == pytest.approx(between / sum((x - middle) ** 2 for x in every), abs=1e-4)


def test_a_neuron_built_to_know_a_word_is_found_out() -> None:
    """Neuron 0 of layer 0 fires for "cat" alone and writes towards "sat", away from "on"."""
    model = model_of(position="none", norm="none", n_layers=1, activation="relu")
    cat, sat, on = (model.tokenizer.id(word) for word in ("cat", "sat", "on"))
    block = model.stack.blocks[0]
    with torch.no_grad():
        for weight in block.attention.parameters():
            weight.zero_()  # nothing but the token itself reaches the neuron
        model.stack.embed.weight[:, 0] = -1.0
        model.stack.embed.weight[cat, 0] = 2.0
        block.feed_forward.w_in.weight[0].zero_()
        block.feed_forward.w_in.weight[0, 0] = 1.0
        block.feed_forward.w_in.bias[0] = 0.0
        model.unembed.weight[:, 1] = 0.0
        model.unembed.weight[sat, 1], model.unembed.weight[on, 1] = 3.0, -2.0
        block.feed_forward.w_out.weight[:, 0] = 0.0
        block.feed_forward.w_out.weight[1, 0] = 0.5
    neuron = neuron_report(model, TEXTS, n_examples=3, n_written=1).layers[0][0]
    assert neuron.active == pytest.approx(3 / 17)
    assert neuron.by_token == pytest.approx(1.0)
    assert [(e.text, e.position, e.activation) for e in neuron.examples[:2]] == [(0, 2, 2.0), (5, 3, 2.0)]
    assert neuron.examples[2].activation == 0.0
    assert (neuron.up[0].token, neuron.down[0].token) == ("sat", "on")
    assert neuron.up[0].value - neuron.down[0].value == pytest.approx(0.5 * 5.0)


@pytest.mark.parametrize("norm", ["layer", "rms"])
def test_what_a_neuron_writes_is_what_one_more_unit_of_it_does_to_the_logits(norm) -> None:
    model = model_of(n_layers=1, norm=norm)
    report = neuron_report(model, TEXTS, n_written=2)
    ids = torch.tensor([model.tokenizer.encode("the cat sat").ids])
    stream, hidden = model(ids).blocks[0].resid_post[0, -1].detach(), model.stack.blocks[0].feed_forward
    special = model.tokenizer.special_ids
    never = {special.unknown, special.pad, special.begin}
    answers = [i for i in range(model.tokenizer.vocab_size) if i not in never]
    spread = stream.std(unbiased=False) if norm == "layer" else stream.square().mean().sqrt()
    for neuron in report.layers[0]:
        row = hidden.w_out.weight[:, neuron.index].detach()
        changes = (model.unembed.weight @ _linear_part(model.stack.final_norm, stream, row))[answers] * spread
        changes = (changes - changes.mean()).tolist()
        by_token = dict(zip([model.tokenizer.token(i) for i in answers], changes, strict=True))
        for written in (*neuron.up, *neuron.down):
            assert written.value == pytest.approx(by_token[written.token], abs=1e-4)
        assert neuron.up[0].value == pytest.approx(max(changes), abs=1e-4)
        assert neuron.down[0].value == pytest.approx(min(changes), abs=1e-4)


def _linear_part(norm, stream, row):
    """What `row` adds to norm(stream) with the divisor held still."""
    with torch.no_grad():
        if isinstance(norm, torch.nn.LayerNorm):
            return (row - row.mean()) / (stream.var(unbiased=False) + norm.eps).sqrt() * norm.weight
        return row / (stream.square().mean() + norm.eps).sqrt() * norm.weight


def test_what_cannot_be_asked_is_said() -> None:
    with pytest.raises(ValueError, match="model: expected one with a tokenizer"):
        neuron_report(Decoder(config()), TEXTS)
    with pytest.raises(ValueError, match="and feed-forward layers"):
        neuron_report(model_of(feed_forward=False), TEXTS)
    for nothing in ([], [""]):
        with pytest.raises(ValueError, match="texts: expected at least one token"):
            neuron_report(model_of(), nothing)


def test_long_texts_are_cut_and_many_texts_run_in_parts() -> None:
    model = model_of()
    long = neuron_report(model, [" ".join(["cat"] * 40)])
    assert (long.n_tokens, len(long.texts[0])) == (11, 12)
    many = neuron_report(model, TEXTS * 50)
    one = neuron_report(model, TEXTS)
    assert many.n_tokens == 50 * one.n_tokens
    for a, b in zip(many.layers[1], one.layers[1], strict=True):
        assert a.active == pytest.approx(b.active)
        assert [e.activation for e in a.examples] == pytest.approx([e.activation for e in b.examples], abs=1e-5)


def test_results_through_json_and_back() -> None:
    report = neuron_report(model_of(), TEXTS)
    assert NeuronReport.from_json(report.to_json()) == report
