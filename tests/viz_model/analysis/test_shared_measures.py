"""What heads share in copying, and which measure names the words that decide: by hand, and the files that ship."""

from __future__ import annotations

import pytest
import torch

import viz_model as vm
from viz_model.analysis.copying import copying
from viz_model.analysis.right_reading import HeadReadings
from viz_model.analysis.shared_copying import SharedCopying, measure
from viz_model.analysis.word_influence import WordInfluence
from viz_model.analysis.word_measures import WordMeasures, influence_of, measured
from viz_model.tasks.names import make_task
from viz_model.training.studies import MADE, kept


def test_copying_that_is_shared_is_recomputed_word_by_word() -> None:
    model, task = vm.load("summarising"), make_task("summarising")
    examples = task.held_out_examples[:6]
    found = measure(model, task.encode(examples), task)
    one, most, total, firsts, other = [], [], [], [], []
    for example in examples:
        trace = vm.run(model, task.text(example), target=" ".join(example.summary))
        weights = torch.stack([block.cross_attention.weights[0] for block in trace.decoder.blocks]).flatten(0, 1)
        (right,) = task.expected(task.encode([example]))
        for step, place in right.keys[0].nonzero().tolist():
            at = weights[:, step]
            one.append(float(at[4 * found.layer + found.head, place]))
            most.append(float(at[:, place].max()))
            total.append(float(at[:, place].sum()))
            firsts.append(any(int(row.argmax()) == place for row in at))
            other += [float(at[:, j].max()) for j in range(at.shape[1]) if j != place]
    assert found.words == len(one)
    for got, values in ((found.one, one), (found.any, most), (found.sum, total), (found.any_most, firsts)):
        assert got == pytest.approx(sum(values) / len(values), abs=1e-5)
    assert found.elsewhere == pytest.approx(sum(other) / len(other), abs=1e-5)


def test_the_shared_copying_that_ships_agrees_with_the_heads_that_ship() -> None:
    assert "shared-copying" in MADE
    found = SharedCopying.from_json(kept("shared-copying"))
    (link,) = HeadReadings.from_json(kept("application-heads")).of("summarising")
    assert (found.layer, found.head) == link.best
    assert found.one == pytest.approx(link.weight[found.layer][found.head], abs=1e-6)
    assert found.any > found.one
    assert found.elsewhere < found.one / 2


def test_each_step_has_its_copying_head_and_each_source_word_its_reader() -> None:
    weights = torch.zeros(1, 2, 2, 3)
    weights[0, 0, 0] = torch.tensor([0.2, 0.8, 0.0])
    weights[0, 1, 0] = torch.tensor([0.7, 0.1, 0.2])
    weights[0, :, 1] = torch.tensor([0.1, 0.1, 0.8])
    found = copying(weights, [5, 6, 7], [5, 9])
    assert found.best == [(0, 1, pytest.approx(0.7)), None]
    assert found.source.tolist() == pytest.approx([0.7, 0.0, 0.0])
    assert found.of([True, True]).any_head == pytest.approx(0.7)
    assert found.of([False, True]).any_head == 0.0


def test_a_measure_is_right_where_its_largest_number_stands_at_a_word_that_decides() -> None:
    one = WordInfluence(torch.tensor([0.9, 0.1]), torch.tensor([-3.0, 1.0]), torch.tensor([0.5, 2.0]))
    other = WordInfluence(torch.tensor([0.2, 0.8]), torch.tensor([1.0, 3.0]), torch.tensor([0.0, -2.0]))
    found = measured([one, other], [[0], [1]])
    assert [(each.name, each.found, each.toward) for each in found.measures] == [
        ("attention", 2, 2),
        ("gradient", 2, 1),
        ("ablation", 1, 0),
    ]
    assert found.of("gradient").share == pytest.approx((3 / 4 + 3 / 4) / 2)
    assert found.chance == 0.5
    with pytest.raises(ValueError, match="expected one of attention, gradient, ablation, got 'x'"):
        found.of("x")


def test_the_word_measures_that_ship_are_the_models() -> None:
    assert "word-measures" in MADE
    found = WordMeasures.from_json(kept("word-measures"))
    assert found.texts == 200
    assert found.of("ablation").found > found.chance * found.texts
    task, model = make_task("sentiment"), vm.load("sentiment")
    examples = task.held_out_examples[:8]
    here = measured([influence_of(model, task.text(one)) for one in examples], [one.deciding for one in examples])
    for each in here.measures:
        assert each.found / 8 == pytest.approx(found.of(each.name).found / found.texts, abs=0.4)
