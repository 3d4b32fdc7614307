"""Why not RNNs or CNNs: every number on the page is the record's, or is found again in another way."""

from __future__ import annotations

import base64
import itertools
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.learn.parts import why_not_rnns_choice as choice
from tests.pages.seeing import by_key, component, exact, link_of, offered, pane, selector, sound
from tests.viz_model.figures.page_reader import PageReader
from viz_model.tasks.names import make_task
from viz_model.training import comparison

STUDIES = Path(__file__).parents[2] / "assets" / "studies"


def measured(study: str) -> dict[str, float]:
    """What the record says of each body, read as plain JSON."""
    arms = json.loads((STUDIES / study / "study.json").read_text(encoding="utf-8"))["arms"]
    metric = "numbers right" if study.startswith("recall") else "letters right"
    return {arm["name"]: arm["measures"][metric][0] for arm in arms}


def said(page: AppTest) -> str:
    return "\n".join(each.value for each in page.markdown)


def bodies(page: AppTest) -> list[list[str]]:
    return PageReader(pane(page, "all held-out examples")).rows[1:]


@pytest.fixture(scope="module")
def lesson(visit) -> AppTest:
    return sound(visit("recurrence"))


def test_it_opens_on_recall_with_the_records_numbers(lesson) -> None:
    assert link_of(lesson) == {}
    assert not lesson.info
    found = measured("recall-16")
    order = ("attention", "lstm", "cnn", "rnn")
    assert exact(pane(lesson, "all held-out examples"))[:4] == pytest.approx([found[name] for name in order], rel=1e-6)
    assert [row[0].split(",")[0] for row in bodies(lesson)] == ["attention", "LSTM", "CNN", "RNN"]
    assert f"After 300 steps attention gives **{found['attention']:.2f}** of the numbers right" in said(lesson)
    assert f"the LSTM {found['lstm']:.3f}, the CNN {found['cnn']:.3f}, the RNN {found['rnn']:.3f}" in said(lesson)
    sizes = [int(row[3].replace(",", "")) for row in bodies(lesson)]
    assert max(sizes) / min(sizes) < 1.05
    assert len(lesson.get("vega_lite_chart")) == 1


def test_the_most_frequent_number_is_counted_from_the_books(lesson) -> None:
    batch = make_task("associative-recall-16").held_out()
    answers = batch.answers.view(-1, 16).tolist()
    right = total = 0
    for row, wanted in zip(batch.ids.tolist(), answers, strict=True):
        counts = Counter(row[2:33:2])
        # Of several that are equally frequent the page says the smallest.
        most = min(number for number, n in counts.items() if n == max(counts.values()))
        right += sum(answer == most for answer in wanted)
        total += len(wanted)
    assert f"most often gets {right / total:.3f}; who says any number gets 0.100" in said(lesson)


@pytest.mark.parametrize("distance", ["20", "50"])
def test_the_switches_show_the_other_lstm_and_the_other_cnn(visit, distance: str) -> None:
    found = measured(f"first-token-{distance}")
    for forgets, wide in itertools.product("01", repeat=2):
        page = sound(visit("recurrence", comparison="first", distance=distance, forgets=forgets, wide=wide))
        shown = [
            "attention",
            "lstm-forget" if forgets == "1" else "lstm",
            "cnn" if wide == "1" else "cnn-narrow",
            "rnn",
        ]
        numbers = exact(pane(page, "all held-out examples"))[:4]
        assert numbers == pytest.approx([found[name] for name in shown], rel=1e-6)
        assert [row[6] for row in bodies(page)] == [
            "all before",
            "all before",
            "63" if wide == "1" else "11",
            "all before",
        ]
    assert found["lstm-forget"] > 0.95 > 0.2 > found["lstm"]
    assert found["cnn"] > 0.95
    assert found["cnn-narrow"] < 0.2  # both distances are beyond its 11 tokens
    assert "it sees 63 tokens" in said(page)
    assert "it sees 11 and has" in said(page)


def test_the_gradient_ends_where_the_cnn_does(visit) -> None:
    page = sound(visit("recurrence", comparison="gradient", far="62"))
    assert "CNN, sees 63 **none" not in said(page)
    page = sound(visit("recurrence", comparison="gradient", far="63", forgets="1"))
    line = next(each.value for each in page.markdown if each.value.startswith("At distance **63**"))
    values = dict(re.findall(r"(attention|LSTM|CNN|RNN)[^*;]*\*\*([^*]+)\*\*", line))
    assert values["CNN"] == "none (exactly 0)"
    assert float(values["RNN"]) < 1e-12
    assert float(values["attention"]) > 0.01
    assert float(values["LSTM"]) > 0.01
    page = sound(visit("recurrence", comparison="gradient", far="63"))
    line = next(each.value for each in page.markdown if each.value.startswith("At distance **63**"))
    assert float(re.search(r"LSTM \*\*([^*]+)\*\*", line)[1]) < 1e-10


