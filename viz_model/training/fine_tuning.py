"""Pretraining and fine-tuning (Devlin et al., 2019, section 3.2), measured: how few labelled examples are enough.

The body is the masked-word model that ships. Its head gives way to one for two classes, which reads the vector of the
begin token, and the model learns from 8 to 512 labelled sentences in three ways: all weights from the pretrained ones,
the head alone, and all weights from a fresh start. A seed decides the examples, the head's first weights and the order
of the batches, and is the same for the three.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Literal, get_args

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from viz_model.analysis.few_examples import Curve, FineTuning, Looked, Weights
from viz_model.checkpoint import load
from viz_model.models import Encoder
from viz_model.tasks.language import LanguageTask
from viz_model.tasks.names import make_task
from viz_model.tasks.subject_number import LABELS, Labelled, as_batch, examples
from viz_model.tasks.task import Batch
from viz_model.training.optimisers import rate_at
from viz_model.training.recipe import Recipe

BODY = "english-masked"
Way = Literal["full", "frozen", "scratch"]
WAYS: tuple[Way, ...] = get_args(Way)
N_HELD_OUT, N_TRIED = 400, 200  # sentences that accuracy is measured on; others, that a learning rate is chosen on
TIMES = 5  # as many steps, to see whether a fresh start lacks time or examples
SENTENCE = "The teachers near the small house will meet my friend"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured; the defaults are what ships."""

    sizes: tuple[int, ...] = (8, 16, 32, 64, 128, 256, 512)
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    rates: tuple[float, ...] = (3e-4, 1e-3, 3e-3, 1e-2, 3e-2)  # each way has the best of them for every size
    seeds_of_rates: tuple[int, ...] = (100, 101, 102)  # that the rates are chosen with: none of the seeds
    looked_at: int = 64  # the number of examples after which attention is looked at
    steps: int = 120
    batch_size: int = 16


def with_new_head(body: Encoder, n_classes: int, *, seed: int, way: Way = "full") -> Encoder:
    """A copy of the body with a fresh head: its logits are [batch, position, n_classes].

    way: "frozen" leaves the head alone to learn, "scratch" begins the body anew as well.
    """
    model = Encoder(body.config, seed=seed, tokenizer=body.tokenizer)
    if way != "scratch":
        model.load_state_dict(body.state_dict())
    model.stack.requires_grad_(way != "frozen")
    head = nn.Linear(body.config.d_model, n_classes, bias=False)
    with torch.no_grad():
        head.weight.copy_(torch.randn(head.weight.shape, generator=torch.Generator().manual_seed(seed)) * 0.02)
    model.unembed = head
    return model


