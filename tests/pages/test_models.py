"""The models that pages open: by name, for whoever has it, and nobody loses their text."""

from __future__ import annotations

import pytest

import viz_model as vm
from pages.ui import link_table, models
from tests.pages.seeing import attention, by_key, link_of, notes, sound
from viz_model.tasks.names import make_task
from viz_model.training.build import build
from viz_model.training.recipe import Recipe

UNKNOWN = "trained-0123456789abcdef"
SMALL = Recipe(task="copy", d_model=16, n_layers=2, n_heads=2, d_ff=16, context_length=32)
EXAMPLE = "h c o a | h c o a"


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch):
    """Holds a model under its name, as the server does; gives the name and the model."""
    held: dict[str, models.Own] = {}
    monkeypatch.setattr(models, "_held", lambda: held)
    model = build(SMALL, make_task("copy"), seed=1).eval().requires_grad_(False)
    name = "trained-" + "ab" * 8
    held[name] = models.Own("trained here: copy, seed 1", EXAMPLE, model)
    return name, model


@pytest.mark.parametrize("path", ["", "workbench"])
def test_a_name_that_nobody_holds_falls_back_with_a_note(visit, path: str) -> None:
    page = sound(visit(path, model=UNKNOWN, **({} if path else {"mode": "sentence"})))
    said = [note for note in notes(page) if UNKNOWN in note]
    assert said == [f"The link's model ({UNKNOWN}) was trained by someone and is not held by this server any more."]
    assert page.session_state["model"] == by_key(page.selectbox, "model").value == "english-causal"
    assert "model" not in link_of(page)
    assert notes(page.run()) == []


@pytest.mark.parametrize("name", ["trained-", "trained-xyz", "trained-0123456789ABCDEF", "trained-" + "0" * 17, "x"])
def test_what_is_no_name_at_all_is_no_model(visit, name: str) -> None:
    page = sound(visit("workbench", model=name))
    assert any(note.startswith("The link's model was not read") for note in notes(page))
    assert page.session_state["model"] == "english-causal"


def test_a_model_opens_by_its_name_in_another_session(visit, trained) -> None:
    name, model = trained
    page = sound(visit("workbench", model=name, text=EXAMPLE, layer="1", head="1"))
    assert notes(page) == []
    picker = by_key(page.selectbox, "model")
    assert picker.value == name
    assert "trained here: copy, seed 1" in picker.options
    payload, trace = attention(page), vm.run(model, EXAMPLE)
    assert payload.header["queries"] == list(trace.tokens)
    assert payload.arrays["weights/1/1"] == pytest.approx(trace.blocks[1].attention.weights[0, 1].numpy(), abs=1e-6)
    assert link_of(page)["model"] == name


def test_a_model_of_another_session_is_not_on_everybodys_list(visit, trained) -> None:
    page = sound(visit("workbench"))
    assert "trained here: copy, seed 1" not in by_key(page.selectbox, "model").options
    assert len(by_key(page.selectbox, "model").options) == len(link_table.MODELS)


def test_a_model_stays_with_its_session_when_the_server_lets_it_go(trained, monkeypatch) -> None:
    name, model = trained
    state: dict[str, object] = {"model": name}
    monkeypatch.setattr(models.st, "session_state", state)
    assert models.offered() == (*link_table.MODELS, name)  # by its link
    state |= {"model": "copy", "own_models": {name: models.Own("mine", EXAMPLE, model)}}
    models._held().clear()
    assert models.offered() == (*link_table.MODELS, name)  # its own
    assert (models.label(name), models.example(name)) == ("mine", EXAMPLE)
    state["own_models"] = {}
    assert models.offered() == link_table.MODELS


def test_another_model_brings_its_example_only_in_place_of_an_example(visit) -> None:
    page = visit("workbench")
    by_key(page.selectbox, "model").set_value("copy").run()
    assert page.session_state["text"] == models.CARDS["copy"][1]
    by_key(page.selectbox, "model").set_value("english-causal").run()
    assert page.session_state["text"] == "The cat sat on the mat"
    by_key(page.text_input, "text").set_value("the dog ran").run()
    by_key(page.selectbox, "model").set_value("untrained").run()
    assert page.session_state["text"] == "the dog ran"
    by_key(page.selectbox, "model").set_value("copy").run()
    assert sound(page).session_state["text"] == "the dog ran"


def test_a_models_own_example_gives_way_like_any_other(visit, trained) -> None:
    name, model = trained
    page = visit("workbench")
    page.session_state["own_models"] = {name: models.Own("trained here: copy, seed 1", EXAMPLE, model)}
    by_key(page.run().selectbox, "model").set_value(name).run()
    assert sound(page).session_state["text"] == EXAMPLE
    by_key(page.selectbox, "model").set_value("sort").run()
    assert sound(page).session_state["text"] == models.CARDS["sort"][1]


@pytest.mark.parametrize("name", link_table.MODELS)
def test_every_model_that_ships_has_an_example_that_it_reads(name: str) -> None:
    encoding = vm.load(name).tokenizer.encode(models.CARDS[name][1])
    assert not vm.load(name).tokenizer.unknown_words(models.CARDS[name][1])
    assert len(encoding) > 5


def test_the_server_holds_so_many_and_the_oldest_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    held: dict[str, models.Own] = {}
    state: dict[str, object] = {}
    monkeypatch.setattr(models, "_held", lambda: held)
    monkeypatch.setattr(models.st, "session_state", state)
    names = [models.keep(f"run {i}", "x", object(), b"%d" % i) for i in range(models.MOST + 3)]
    assert list(held) == names[3:]
    assert len(set(names)) == len(names)
    assert models.keep("run 3 again", "x", object(), b"3") == names[3]
    assert list(held)[-1] == names[3]
    assert models.find(names[0]) is not None  # the session that trained it has it
    state.clear()
    assert models.find(names[0]) is None