@pytest.mark.parametrize("n", [8, 64, 128])
def test_the_costs_are_those_of_the_formulas_by_hand(visit, n: int) -> None:
    page = sound(visit("recurrence", comparison="costs", counted=str(n)))
    rows = PageReader(pane(page, "A layer’s costs")).rows[1:]
    widths = [int(re.search(r"d = (\d+)", row[0])[1]) for row in rows[:4]]
    attention, lstm, cnn, rnn = widths
    by_hand = [
        2 * (4 * n * attention**2 + 2 * n**2 * attention),
        4 * 2 * n * lstm**2,
        5 * 3 * n * cnn**2,
        2 * n * rnn**2,
    ]
    assert [row[2] for row in rows] == [*(f"{count:,}" for count in by_hand), "–"]
    assert [row[4] for row in rows] == ["2", str(n), "5", str(n), "–"]
    assert rows[0][6] == "2"
    assert (rows[2][6] == "none") == (n > 63)
    assert rows[1][6] == rows[3][6] == str(n)
    assert [row[1] for row in rows] == ["O(n² · d)", "O(n · d²)", "O(k · n · d²)", "O(n · d²)", "O(r · n · d)"]


def test_the_clock_is_read_when_asked_and_says_who_is_faster(visit, monkeypatch) -> None:
    times = {
        "attention": (2e-3, 2e-3, 2e-3, 2e-3),
        "lstm": (1e-3, 1e-3, 1e-3, 1e-3),
        "rnn": (1e-3, 1e-3, 3e-3, 9e-3),
        "cnn": (1e-3, 1e-3, 1e-3, 1e-3),
    }
    monkeypatch.setattr(comparison, "seconds_by_length", lambda body: times[body])
    page = sound(visit("recurrence", comparison="costs"))
    assert "measured when you press the button" in said(page)
    sound(by_key(page.button, "measure_time").click().run())
    assert "The RNN is **faster than attention** here at n = 16 and 64, slower at n = 256 and 1024" in said(page)
    assert "The LSTM is **faster than attention** here at every length measured (at n = 1024: 1.00 ms" in said(page)
    assert "does not carry over to a GPU" in said(page)
    assert "measured when you press the button" not in said(page)


@pytest.mark.parametrize("n", [8, 32])
def test_each_vector_waits_for_what_it_reads(visit, n: int) -> None:
    page = sound(visit("recurrence", comparison="steps", stepped=str(n), tick="3"))
    payload = json.loads(json.loads(component(page, "steps").json))
    assert (payload["n"], payload["tick"], payload["end"]) == (n, 3, n)
    steps = {body["name"]: body["steps"] for body in payload["bodies"]}
    assert steps["attention"] == [[layer] * n for layer in range(3)]
    assert steps["CNN"] == [[layer] * n for layer in range(6)]
    assert steps["RNN"] == steps["LSTM"] == [[0] * n, list(range(1, n + 1))]
    assert {body["name"]: len(body["way"]) - 1 for body in payload["bodies"]}["RNN"] == n
    assert f"the LSTM need **{n}** steps" in said(page)


@pytest.mark.parametrize(("layers", "dilation"), [(1, 1), (3, 1), (3, 2), (4, 3)])
def test_the_field_is_what_the_gaps_sum_to(visit, layers: int, dilation: int) -> None:
    page = sound(visit("recurrence", comparison="field", field_layers=str(layers), field_dilation=str(dilation)))
    back = {
        sum(taken)
        for taken in itertools.product(*([0, gap, 2 * gap] for gap in (dilation**layer for layer in range(layers))))
    }
    picture = pane(page, "glass-field")
    assert f"changing any of {len(back)} moves it" in picture
    assert f"sees **{max(back) + 1}** tokens. Measured by changing each token: **{max(back) + 1}**" in said(page)
    svg = base64.b64decode(re.search(r"base64,([A-Za-z0-9+/=]+)", picture)[1]).decode()
    assert svg.count("nothing moves") == max(32, max(back) + 2) - len(back)