def fine_tune(model: Encoder, data: Batch, *, steps: int, batch_size: int, learning_rate: float, seed: int) -> None:
    """Trains what may be trained of the model on labelled sentences, each drawn as often as chance has it.

    AdamW as in the recipes, a tenth of the steps to warm up.
    """
    recipe = Recipe(task=BODY, steps=steps, batch_size=batch_size, learning_rate=learning_rate, warm_up=steps // 10)
    learning = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(
        learning, lr=learning_rate, betas=(0.9, recipe.beta2), weight_decay=recipe.weight_decay, fused=True
    )
    generator = torch.Generator().manual_seed(seed)
    model.train()
    for step in range(1, steps + 1):
        for group in optimiser.param_groups:
            group["lr"] = learning_rate * rate_at(step, recipe)
        chosen = torch.randint(len(data.ids), (batch_size,), generator=generator)
        loss = F.cross_entropy(_at_begin(model, data.ids[chosen], data.present[chosen]), data.answers[chosen])
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(learning, recipe.clip)
        optimiser.step()
    model.eval()


@torch.inference_mode()
def accuracy(model: Encoder, data: Batch) -> float:
    """The share of the sentences whose label the model finds likeliest."""
    return float((_at_begin(model, data.ids, data.present).argmax(-1) == data.answers).double().mean())


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Sentences by what they are for; none is on two sides."""

    held_out: Batch  # accuracy is measured on these
    tried: Batch  # a learning rate is chosen on these
    rest: Batch  # examples are drawn from these


def sides(pool: Sequence[Labelled], body: Encoder, most: int) -> Sides:
    """The pool, parted; ValueError where it leaves fewer than `most` to learn from."""
    cut = N_HELD_OUT + N_TRIED
    if body.tokenizer is None:
        raise ValueError("body: expected a model with its tokenizer, got one without.")
    if len(pool) < cut + most:
        raise ValueError(f"pool: expected at least {cut + most} sentences, got {len(pool)}.")
    return Sides(*(as_batch(part, body.tokenizer) for part in (pool[:N_HELD_OUT], pool[N_HELD_OUT:cut], pool[cut:])))


def measure(body: Encoder, data: Sides, plan: Plan) -> tuple[Curve, ...]:
    """The curves of all ways."""

    def reached(way: Way, n: int, seed: int, rate: float, asked: Batch) -> float:
        return accuracy(trained(body, data.rest, way, n, seed=seed, learning_rate=rate, plan=plan), asked)

    curves = []
    for way in WAYS:
        tried = tuple(
            tuple(fmean(reached(way, n, seed, rate, data.tried) for seed in plan.seeds_of_rates) for rate in plan.rates)
            for n in plan.sizes
        )
        best = tuple(plan.rates[found.index(max(found))] for found in tried)
        rows = tuple(
            tuple(reached(way, n, seed, rate, data.held_out) for seed in plan.seeds)
            for n, rate in zip(plan.sizes, best, strict=True)
        )
        curves.append(Curve(way, best, tried, rows))
    return tuple(curves)


def trained(body: Encoder, rest: Batch, way: Way, n: int, *, seed: int, learning_rate: float, plan: Plan) -> Encoder:
    """A model that has learned from n of the sentences, which the seed draws, in one of the ways."""
    model = with_new_head(body, len(LABELS), seed=seed, way=way)
    mine = torch.randperm(len(rest.ids), generator=torch.Generator().manual_seed(seed))[:n]
    data = replace(rest, ids=rest.ids[mine], present=rest.present[mine], answers=rest.answers[mine])
    fine_tune(model, data, steps=plan.steps, batch_size=plan.batch_size, learning_rate=learning_rate, seed=seed + 1)
    return model


def look(before: Encoder, after: Encoder, text: str, n_examples: int) -> Looked:
    """Both models' attention on the text; the weights in four decimals, which is what a picture shows."""
    assert before.tokenizer is not None
    encoding = before.tokenizer.encode(text)
    ids = torch.tensor([encoding.ids])
    with torch.inference_mode():
        traces = [model(ids) for model in (before, after)]
    weights = [torch.stack([block.attention.weights[0] for block in trace.blocks]).double() for trace in traces]
    rounded = [_nested(part.mul(1e4).round().div(1e4)) for part in weights]
    one, several = traces[1].logits[0, 0].softmax(-1).tolist()
    return Looked(text, encoding.tokens, n_examples, (one, several), *rounded)


def fine_tuning() -> FineTuning:
    """The measurement that the page shows: a few minutes on one core."""
    plan, body, task = Plan(), load(BODY), make_task(BODY)
    assert isinstance(body, Encoder)
    assert isinstance(task, LanguageTask)
    most, cut = max(plan.sizes), N_HELD_OUT + N_TRIED
    pool = examples(cut + 2 * most, seen=task.sentences[0])
    data = sides(pool, body, most)
    curves = measure(body, data, plan)
    rates = {(one.way, n): rate for one in curves for n, rate in zip(plan.sizes, one.learning_rate, strict=True)}

    def made(way: Way, n: int, seed: int, times: int = 1) -> Encoder:
        long = replace(plan, steps=times * plan.steps)
        return trained(body, data.rest, way, n, seed=seed, learning_rate=rates[way, n], plan=long)

    return FineTuning(
        body=BODY,
        labels=LABELS,
        sizes=plan.sizes,
        seeds=plan.seeds,
        rates=plan.rates,
        steps=plan.steps,
        batch_size=plan.batch_size,
        n_held_out=N_HELD_OUT,
        curves=curves,
        times=TIMES,
        longer=tuple(accuracy(made("scratch", most, seed, TIMES), data.held_out) for seed in plan.seeds),
        attention=look(body, made("full", plan.looked_at, plan.seeds[0]), SENTENCE, plan.looked_at),
        shown=tuple((str(one), LABELS[one.label]) for one in pool[cut : cut + 8]),
    )


def _at_begin(model: Encoder, ids: Tensor, present: Tensor) -> Tensor:
    """Logits of the classes [batch, class], read where the begin token stands."""
    width = int(present.sum(1).max())
    return model.logits(ids[:, :width], present[:, :width])[:, 0]


def _nested(weights: Tensor) -> Weights:
    return tuple(tuple(tuple(tuple(row) for row in head) for head in layer) for layer in weights.tolist())
