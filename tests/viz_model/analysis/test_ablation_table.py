"""Each row against a run of its own with the edits, text by text; the damage of built heads falls where it must."""

from __future__ import annotations

import pytest
import torch

import viz_model as vm
from tests.viz_model.analysis.small_models import VARIANTS, VOCAB, decoder, encoder
from viz_model.analysis.ablation_table import AblationTable, Choices, ablation_edits, ablation_table
from viz_model.edits import AblateHead, UniformHead
from viz_model.models import Decoder
from viz_model.tasks.induction import Induction
from viz_model.tasks.task import Batch

LENGTHS = (6, 3, 5, 6)


def batch() -> Batch:
    generator = torch.Generator().manual_seed(4)
    ids = torch.randint(VOCAB, (4, 6), generator=generator)
    present = torch.arange(6) < torch.tensor(LENGTHS)[:, None]
    asked = present & (torch.rand(4, 6, generator=generator) < 0.6)
    return Batch(ids, present, asked, torch.randint(VOCAB, (int(asked.sum()),), generator=generator))


def pairs() -> Choices:
    given = batch()
    at = torch.tensor(LENGTHS) - 1
    return Choices(given.ids, given.present, at, torch.tensor([1, 2, 3, 4]), torch.tensor([5, 6, 7, 8]))


def by_hand(model, given: Batch, choices: Choices, edits) -> tuple[float, float, float]:
    """Loss, accuracy and agreement, one text at a time, without padding."""
    losses, right, agrees, answers = [], [], [], iter(given.answers.tolist())
    for row, n in enumerate(LENGTHS):
        logits = model(given.ids[row : row + 1, :n], edits=edits).logits[0]
        for position in range(n):
            if given.asked[row, position]:
                answer = next(answers)
                losses.append(-logits[position].log_softmax(-1)[answer].item())
                right.append(logits[position].argmax().item() == answer)
        last = logits[n - 1]
        agrees.append(bool(last[choices.right[row]] > last[choices.wrong[row]]))
    return sum(losses) / len(losses), sum(right) / len(right), sum(agrees) / len(agrees)


@pytest.mark.parametrize("make", [decoder, encoder])
@pytest.mark.parametrize("changes", VARIANTS)
def test_every_row_is_a_run_of_its_own(make, changes) -> None:
    model = make(**changes)
    before = (UniformHead(0, 1),) if model.config.n_layers else ()
    table = ablation_table(model, batch(), choices=pairs(), edits=before)
    n_layers, n_heads = model.config.n_layers, model.config.n_heads
    assert (len(table.without), len(table.only), len(table.none)) == (n_layers * n_heads, n_layers * n_heads, n_layers)
    assert (table.n_texts, table.n_choices, table.n_asked) == (4, 4, len(batch().answers))
    for row in (table.whole, *table.without, *table.only, *table.none):
        heads = range(n_heads)
        silent = {"whole": (), "without": (row.head,), "none": heads}.get(row.kept, [h for h in heads if h != row.head])
        edits = (*before, *(AblateHead(row.layer, h) for h in silent))
        loss, accuracy, agreement = by_hand(model, batch(), pairs(), edits)
        assert row.loss == pytest.approx(loss, abs=2e-5), row
        assert (row.accuracy, row.agreement) == (accuracy, agreement), row


def test_the_edits_are_ablations_of_the_heads_named() -> None:
    assert ablation_edits(3, "without", 1, 2) == (AblateHead(1, 2),)
    assert ablation_edits(3, "only", 1, 2) == (AblateHead(1, 0), AblateHead(1, 1))
    assert ablation_edits(2, "none", 0) == (AblateHead(0, 0), AblateHead(0, 1))
    assert ablation_edits(2, "whole", 0) == ()


def test_a_head_that_does_nothing_costs_nothing_and_the_one_that_does_costs_all() -> None:
    """W_O cut off from head 0: without it nothing changes, with it alone the layer is silent."""
    model = decoder(n_layers=1, bias=False)
    with torch.no_grad():
        model.stack.blocks[0].attention.w_o.weight[:, :4] = 0.0
    table = ablation_table(model, batch())
    assert table.without[0].loss == table.whole.loss
    assert table.only[0].loss == pytest.approx(table.none[0].loss, abs=1e-6)
    assert table.only[1].loss == pytest.approx(table.whole.loss, abs=1e-6)
    assert abs(table.without[1].loss - table.whole.loss) > 1e-3
    assert table.whole.agreement is None


def test_the_shipped_induction_model_needs_both_its_heads() -> None:
    model, held_out = vm.load("induction"), Induction().held_out()
    assert isinstance(model, Decoder)
    table = ablation_table(model, held_out)
    assert table.whole.accuracy > 0.99
    assert all(row.accuracy < 0.3 and row.loss > table.whole.loss + 1 for row in table.without)


def test_a_whole_mask_is_taken_as_it_is() -> None:
    model, given = encoder(), batch()
    mask = (torch.arange(6)[:, None] >= torch.arange(6))[None, None]
    table = ablation_table(model, Batch(given.ids, mask, given.asked, given.answers))
    with torch.inference_mode():
        logits = model(given.ids, mask=mask).logits[given.asked]
    assert table.whole.loss == pytest.approx(float(torch.nn.functional.cross_entropy(logits, given.answers)), abs=1e-5)


def test_json_brings_the_table_back() -> None:
    for choices in (pairs(), None):
        table = ablation_table(decoder(), batch(), choices=choices)
        assert AblationTable.from_json(table.to_json()) == table
