"""The workbench's panels: each one's numbers against the analysis that it shows, or against the model."""

from __future__ import annotations

import html
import json
import re

import numpy as np
import pytest
import torch
from pyarrow import ipc

import viz_model as vm
from pages.ui import link_table
from tests.pages.seeing import by_key, exact, notes, pane, panes, plotly_values, sound
from viz_model.analysis import (
    Outcome,
    attention_agreement,
    gradient_times_input,
    logit_lens,
    rollout,
    token_ablation,
    value_weighted_norms,
)

TEXT = "The cat sat on the mat"


def model(name: str = "english-causal"):
    return vm.load(name)


@pytest.mark.parametrize("panel", link_table.PANELS)
@pytest.mark.parametrize("name", link_table.MODELS)
@pytest.mark.parametrize("text", ["cat", "<s> $x$ **b** `c` :red[a] שלום"])
def test_every_panel_runs_on_every_model(visit, panel: str, name: str, text: str) -> None:
    sound(visit("workbench", panel=panel, model=name, text=text, n_new="2", query="1", key="0", edits="ablate_0_0"))


@pytest.mark.parametrize("panel", link_table.PANELS)
def test_every_panel_runs_on_the_longest_text(visit, panel: str) -> None:
    page = sound(visit("workbench", panel=panel, text="the cat sees the dog " * 110, query="300", key="299"))
    assert any("first 512 tokens of 551" in note for note in notes(page))


def test_the_terms_of_the_dot_product_are_the_heads_own(visit) -> None:
    page = sound(visit("workbench", layer="1", head="2", query="4", key="2"))
    attention = vm.run(model(), TEXT).blocks[1].attention
    q, k = attention.q[0, 2, 4], attention.k[0, 2, 2]
    numbers = np.array(exact(pane(page, "term by term")))
    terms, total = numbers[:-1].reshape(-1, 3), numbers[-1]
    np.testing.assert_allclose(terms, torch.stack((q, k, q * k), dim=1).numpy(), rtol=1e-5, atol=1e-6)
    assert total == pytest.approx(float(attention.dots[0, 2, 4, 2]), rel=1e-4)


def test_the_softmax_of_the_row_is_the_heads_own(visit) -> None:
    page = sound(visit("workbench", layer="1", head="2", query="4"))
    attention = vm.run(model(), TEXT).blocks[1].attention
    rows = pane(page, "Softmax of the row").split("<tbody>")[1].split("</tbody>")[0].split("<tr>")[1:]
    assert sum("masked" in row for row in rows) == 2
    for key, row in enumerate(rows[:5]):
        score, _, weight = exact(row)
        assert score == pytest.approx(float(attention.scores[0, 2, 4, key]), rel=1e-5)
        assert weight == pytest.approx(float(attention.weights[0, 2, 4, key]), rel=1e-4, abs=1e-7)


@pytest.mark.parametrize("name", ["english-causal", "english-masked"])
def test_the_last_row_of_the_lens_is_the_models_output(visit, name: str) -> None:
    values = plotly_values(sound(visit("workbench", panel="lens", model=name)), "lens")
    trace = vm.run(model(name), TEXT)
    expected = trace.logits[0].softmax(-1).max(-1).values
    np.testing.assert_allclose(values[-1], expected.numpy(), atol=1e-6)
    best = logit_lens(model(name), trace)[:, 0].softmax(-1).max(-1).values
    np.testing.assert_allclose(values, best.numpy(), atol=1e-6)


def test_the_parts_of_the_answer_sum_to_its_logit(visit) -> None:
    page = sound(visit("workbench", panel="lens"))
    table = pane(page, "Parts, largest first")
    *parts, total = exact(table)
    logit = float(vm.run(model(), TEXT).logits[0, -1].max())
    assert total == pytest.approx(logit, rel=1e-5)
    assert sum(parts) == pytest.approx(logit, rel=1e-4)
    assert "✓" in table


def test_the_rollout_is_the_analysis(visit) -> None:
    values = plotly_values(sound(visit("workbench", panel="rollout", layer="2")), "rollout")
    expected = rollout(vm.run(model(), TEXT))[2, 0].numpy()
    reached = np.tri(len(expected), dtype=bool)
    np.testing.assert_allclose(values[reached], expected[reached], atol=1e-6)
    assert np.isnan(values[~reached]).all()


def test_value_weighted_attention_is_the_analysis(visit) -> None:
    values = plotly_values(sound(visit("workbench", panel="values", layer="1", head="3")), "values")
    expected = value_weighted_norms(model().stack.layers[1].attention, vm.run(model(), TEXT).blocks[1].attention)
    np.testing.assert_allclose(values, expected[0, 3].numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("name", "query"), [("english-causal", 2), ("english-masked", 3)])
def test_attributions_are_the_analyses(visit, name: str, query: int) -> None:
    page = sound(visit("workbench", panel="attribution", model=name, layer="1", head="2", query=str(query)))
    loaded = model(name)
    trace = vm.run(loaded, TEXT)
    position = len(trace.tokens) - 1 if name == "english-causal" else query
    answer = int(trace.logits[0, position].argmax())
    outcome = Outcome(position, answer)
    expected = {
        "attention": trace.blocks[1].attention.weights[0, 2, position],
        "gradient × input": gradient_times_input(loaded, trace.ids, outcome),
        "ablation": token_ablation(loaded, trace.ids, outcome),
    }
    drawn = chart_rows(page)
    for measure, values in expected.items():
        found = [each for each in drawn if measure in each.values()]
        assert len(found) == len(trace.tokens), measure
        numbers = [[value for value in each.values() if isinstance(value, float)] for each in found]
        wanted = values.detach().numpy()
        assert all(
            any(value == pytest.approx(float(want), rel=1e-4, abs=1e-6) for value in row)
            for row, want in zip(numbers, wanted, strict=True)
        ), measure
    said = " ".join(each.value for each in page.caption)
    for measure in ("gradient × input", "ablation"):
        agreement = attention_agreement(trace, expected[measure], query=position)[1][2]
        assert re.search(rf"{measure}.*?: {re.escape(f'{agreement:+.2f}')}", said), measure
    assert f"probability {float(trace.logits[0, position].softmax(-1)[answer]):.3f}" in page.markdown[-1].value or any(
        f"probability {float(trace.logits[0, position].softmax(-1)[answer]):.3f}" in each.value
        for each in page.markdown
    )


