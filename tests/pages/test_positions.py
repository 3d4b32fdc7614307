"""Positions: what the page says of sinusoids, of longer texts and of order, against formulas and a reading by hand."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

import viz_model as vm
from pages.ui import link_table
from tests.pages.seeing import by_key, link_of, notes, offered, pane, plotly_values, selector, sound
from tests.viz_model.figures.page_reader import PageReader
from viz_model.figures.theme import format_number
from viz_model.training.history import read_history

STUDY = Path(__file__).parents[2] / "assets" / "studies" / "positions"


def waves(n: int, width: int) -> np.ndarray:
    """The encoding from its formula, number by number."""
    return np.array(
        [
            [(math.cos if i % 2 else math.sin)(p / 10_000 ** ((i - i % 2) / width)) for i in range(width)]
            for p in range(n)
        ]
    )


def said(page: AppTest) -> str:
    return "\n".join(each.value for each in page.markdown)


def metrics(page: AppTest) -> list[str]:
    return [each.value for each in page.metric]


@pytest.fixture(scope="module")
def lesson(visit) -> AppTest:
    return sound(visit("positions"))


@pytest.mark.parametrize(("position", "width"), [(20, 32), (63, 7)])
def test_the_picture_is_the_formula_and_the_clocks_are_its_row(visit, position: int, width: int) -> None:
    page = sound(visit("positions", pe_position=str(position), pe_width=str(width)))
    expected = waves(64, width)
    np.testing.assert_allclose(plotly_values(page, "encoding"), expected, atol=1e-6)
    dials = PageReader(pane(page, "glass-clocks")).labels
    assert dials[0].startswith("pair 0")
    for dial in dials:
        pair, sine, cosine = re.fullmatch(r"pair (\d+): sine (\S+), cosine (\S+)", dial).groups()
        assert float(sine) == pytest.approx(expected[position, 2 * int(pair)], rel=6e-3, abs=1e-9)
        assert float(cosine) == pytest.approx(expected[position, 2 * int(pair) + 1], rel=6e-3, abs=1e-9)
    assert int(dials[-1].split(":")[0].split()[1]) == width // 2 - 1
    assert (f"column {width - 1} is a sine without its cosine" in said(page)) == (width % 2 == 1)


def test_it_opens_without_a_link_and_a_control_goes_into_it(visit) -> None:
    page = sound(visit("positions"))
    assert link_of(page) == {}
    assert not page.info
    by_key(page.slider, "pe_position").set_value(41).run()
    by_key(page.number_input, "pe_width").set_value(9).run()
    assert link_of(sound(page)) == {"v": "1", "pe_position": "41", "pe_width": "9"}
    assert "at position 41: 9 numbers" in said(page)


@pytest.mark.parametrize(("width", "offset", "pair"), [(32, 5, 2), (9, 13, 1)])
def test_unique_smooth_and_relative_are_measured(visit, width: int, offset: int, pair: int) -> None:
    link = {"pe_width": str(width), "pe_offset": str(offset), "pe_pair": str(pair), "pe_position": "11"}
    page = sound(visit("positions", positions_part="properties", **link))
    encoding = waves(64, width)
    distance = np.sqrt(((encoding[:, None] - encoding[None]) ** 2).sum(-1))
    np.testing.assert_allclose(plotly_values(page, "distances"), distance, atol=1e-5)
    smallest = distance[~np.eye(64, dtype=bool)].min()
    assert f"are **{format_number(smallest)}** apart" in said(page)
    assert f"each row is **{format_number(np.linalg.norm(encoding[1] - encoding[0]))}** from the next" in said(page)
    dots = [encoding[p] @ encoding[p + offset] for p in range(64 - offset)]
    assert f"two positions that are {offset} apart is **{format_number(np.mean(dots))}**" in said(page)
    assert ("That is rounding: the dot product" in said(page)) == (width % 2 == 0)
    angle = offset / 10_000 ** (2 * pair / width)
    turn = f"{format_number(math.cos(angle))}&{format_number(math.sin(angle))}"
    assert turn in page.latex[0].value
    residual = float(re.search(r"wrong by at most \*\*(\S+)\*\*", said(page))[1])
    assert residual < 1e-5


def test_a_learned_table_does_not_turn(visit) -> None:
    page = sound(visit("positions", positions_part="properties", pe_offset="3"))
    table = vm.load("copy").state_dict()["stack.positions.table"].double().numpy()
    n, width = table.shape
    worst = 0.0
    for pair in range(width // 2):
        angle = 3 / 10_000 ** (2 * pair / width)
        for p in range(n - 3):
            sine, cosine = table[p, 2 * pair], table[p, 2 * pair + 1]
            there = (
                math.cos(angle) * sine + math.sin(angle) * cosine,
                math.cos(angle) * cosine - math.sin(angle) * sine,
            )
            worst = max(worst, *np.abs(np.array(there) - table[p + 3, 2 * pair : 2 * pair + 2]))
    assert f"is wrong by up to {format_number(worst)}: nothing" in said(page)
    assert worst > 0.5
    page = sound(visit("positions", positions_part="properties", pe_offset="40"))
    assert "has 32 rows: it has no two positions that are 40 apart" in said(page)


def test_a_pair_that_the_width_has_not_is_moved(visit) -> None:
    page = sound(visit("positions", positions_part="properties", pe_width="5", pe_pair="9"))
    assert notes(page) == ["With 5 columns there are pairs 0 to 1; 1 is shown."]
    assert link_of(page)["pe_pair"] == "1"


def test_the_losses_beyond_are_those_of_the_study(visit) -> None:
    page = sound(visit("positions", positions_part="further"))
    arms = {arm["name"]: arm["measures"] for arm in json.loads((STUDY / "study.json").read_text("utf-8"))["arms"]}
    rows = {row[0].lower(): row[1:] for row in PageReader(pane(page, "nats a letter")).rows[1:]}
    assert set(rows) == set(arms) == {"sinusoidal", "learned", "rotary", "alibi", "none"}
    for kind, measures in arms.items():
        losses = dict(zip(measures["position"], measures["loss by position"], strict=True))
        for cell, (start, stop) in zip(rows[kind], ((2, 32), (32, 36), (40, 64), (96, 128)), strict=True):
            inside = [losses[p] for p in range(start, stop)]
            expected = "no vector" if None in inside else format_number(sum(inside) / len(inside))
            assert cell == expected, kind
    assert rows["learned"][1:] == ["no vector"] * 3
    text = said(page)
    assert "On show: **recorded** runs" in text
    assert "For position 32 there is no vector" in text
    best = -sum(p * math.log(p) for p in (0.7, 0.2, 0.1))
    assert f"The best possible loss is **{best:.3f}**" in text
    assert f"who knows nothing has **{math.log(8):.2f}**" in text
    # What the words say of each kind follows from its numbers.
    for kind, found in (("Sinusoidal", "sinusoidal"), ("Rotary", "rotary")):
        assert float(rows[found][2]) > math.log(8)
        (line,) = (each.value for each in page.markdown if each.value.startswith(f"**{kind}**"))
        assert line.endswith("it gives the letter that comes less than a blind guess would.")
    (line,) = (each.value for each in page.markdown if each.value.startswith("**ALiBi**"))
    assert max(map(float, rows["alibi"])) - float(rows["alibi"][0]) < 0.1
    assert line.endswith("it goes on as it was.")


def test_the_study_trained_all_kinds_alike() -> None:
    card = json.loads((STUDY / "study.json").read_text("utf-8"))
    recipes = [arm["recipe"] for arm in card["arms"]]
    differ = {key for key in recipes[0] if len({str(recipe[key]) for recipe in recipes}) > 1}
    assert differ == {"position", "context_length"}
    for arm in card["arms"]:
        assert read_history((STUDY / arm["file"]).read_bytes())[-1].step == arm["recipe"]["steps"]


def outputs(model, text: str, *, full: bool) -> np.ndarray:
    ids = torch.tensor([model.tokenizer.encode(text).ids])
    mask = torch.ones(1, 1, ids.shape[1], ids.shape[1], dtype=torch.bool) if full else None
    with torch.inference_mode():
        return model(ids, mask).final_norm[0].numpy()


@pytest.mark.parametrize("mask", link_table.ORDER_MASKS)
def test_the_difference_of_two_orders_is_that_of_the_model(visit, mask: str) -> None:
    page = sound(visit("positions", positions_part="order", order_mask=mask))
    model = vm.load("english-causal")
    first, second = (outputs(model, text, full=mask == "full") for text in ("cat sat dog", "dog cat sat"))
    moved = second[[0, 2, 3, 1]]  # [BOS] dog cat sat, in the order of [BOS] cat sat dog
    placed, bare = metrics(page)
    assert placed == format_number(np.abs(first - moved).max())
    assert float(placed) > 0.1
    shown = plotly_values(page, "orders_with").reshape(4, 3, -1)
    for row, expected in enumerate((first, moved, moved - first)):
        np.testing.assert_allclose(shown[:, row], expected, atol=1e-5)
    differences = plotly_values(page, "orders_without").reshape(4, 3, -1)[:, 2]
    if mask == "full":
        assert float(bare) < 1e-5
        assert np.abs(differences).max() < 1e-5
        assert "Only rounding" in said(page)
    else:
        assert float(bare) == pytest.approx(1.21, abs=0.01)
        assert np.abs(differences).max() == pytest.approx(float(bare), abs=0.01)


def test_the_question_is_answered_by_the_mask_alone(visit) -> None:
    page = sound(visit("positions"))
    (question,) = page.radio
    question.set_value(question.options[0]).run()
    assert "No: they come out different" in said(page)
    assert "the outputs differ by up to **1.21**" in said(page)


def test_texts_that_are_not_one_text_keep_the_last_picture(visit) -> None:
    page = sound(visit("positions", positions_part="order", order_second="sat cat dog"))
    before = metrics(page)
    by_key(page.text_input, "order_second").set_value("sat cat").run()
    (note,) = notes(sound(page))
    assert note.startswith("The two texts have to be the same words in two orders, and they differ in “dog”")
    assert "“sat cat dog”" in note
    assert metrics(page) == before
    by_key(page.text_input, "order_second").set_value("").run()
    assert "one of the two has no words" in notes(sound(page))[0]


@pytest.mark.parametrize("name", link_table.MODELS)
def test_every_model_gets_words_that_it_reads(visit, name: str) -> None:
    page = sound(visit("positions", positions_part="order", model=name))
    assert notes(page) == []
    assert float(metrics(page)[0]) > 0.1
    assert float(metrics(page)[1]) < 1e-5


@pytest.mark.parametrize("i", range(3))
def test_each_experiment_sets_the_page(visit, i: int) -> None:
    page = sound(visit("positions"))
    by_key(page.button, f"try_{i}").click().run()
    sound(page)
    assert link_of(page)
    if i == 0:
        assert "the two nearest to each other are 4 and 48" in said(page)
        assert "44 positions on" in said(page)
    elif i == 1:
        assert selector(page, "positions_part").value == "picture"
        assert "column 6 is a sine without its cosine" in said(page)
    else:
        assert float(metrics(page)[1]) < 1e-5 < 1 < float(metrics(page)[0])


def test_what_a_teacher_locks_and_hides(visit) -> None:
    page = sound(visit("positions", positions_part="properties", lock="position~panel", hide="downloads~question"))
    for control in (by_key(page.slider, "pe_position"), by_key(page.number_input, "pe_offset")):
        assert control.disabled
    assert selector(page, "positions_part").disabled
    assert not page.radio
    assert not offered(page)
    page = sound(visit("positions", positions_part="further", lock="training"))
    assert by_key(page.button, "study_start").disabled


def test_while_the_runs_train_it_waits_for_their_measure(visit, monkeypatch) -> None:
    from pages.ui import study
    from tests.pages.live_runs import FakeRunner

    fake = FakeRunner()
    monkeypatch.setattr(study, "runner", lambda: fake)
    page = sound(visit("positions", positions_part="further"))
    by_key(page.button, "study_start").click().run()
    sound(page)
    assert [recipe.position for recipe, *_ in fake.started] == ["sinusoidal", "learned", "rotary", "alibi", "none"]
    assert "On show: **your own** runs, training" in said(page)
    assert "is measured when a run has come to its end" in said(page)
    assert not offered(page)
    by_key(page.button, "study_back").click().run()
    assert "On show: **recorded** runs" in said(sound(page))
    assert len(fake.forgotten) == 5


def test_only_a_model_with_a_mask_has_one_to_switch(visit) -> None:
    for model, off in (("english-causal", False), ("english-masked", True)):
        page = sound(visit("positions", positions_part="order", model=model))
        assert by_key(page.get("button_group"), "order_mask").disabled == off
