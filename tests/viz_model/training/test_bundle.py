"""The command that makes the models that ship: the same bytes each time, and a card that is true."""

from dataclasses import asdict, replace
from pathlib import Path

import pytest

from viz_model.checkpoint import bundled, load, read_card
from viz_model.inference import run
from viz_model.models import Decoder, Encoder
from viz_model.tasks import english, language
from viz_model.tasks.names import make_task
from viz_model.tasks.task import Task
from viz_model.training import bundle
from viz_model.training.recipe import Recipe, recipes

TINY = {"d_model": 16, "n_layers": 1, "n_heads": 2, "d_ff": 16, "context_length": 64, "steps": 3, "batch_size": 4}


SMALL = ("english-causal", "english-masked", "reverse")


def _small_task(name: str) -> Task:
    task = make_task(name)
    return type(task)(50) if isinstance(task, language.LanguageTask) else task


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    items = english.agreement_items
    monkeypatch.setattr(language, "N_HELD_OUT", 60)
    monkeypatch.setattr(english, "agreement_items", lambda n, seed, attractors: items(n // 50, seed, attractors))
    monkeypatch.setattr(bundle, "make_task", _small_task)
    monkeypatch.setattr(bundle, "recipes", {name: replace(recipes[name], **TINY) for name in SMALL})  # type: ignore[arg-type]
    monkeypatch.setattr(bundle, "BUNDLED", tmp_path)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("name", SMALL)
def test_the_same_command_gives_the_same_bytes(name: str, tmp_path: Path) -> None:
    figures = bundle.make(name, tmp_path / "one")
    bundle.make(name, tmp_path / "two")
    assert files(tmp_path / "one") == files(tmp_path / "two")
    card, model = read_card(tmp_path / "one"), load(tmp_path / "one")
    assert card.figures == figures
    assert card.recipe == asdict(bundle.recipes[name])
    assert card.seed == bundle.SEED
    assert isinstance(model, Encoder if name == "english-masked" else Decoder)
    text = make_task(name).probe()[0].text
    assert run(model, text).tokens[1:4] == tuple(text.split()[:3])  # type: ignore[call-overload]
    assert all(0 <= share <= 1 for figure, share in figures.items() if "agreement" in figure or "right" in figure)


def test_each_name_is_made_by_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle.torch, "set_num_threads", lambda n: None)
    bundle.main(["english-causal", "untrained"])
    assert {path.name for path in tmp_path.iterdir()} == {"english-causal", "untrained"}
    assert "english-causal: held-out loss, nats a token: " in capsys.readouterr().out
    with pytest.raises(
        SystemExit, match="name: expected one of english-causal, english-masked, reverse, untrained, got 'gpt5'"
    ):
        bundle.main(["gpt5"])
    bundle.main([])
    assert {path.name for path in tmp_path.iterdir()} == {*SMALL, "untrained"}


def test_the_untrained_model_that_ships_is_made_again_to_the_byte(tmp_path: Path) -> None:
    bundle.make_untrained(tmp_path / "untrained")
    shipped = Path(bundle.__file__).parents[2] / "assets" / "models" / "untrained"
    assert files(tmp_path / "untrained")["model.json"] == files(shipped)["model.json"]
    model = load(tmp_path / "untrained")
    text = "שלום 🤖 <script> 貓"
    assert "[UNK]" not in run(model, text).tokens  # type: ignore[call-overload]
    assert model.tokenizer is not None
    assert model.tokenizer.decode(model.tokenizer.encode(text).ids) == text


@pytest.mark.parametrize("name", sorted({*bundled()} - {bundle.UNTRAINED}))
def test_what_ships_was_made_by_todays_recipe(name: str) -> None:
    assert Recipe(**read_card(name).recipe) == recipes[name]  # a field younger than the card is as usual
    assert read_card(name).seed == bundle.SEED


def test_what_ships_is_what_the_command_makes() -> None:
    assert set(bundled()) == {*recipes, bundle.UNTRAINED}
