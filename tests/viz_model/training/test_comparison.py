"""What the lesson measures beside its curves: sizes counted otherwise, gradients against a changed token, probes."""

from __future__ import annotations

import math

import pytest
import torch

from viz_model.analysis.memory import read_out
from viz_model.tasks.recall import AssociativeRecall, FirstToken
from viz_model.training import comparison
from viz_model.training.build import build
from viz_model.training.comparison import FARTHEST, Bottleneck, Costs
from viz_model.training.lesson_recipes import first_token_recipes, recall_recipes
from viz_model.training.studies import kept


def test_sizes_are_those_of_the_models_and_equal_to_a_twentieth() -> None:
    found = comparison.sizes(recall_recipes(16))
    lstm = found["lstm"]
    d, words = lstm.d_model, AssociativeRecall(16).tokenizer.vocab_size
    assert lstm.parameters == 2 * words * d + 4 * (2 * d * d + 2 * d)
    assert all(abs(size.parameters / found["attention"].parameters - 1) <= 0.05 for size in found.values())
    assert [found[name].sees for name in ("attention", "rnn", "lstm", "cnn")] == [None, None, None, 63]


@pytest.mark.parametrize("body", ["cnn", "cnn-narrow"])
def test_a_gradient_of_exactly_0_is_a_token_that_moves_nothing(body: str) -> None:
    gradient = comparison.gradient_at_start(body, n_texts=1)
    assert len(gradient) == FARTHEST + 1
    task = FirstToken(FARTHEST)
    model = build(first_token_recipes(50)[body], task, seed=comparison.SEED).eval()
    ids = task.held_out().ids[:1, 1:]
    before = read_out(model(ids))[0, -1]
    for distance in (0, 5, 10, 11, 40, 62, 63):
        changed = ids.clone()
        at = ids.shape[1] - 1 - distance
        changed[0, at] = task.first_filler + (changed[0, at] + 1) % 10
        moved = bool((read_out(model(changed))[0, -1] != before).any())
        assert moved == (gradient[distance] > 0), distance


def test_the_forget_bias_is_what_keeps_the_gradient() -> None:
    without, with_bias = (comparison.gradient_at_start(body, n_texts=1) for body in ("lstm", "lstm-forget"))
    assert without[FARTHEST] < 1e-10
    assert with_bias[FARTHEST] > 0.01


def test_half_of_a_cell_is_left_after_the_said_number_of_tokens() -> None:
    gate, half = comparison.forget_gate(3.0)
    assert gate == pytest.approx(torch.tensor(3.0).sigmoid().item())
    assert gate**half == pytest.approx(0.5)
    assert comparison.forget_gate(0.0) == pytest.approx((0.5, 1.0))


def test_the_kept_costs_are_the_formulas_of_these_models() -> None:
    costs = Costs.from_json(kept("body-costs"))
    bodies = {row.body: row for row in costs.bodies}
    for i, n in enumerate(costs.lengths):
        by_hand = {
            "attention": 2 * (4 * n * 64**2 + 2 * n**2 * 64),
            "rnn": 2 * n * bodies["rnn"].d_model ** 2,
            "lstm": 8 * n * bodies["lstm"].d_model ** 2,
            "cnn": 5 * 3 * n * bodies["cnn"].d_model ** 2,
        }
        assert {name: row.multiplications[i] for name, row in bodies.items()} == by_hand
        assert [bodies[name].steps[i] for name in ("attention", "rnn", "lstm", "cnn")] == [2, n, n, 5]
        assert [bodies[name].path[i] for name in ("attention", "rnn", "lstm")] == [2, n, n]
        assert (bodies["cnn"].path[i] is None) == (n > 63)


def test_a_plan_has_each_vector_after_all_that_it_reads() -> None:
    for plan in comparison.work_plans(8):
        for node, reads in plan.reads.items():
            assert plan.step[node] == (1 + max(plan.step[read] for read in reads) if reads else 0)
        assert plan.way[0] == (0, 0)
        assert plan.way[-1] == (plan.n_layers, 7)


def test_probes_read_each_pair_where_it_stands() -> None:
    """Untrained: a vector holds its own token, an LSTM's state the last ones, and nothing else is there to be read."""
    task = AssociativeRecall(4)
    recipes = recall_recipes(4)
    models = {name: (build(recipes[name], task, seed=0).eval(), task) for name in ("attention", "lstm")}
    found = comparison.probed(models, n_examples=600)
    probes = {(probe.body, probe.read_from): probe for probe in found.probes}
    every = probes["attention", "every vector"]
    assert every.numbers == every.names == (1.0,) * 4
    assert every.width == 9 * probes["attention", "last vector"].width
    state = probes["lstm", "state and cell"]
    assert state.width == 2 * recipes["lstm"].d_model
    assert state.numbers[0] == 1.0
    assert len(state.numbers) == len(state.names) == found.n_pairs == 4
    assert found.chance_number < 0.25
    assert found.chance_name < 0.45


def test_the_kept_probes_are_of_models_that_learned_as_the_study_says() -> None:
    from viz_model.training.studies import recorded

    found = Bottleneck.from_json(kept("bottleneck"))
    arms = recorded("recall-16")
    assert dict(found.accuracy) == pytest.approx({name: arm.measures["numbers right"][0] for name, arm in arms.items()})
    assert dict(found.accuracy)["attention"] >= 0.98
    assert all(share < 0.5 for name, share in found.accuracy if name != "attention")
    (every,) = (probe for probe in found.probes if probe.read_from == "every vector")
    assert min(every.numbers) > 0.99
    assert all(min(probe.numbers) < 0.3 for probe in found.probes if probe is not every)
    assert math.isclose(found.chance_number, 0.1, abs_tol=0.03)