def chart_rows(page) -> list[dict[str, object]]:
    """The data of the attribution chart."""
    (chart,) = page.get("vega_lite_chart") or page.get("arrow_vega_lite_chart")
    spec = json.loads(chart.proto.spec)
    rows = [row for values in spec.get("datasets", {}).values() for row in values]
    for each in chart.proto.datasets:
        rows += ipc.open_stream(each.data.data).read_all().to_pylist()
    if not rows:
        rows = spec["data"]["values"]
    return rows


def test_attribution_of_a_long_text_states_its_limit(visit) -> None:
    page = sound(visit("workbench", panel="attribution", text="the cat " * 40))
    assert any("up to 64 tokens, this text has 81" in note for note in notes(page))


def generated(page) -> str:
    return page.code[0].value


def by_argmax(text: str, n: int) -> str:
    loaded = model()
    ids = list(loaded.tokenizer.encode(text).ids)
    for _ in range(n):
        with torch.inference_mode():
            ids.append(int(loaded(torch.tensor([ids])).logits[0, -1].argmax()))
        if ids[-1] == loaded.tokenizer.special_ids.end:
            break
    return loaded.tokenizer.decode(ids)


@pytest.mark.parametrize("text", ["The dogs", TEXT])
def test_temperature_0_writes_the_likeliest_token_each_time(visit, text: str) -> None:
    page = sound(visit("workbench", panel="generate", text=text, temperature="0", n_new="6"))
    assert generated(page) == by_argmax(text, 6)


def test_the_same_seed_writes_the_same_words(visit) -> None:
    link = {"panel": "generate", "text": "The", "temperature": "1.5", "n_new": "12"}
    first, again = (generated(sound(visit("workbench", seed="3", **link))) for _ in range(2))
    assert first == again
    assert {generated(visit("workbench", seed=str(seed), **link)) for seed in range(4, 8)} - {first}


def test_the_stages_of_a_choice_are_in_numbers(visit) -> None:
    page = sound(visit("workbench", panel="generate", temperature="0.5", top_k="3", n_new="1"))
    logits = vm.run(model(), TEXT).logits[0, -1].double()
    order = logits.argsort(descending=True)[:3]
    rows = pane(page, "drawn from").split("<tbody>")[1].split("<tr>")[1:]
    kept = [row for row in rows if "kept" in row]
    assert len(kept) == 3
    shares = (logits / 0.5).softmax(0)[order]
    for row, i, share in zip(kept, order.tolist(), shares, strict=True):
        assert html.unescape(re.findall(r"<bdi>(.*?)</bdi>", row)[0]) == model().tokenizer.token(i)
        logit, scaled, probability, final = exact(row)
        assert logit == pytest.approx(float(logits[i]), rel=1e-5)
        assert scaled == pytest.approx(float(logits[i] / 0.5), rel=1e-5)
        assert probability == pytest.approx(float(share), rel=1e-4)
        assert final == pytest.approx(float(share / shares.sum()), rel=1e-4)


def test_each_written_token_can_be_looked_at(visit) -> None:
    page = visit("workbench", panel="generate", text="The", temperature="0", n_new="3")
    by_key(page.slider, "generation_step").set_value(3).run()
    assert pane(sound(page), "Choice 3: ")
    by_key(page.number_input, "n_new").set_value(2).run()
    assert by_key(sound(page).slider, "generation_step").max == 2


def test_edits_hold_while_the_model_writes(visit) -> None:
    page = sound(visit("workbench", panel="generate", text="The keys", temperature="0", n_new="4", edits="ablate_1_0"))
    loaded, ids = model(), list(model().tokenizer.encode("The keys").ids)
    for _ in range(4):
        with torch.inference_mode():
            logits = loaded(torch.tensor([ids]), edits=(vm.AblateHead(1, 0),)).logits
        ids.append(int(logits[0, -1].argmax()))
        if ids[-1] == loaded.tokenizer.special_ids.end:
            break
    assert generated(page) == loaded.tokenizer.decode(ids)


def test_a_masked_model_does_not_write_and_says_so(visit) -> None:
    page = sound(visit("workbench", panel="generate", model="english-masked", text="The [MASK] sat"))
    assert any("does not write on" in note for note in notes(page))
    assert not page.code


def test_the_tokens_panel_ties_every_token_to_its_characters(visit) -> None:
    text = "Zoë 👩🏽‍🚀 <s>"
    page = sound(visit("workbench", panel="tokens", model="untrained", text=text))
    encoding = model("untrained").tokenizer.encode(text)
    rows = next(each for each in panes(page) if "covers" in each).split("<tbody>")[1].split("<tr>")[1:]
    assert len(rows) == len(encoding)
    for i, row in enumerate(rows):
        cells = re.findall(r"<t[dh].*?>(.*?)</t[dh]>", row)
        assert (cells[0], cells[2]) == (str(i), str(encoding.ids[i]))
        assert bytes.fromhex(cells[5]) == encoding.bytes[i]