def test_what_is_kept_is_the_probes(visit) -> None:
    found = json.loads((STUDIES / "bottleneck.json").read_text(encoding="utf-8"))
    probes: dict[tuple[str, str], Any] = {(each["body"], each["read_from"]): each for each in found["probes"]}
    for what in ("numbers", "names"):
        page = sound(visit("recurrence", comparison="bottleneck", probed=what))
        lstm = probes["lstm", "state and cell"][what]
        every = probes["attention", "every vector"]
        assert f"with {lstm[0]:#.3g}, of the first with {lstm[-1]:#.3g}" in said(page)
        assert f"{every['width']:,} numbers in all" in said(page)
        assert f"below {min(every[what]):.2f}" in said(page)
    assert every["width"] == 64 * 33


def test_the_question_is_answered_by_the_nearest_level(visit) -> None:
    page = visit("recurrence", comparison="costs")
    lstm = measured("recall-16")["lstm"]
    levels = {"it learns all of them": 1.0, "at the most frequent number": 0.231, "at chance": 0.1}
    right = min(levels, key=lambda name: abs(levels[name] - lstm))
    by_key(page.radio, "predict_comparison").set_value(right).run()
    assert sound(page).markdown[-1].value.startswith("**Yes.**")
    assert f"After 300 steps it has {lstm:.3f} of the numbers right" in page.markdown[-1].value
    by_key(page.radio, "predict_comparison").set_value("it learns all of them").run()
    assert page.markdown[-1].value.startswith(f"**No: {right}.**")


@pytest.mark.parametrize(
    ("section", "study", "asked"),
    [("recall", "first-token-50", "predict_letter"), ("first", "recall-16", "predict_comparison")],
)
def test_the_questions_answer_does_not_stand_above_it(visit, section: str, study: str, asked: str) -> None:
    page = sound(visit("recurrence", comparison=section))
    assert [radio.key for radio in page.radio if radio.key.startswith("predict")] == [asked]
    lstm = f"{measured(study)['lstm']:#.3g}"
    assert lstm not in said(page)
    by_key(page.radio, asked).set_value("at chance").run()
    assert f"it has {lstm} of the" in sound(page).markdown[-1].value


def test_the_letters_question_is_answered_by_the_run(visit) -> None:
    page = visit("recurrence")
    assert measured("first-token-50")["lstm"] < 0.25
    by_key(page.radio, "predict_letter").set_value("at chance").run()
    assert sound(page).markdown[-1].value.startswith("**Yes.** After 200 steps")
    by_key(page.radio, "predict_letter").set_value("it learns about half").run()
    assert page.markdown[-1].value.startswith("**No: at chance.**")


def test_each_experiment_shows_what_it_says(visit) -> None:
    page = visit("recurrence", comparison="field")
    sound(by_key(page.button, "try_0").click().run())
    assert bodies(page)[1][0] == "LSTM, forget bias 3"
    assert float(bodies(page)[1][1]) > 0.95
    sound(by_key(page.button, "try_1").click().run())
    assert "CNN, sees 63 **none (exactly 0)**" in said(page)
    sound(by_key(page.button, "try_2").click().run())
    payload = json.loads(json.loads(component(page, "steps").json))
    last = {body["name"]: body["last"] for body in payload["bodies"]}
    assert last["attention"] <= payload["tick"] < last["LSTM"] == 32
    assert link_of(page)["comparison"] == "steps"
    assert len(choice.EXPERIMENTS) == 3


def test_a_teachers_link_hides_and_locks(visit) -> None:
    page = sound(
        visit("recurrence", comparison="first", hide="downloads~question~experiments~equation", lock="bodies~panel")
    )
    assert not page.latex
    assert not page.radio
    assert not offered(page)
    assert selector(page, "comparison").disabled
    assert by_key(page.toggle, "forgets").disabled


@pytest.mark.parametrize("section", ["recall", "first", "gradient", "costs", "steps", "field", "bottleneck"])
def test_every_picture_has_a_table_and_a_file(visit, section: str) -> None:
    page = sound(visit("recurrence", comparison=section))
    tables = [each for each in page.button if each.key and each.key.startswith("table_")]
    assert len(offered(page)) >= len(tables) >= 1
    had = len(page.get("html"))
    sound(tables[0].click().run())
    assert len(page.get("html")) > had


@pytest.mark.parametrize("bad", [{"comparison": "all"}, {"distance": "30"}, {"far": "64"}, {"field_layers": "9"}])
def test_a_bad_link_opens_all_the_same(visit, bad: dict[str, str]) -> None:
    page = sound(visit("recurrence", **bad))
    assert len(page.info) == 1
