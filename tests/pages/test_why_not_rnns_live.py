"""Why not RNNs or CNNs while it is trained live: runs that go nowhere stand in for the workers."""

from __future__ import annotations

from pages.ui import study
from tests.pages.live_runs import FakeRunner
from tests.pages.seeing import by_key, sound
from tests.pages.test_why_not_rnns import said
from viz_model.training import studies


def test_live_runs_take_the_records_place_from_their_first_look_on(visit, monkeypatch) -> None:
    fake = FakeRunner()
    monkeypatch.setattr(study, "runner", lambda: fake)
    page = visit("recurrence")
    sound(by_key(page.button, "recall_start").click().run())
    assert [recipe.body for recipe, *_ in fake.started] == ["transformer", "rnn", "lstm", "cnn"]
    assert fake.looks == [study.LOOKS] * 4
    assert "their first numbers come in a moment" in said(page)
    page.session_state["comparison"] = "costs"  # where the question is on these runs
    by_key(sound(page.run()).radio, "predict_comparison").set_value("at chance").run()
    assert "so the recorded one answers" in sound(page).markdown[-1].value
    page.session_state["comparison"] = "recall"
    page.run()
    # Half of the record, as if it were being trained.
    seen = studies.recorded("recall-16")
    runs = page.session_state["desk"].studies["recall-16"].runs
    for name, run in runs.items():
        run.snapshots, run.state = [one for one in seen[name].snapshots if one.step <= 150], "running"
    sound(page.run())
    last = {name: [one for one in run.snapshots if one.picture is not None][-1] for name, run in runs.items()}
    step = min(one.step for one in last.values())
    shown = last["attention"].picture.accuracy
    assert 0.2 < shown < 1
    assert f"So far, at step {step}, attention gives **{shown:#.3g}** of the numbers right" in said(page)
    page.session_state["comparison"] = "costs"
    by_key(page.run().radio, "predict_comparison").set_value("at chance").run()
    assert sound(page).markdown[-1].value.count(f"So far, at step {step},") == 1
    page.session_state["comparison"] = "recall"
    page.run()
    sound(by_key(page.button, "recall_stop").click().run())
    assert all(run.asked[-1] == "stop" for run in runs.values())
    sound(by_key(page.button, "recall_back").click().run())
    assert "On show: **recorded** runs" in said(page)
