"""What is bundled of the heads, against loops of its own over the same sentences; a measure on fewer texts likewise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

import viz_model as vm
from viz_model.analysis.ablation_table import AblationTable
from viz_model.analysis.atlas import Atlas
from viz_model.analysis.held_out_heads import MEASURED, measured_ablation
from viz_model.edits import AblateHead
from viz_model.tasks import english
from viz_model.tasks.induction import Induction
from viz_model.training.studies import MADE, kept

STUDIES = Path(__file__).parents[3] / "assets" / "studies"


def sentences() -> list[str]:
    return json.loads((STUDIES / "held-out-sentences.json").read_text(encoding="utf-8"))["sentences"]


def words_of(text: str) -> list[str]:
    return text.replace(".", " .").split()


@pytest.mark.parametrize("name", MEASURED)
def test_what_is_bundled_is_of_the_model(name: str) -> None:
    config = vm.load(name).config
    atlas, table = Atlas.from_json(kept(f"atlas-{name}")), AblationTable.from_json(kept(f"ablation-{name}"))
    places = [(layer, head) for layer in range(config.n_layers) for head in range(config.n_heads)]
    assert [(head.layer, head.head) for head in atlas.heads] == places
    assert [(row.layer, row.head) for row in table.without] == [(row.layer, row.head) for row in table.only] == places
    assert {f"atlas-{name}", f"ablation-{name}"} <= set(MADE)
    assert atlas.at(*places[-1]) is atlas.heads[-1]
    assert table.of("without", *places[-1]) is table.without[-1]
    assert table.of("only", *places[0]) is table.only[0]


def test_the_known_figures() -> None:
    """Measured once by hand: the same name, and one head that is needed while the other is not."""
    atlas = Atlas.from_json(kept("atlas-english-causal"))
    assert [(head.layer, head.head) for head in atlas.named("subject-verb (due)")] == [(2, 0), (2, 2)]
    assert (round(atlas.at(2, 2).score, 3), round(atlas.at(2, 0).score, 3)) == (0.590, 0.805)
    table = AblationTable.from_json(kept("ablation-english-causal"))
    assert table.n_choices == 500
    agreement = [row.agreement for row in (table.whole, table.of("without", 2, 2), table.of("without", 2, 0))]
    assert agreement == pytest.approx([1.0, 0.764, 1.0])
    induction = Atlas.from_json(kept("atlas-induction")).at(1, 0)
    assert (induction.role, induction.score > 0.95, induction.chance < 0.1) == ("induction", True, True)


@pytest.mark.parametrize("name", ["english-causal", "english-masked"])
def test_relations_of_the_atlas_are_those_of_the_relation_table(name: str) -> None:
    scores = json.loads((STUDIES / f"relations-{name}.json").read_text(encoding="utf-8"))["scores"]
    for head in Atlas.from_json(kept(f"atlas-{name}")).heads:
        roles = {role.role: role for role in head.roles}
        for score in scores:
            called = score["relation"] + ("" if score["reading"] == "back" else f" ({score['reading']})")
            assert roles[called].score == pytest.approx(score["weight"][head.layer][head.head], abs=1e-6)


def test_the_weight_on_the_word_before_is_a_mean_over_words() -> None:
    """A part of the sentences, in a loop: within what chance allows."""
    atlas, model = Atlas.from_json(kept("atlas-english-masked")), vm.load("english-masked")
    weights = []
    for text in sentences()[:60]:
        rows = vm.run(model, text).blocks[0].attention.weights[0, 3]
        weights += [float(rows[i, i - 1]) for i in range(1, len(rows) - 1)]  # words: neither [CLS] nor [SEP]
    found = {role.role: role.score for role in atlas.at(0, 3).roles}["previous"]
    assert sum(weights) / len(weights) == pytest.approx(found, abs=0.04)


def test_agreement_without_a_head_is_counted_by_running_without_it() -> None:
    model = vm.load("english-causal")
    items = english.agreement_items(40, 3, 1)
    for layer, head in ((1, 0), (2, 0)):
        agrees = 0
        for item in items:
            logits = vm.run(model, " ".join(item.prefix), edits=[AblateHead(layer, head)]).logits[0, -1]
            right, wrong = (model.tokenizer.id(word) for word in (item.right, item.wrong))
            agrees += bool(logits[right] > logits[wrong])
        table = measured_ablation("english-causal", sentences(), n_texts=2, n_choices=40)
        assert table.of("without", layer, head).agreement == pytest.approx(agrees / 40)


def test_the_loss_of_the_next_word_is_a_loop_over_sentences() -> None:
    model, texts = vm.load("english-causal"), sentences()[:5]
    losses = []
    for text in texts:
        ids = [model.tokenizer.id(word) for word in words_of(text)] + [model.tokenizer.special_ids.end]
        logits = vm.run(model, text).logits[0]
        losses += [-float(logits[i].log_softmax(-1)[answer]) for i, answer in enumerate(ids)]
    table = measured_ablation("english-causal", sentences(), n_texts=5, n_choices=1)
    assert (table.n_texts, table.n_asked, table.n_choices) == (5, len(losses), 1)
    assert table.whole.loss == pytest.approx(sum(losses) / len(losses), abs=1e-4)


def test_hidden_verbs_are_asked_from_both_sides() -> None:
    model = vm.load("english-masked")
    texts = [text for text in sentences()[:300] if any(a.attractors for a in english.parse(words_of(text)).agreement)]
    agrees, n = 0, 0
    for text in texts:
        words = words_of(text)
        for verb in english.parse(words).agreement:
            if verb.attractors:
                hidden = " ".join("[MASK]" if i == verb.verb else word for i, word in enumerate(words))
                logits = vm.run(model, hidden).logits[0, verb.verb + 1]
                agrees += bool(logits[model.tokenizer.id(verb.right)] > logits[model.tokenizer.id(verb.wrong)])
                n += 1
    table = measured_ablation("english-masked", texts)
    assert (table.n_choices, table.whole.agreement) == (n, pytest.approx(agrees / n))


def test_fewer_sequences_are_the_first_ones() -> None:
    whole, model = Induction().held_out(), vm.load("induction")
    table = measured_ablation("induction", (), n_texts=20)
    with torch.inference_mode():
        logits = model(whole.ids[:20]).logits[whole.asked[:20]]
    answers = whole.answers[: len(logits)]
    assert table.n_asked == len(logits)
    assert table.whole.loss == pytest.approx(float(torch.nn.functional.cross_entropy(logits, answers)), abs=1e-5)


def test_another_model_is_refused() -> None:
    with pytest.raises(ValueError, match="english-causal"):
        measured_ablation("copy", ())
