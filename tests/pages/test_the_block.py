"""The block: lengths, sums, norms and neurons on the page are those of the model, computed another way."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from streamlit.testing.v1 import AppTest

import viz_model as vm
from tests.pages.seeing import component, exact, link_of, offered, pane, panes, plotly_values, selector, sound, trigger
from tests.viz_model.figures.page_reader import PageReader
from viz_model.figures.theme import format_number

CAT = "The cat sat on the mat"


@pytest.fixture(scope="module")
def passed() -> dict[str, torch.Tensor]:
    """What passes through the modules of the first layer at “cat”, seen from outside: no trace."""
    model = vm.load("english-causal")
    block, seen = model.stack.blocks[0], {}

    def watch(name: str, module: torch.nn.Module) -> Any:
        return module.register_forward_hook(lambda _, given, out: seen.update({name: given[0], f"{name} out": out}))

    hooks = [
        watch(name, getattr(block, name))
        for name in ("norm_attention", "norm_feed_forward", "attention", "feed_forward")
    ]
    with torch.inference_mode():
        model(torch.tensor([model.tokenizer.encode(CAT).ids]))
    for hook in hooks:
        hook.remove()
    return {
        "resid_pre": seen["norm_attention"][0],
        "normed_attention": seen["norm_attention out"][0],
        "attention.out": seen["attention out"].out[0],
        "resid_mid": seen["norm_feed_forward"][0],
        "normed_feed_forward": seen["norm_feed_forward out"][0],
        "feed_forward.out": seen["feed_forward out"].out[0],
        "resid_post": seen["norm_feed_forward"][0] + seen["feed_forward out"].out[0],
    }


def number(x: Any) -> str:
    """As the page writes it."""
    return format_number(float(x))


def said(page: AppTest) -> str:
    return "\n".join(each.value for each in page.markdown)


def drawing(page: AppTest) -> str:
    """The diagram's HTML."""
    return str(json.loads(component(page, "block").json))


def test_every_arrow_has_its_shape_and_its_length_at_the_chosen_word(visit, passed) -> None:
    picture = drawing(sound(visit("block")))
    for name, tensor in passed.items():
        group = re.search(rf'data-name="{re.escape(name)}".*?</g>', picture)
        assert group is not None, name
        assert f"7 \u00d7 64 \u00b7 norm {number(tensor[2].norm())}<" in group[0]


def test_a_pressed_arrow_shows_its_tensor(visit, passed) -> None:
    page = visit("block")
    assert np.allclose(plotly_values(page, "block_tensor"), passed["resid_mid"].numpy(), atol=1e-5)
    sum_of = PageReader(pane(page, "+ attention.out")).rows[1:]
    assert [row[0] for row in sum_of] == ["resid_pre", "+ attention.out", "= resid_mid"]
    before, added, total = np.array(exact(pane(page, "+ attention.out"))).reshape(3, 6)
    assert np.allclose(before + added, total, atol=1e-5)
    trigger(page, "block", "arrow", "attention.out")
    assert link_of(sound(page)) == {"v": "1", "block_arrow": "attention.out"}
    assert np.allclose(plotly_values(page, "block_tensor"), passed["attention.out"].numpy(), atol=1e-5)
    assert f"**{number(passed['attention.out'][2].norm())}**" in said(page)


def test_the_other_layout_is_drawn_and_has_no_numbers(visit) -> None:
    page = sound(visit("block", block_layout="other"))
    picture = drawing(page)
    assert "norm " not in re.sub("no norm|norm-free|post-norm", "", re.sub(r"<style>.*?</style>", "", picture))
    assert "post-norm block" in picture
    assert not page.get("plotly_chart")
    assert "Drawn only" in said(page)


def test_a_model_without_the_arrow_shows_the_one_that_enters(visit) -> None:
    page = sound(visit("block", model="induction", text="a b a", block_arrow="feed_forward.out"))
    assert "**resid_pre** is the stream as it comes into layer 0" in said(page)


def test_the_stream_adds_up_by_the_law_of_cosines(visit, passed) -> None:
    page = sound(visit("block", block_part="stream"))
    rows = np.array(exact(pane(page, "What each sublayer adds"))).reshape(6, 5)
    first = passed["resid_pre"][2], passed["attention.out"][2]
    assert np.allclose(rows[0, :2], [x.norm() for x in first], rtol=1e-5)
    assert rows[0, 3] == pytest.approx(float(F.cosine_similarity(*first, dim=0)), abs=1e-5)
    assert np.allclose(rows[:, 4] ** 2, rows[:, 0] ** 2 + rows[:, 1] ** 2 + 2 * rows[:, 0] * rows[:, 1] * rows[:, 3])
    assert np.allclose(rows[1:, 0], rows[:-1, 4], rtol=1e-5)
    assert "\u2713" in pane(page, "What each sublayer adds")
    unit = F.normalize(passed["resid_pre"], dim=-1)
    pairs = [float(unit[i] @ unit[j]) for i in range(7) for j in range(7) if i != j]
    assert f"mean cosine of **{number(np.mean(pairs))}** at the start" in said(page)


def test_the_norm_is_written_out_and_adds_up(visit, passed) -> None:
    page = sound(visit("block", block_part="norm", block_norm="norm_feed_forward"))
    vector = passed["resid_mid"][2].double()
    for statistic in (vector.mean(), vector.var(unbiased=False)):
        assert f"**{number(statistic)}**" in said(page)
    table = pane(page, "entry by entry")
    assert "\u2713" in table
    rows = np.array(exact(table)[: 16 * 6]).reshape(16, 6)
    norm = vm.load("english-causal").stack.blocks[0].norm_feed_forward
    own = F.layer_norm(vector, (64,), norm.weight.double(), norm.bias.double(), norm.eps)[:16].detach().numpy()
    assert np.allclose(rows[:, 5], own, atol=1e-5)
    assert np.allclose(rows[:, 2] * rows[:, 3] + rows[:, 4], rows[:, 5], atol=1e-5)
    assert np.allclose(plotly_values(page, "norm_after"), passed["normed_feed_forward"].numpy(), atol=1e-5)


def test_the_neurons_excited_by_the_word_come_first(visit, passed) -> None:
    page = sound(visit("block", block_part="neurons"))
    hidden = vm.load("english-causal").stack.blocks[0].feed_forward
    with torch.inference_mode():
        post = F.gelu(passed["normed_feed_forward"][2] @ hidden.w_in.weight.T + hidden.w_in.bias)
    best = post.topk(8)
    rows = PageReader(pane(page, "glass-neurons")).rows[1:]
    assert [row[0] for row in rows] == [f"0.{i}" for i in best.indices.tolist()]
    assert f"{best.indices[0]} ({number(best.values[0])})" in said(page)
    selector(page, "block_neurons").set_value("context").run()
    shares = [float(row[-1]) for row in PageReader(pane(page, "glass-neurons")).rows[1:]]
    assert shares == sorted(shares)
    assert shares[-1] < 0.6


def test_attention_alone_has_no_neurons(visit) -> None:
    page = sound(visit("block", block_part="neurons", model="induction", text="a b a"))
    assert "no feed-forward layer" in said(page)
    assert not [each for each in panes(page) if "glass-neurons" in each]


@pytest.mark.parametrize(
    ("label", "wanted"),
    [
        ("Neurons that read context", {"block_part": "neurons", "layer": "2", "block_neurons": "context"}),
        (
            "24 layers, neither norm nor residual",
            {"block_part": "start", "block_depth": "24", "block_variants": "pre-norm~neither"},
        ),
        (
            "24 layers that do not start small",
            {
                **{"block_part": "start", "block_depth": "24", "block_small": "0"},
                "block_variants": "pre-norm~post-norm~no norm",
            },
        ),
    ],
)
def test_an_experiment_sets_the_controls_and_its_link_shows_the_same(visit, label: str, wanted) -> None:
    page = visit("block")
    next(button for button in page.button if button.label == label).click().run()
    assert link_of(sound(page)) == {"v": "1", **wanted}
    assert said(sound(visit("block", **link_of(page)))) == said(page)


def test_a_teacher_hides_and_locks(visit) -> None:
    page = sound(visit("block", hide="question~experiments~equation~downloads", lock="panel~layer"))
    assert not page.radio
    assert not page.latex
    assert not offered(page)
    assert selector(page, "block_part").disabled
    assert selector(page, "layer").disabled
    assert 'role="button"' not in drawing(page)
