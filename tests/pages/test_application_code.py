"""Code completion: what stands on the page is what the model says and what was measured, run here another way."""

from __future__ import annotations

import html
import json
import re
import shutil

import pytest
import torch
from streamlit.testing.v1 import AppTest

import viz_model as vm
from pages.ui import runs
from tests.pages.seeing import attention, by_key, exact, notes, pane, selector, sound
from tests.pages.test_applications import MODELS, percent, said
from viz_model import checkpoint
from viz_model.analysis.code_reading import bracket_links
from viz_model.tasks.code import ALPHABET
from viz_model.tokenizer import Specials, Tokenizer
from viz_model.training.studies import FOLDER


def code_on_show(page: AppTest) -> tuple[str, str]:
    """The code as it was typed, and what was written on."""
    (found,) = re.findall(r'<span class="typed">(.*?)</span><ins>(.*?)</ins>', pane(page, "glass-code"), re.DOTALL)
    return html.unescape(found[0]), html.unescape(found[1])


@pytest.fixture
def coder(tmp_path, monkeypatch):
    """A small random model of code among those that ship, in the trained one's place."""
    tokenizer = Tokenizer.train("character", [ALPHABET], None, Specials())
    config = vm.TransformerConfig(
        vocab_size=tokenizer.vocab_size, context_length=128, d_model=16, n_layers=2, n_heads=2, position="rotary"
    )
    shutil.copytree(MODELS, tmp_path / "models")
    model = vm.Decoder(config, seed=3, tokenizer=tokenizer)
    figures = {"bits a character": 2.5, "bits a character of a 5-gram model": 2.25}
    vm.save(model, tmp_path / "models" / "code", seed=3, figures=figures)
    monkeypatch.setattr(checkpoint, "BUNDLED", tmp_path / "models")
    runs._shipped.clear()
    yield model.eval()
    runs._shipped.clear()


def test_code_is_written_on_greedily(visit, coder) -> None:
    text = "def f(a):\n    return (a[0])"
    page = sound(visit("applications", application="code", code_text=text))
    assert not notes(page)
    ids = list(coder.tokenizer.encode(text).ids)
    n, choices = len(ids), []
    while len(ids) < n + 40 and ids[-1] != coder.tokenizer.id("\n"):
        with torch.inference_mode():
            chances = coder.logits(torch.tensor([ids]))[0, -1].softmax(-1)
        choices.append(sorted(chances.tolist(), reverse=True)[:5])
        ids.append(int(chances.argmax()))
    written = coder.tokenizer.decode(ids[n:]).removesuffix("\n")
    assert code_on_show(page) == (text, written)
    shown = exact(pane(page, "first choice is the one"))
    torch.testing.assert_close(torch.tensor(shown), torch.tensor(choices).flatten(), atol=1e-5, rtol=1e-3)
    assert "**2.50 bits**" in said(page)
    assert "needs **2.25**: the transformer needs more" in said(page)
    # f(a) and (a[0]): three pairs, and whatever the model added
    weights = vm.run(coder, text + written).blocks[0].attention.weights
    assert attention(page).header["queries"][: len(text) + 1][-1] == ")"
    layer, head = (attention(page).header["selection"][name] for name in ("layer", "head"))
    got = attention(page).arrays[f"weights/{layer}/{head}"]
    if layer == 0:
        torch.testing.assert_close(torch.tensor(got[:n, :n]), weights[0, head, :n, :n], atol=1e-5, rtol=1e-4)


def test_long_code_is_read_from_its_end_and_strange_characters_are_named(visit, coder) -> None:
    text = "x = 1\n" * 60 + "y = 'é'"
    page = sound(visit("applications", application="code", code_text=text))
    assert any("reads the last 87 of 367 characters" in note for note in notes(page))
    assert any("“é”" in note for note in notes(page))
    assert code_on_show(page)[0] == text[-87:]
    assert any("Not among this model's 96 characters" in note for note in notes(page))
    empty = by_key(page.text_area, "code_text").set_value("").run()
    assert any("Type a text of your own" in note for note in notes(sound(empty)))


def test_brackets_without_a_word_are_code_too(visit, coder) -> None:
    page = sound(visit("applications", application="code", code_text="(({["))
    assert not notes(page)
    assert code_on_show(page)[0] == "(({["


def test_the_heads_of_code_are_those_that_were_measured_on_held_out_files(visit) -> None:
    study = json.loads((FOLDER / "code-heads.json").read_text(encoding="utf-8"))
    text = "def f(a):\n    return (a[0]"
    page = sound(visit("applications", application="code", code_text=text))
    bracket, *_ = study["links"]
    for link in study["links"]:
        assert f"ayer {link['layer']}, head {link['head']} " in said(page)
        assert f"**{percent(link['exact'])}** of {link['n']:,} cases" in said(page)
        for name in ("exact", "chance", "fixed"):
            assert percent(link[name]) in said(page)
    assert f"nearest opening bracket would be right in {percent(study['nearest'])}" in said(page)
    assert f"{percent(study['nested'])} of the {study['n_nested']} that have another" in said(page)
    assert "it does not count pairs" in said(page)
    # The bracket head is on show, and its weight in this code is what the model gives when it is run here.
    chosen = attention(page).header["selection"]
    assert (chosen["layer"], chosen["head"]) == (bracket["layer"], bracket["head"])
    whole = "".join(code_on_show(page))
    weights = vm.run(vm.load("code"), whole).blocks[bracket["layer"]].attention.weights[0, bracket["head"]]
    pairs = [(closing + 1, opening + 1) for closing, opening in bracket_links(whole)]
    here = sum(float(weights[pair]) for pair in pairs) / len(pairs)
    told = re.search(r"brackets \*\*(\S+)\*\* \(places that have one: (\d+)\)", said(page))
    assert told is not None
    assert float(told[1]) == pytest.approx(here, rel=0.006)
    assert int(told[2]) == len(pairs)
    # The button of another kind shows its head.
    last = study["links"][-1]
    page = sound(by_key(page.button, "code_indentation").click().run())
    chosen = attention(page).header["selection"]
    assert (chosen["layer"], chosen["head"]) == (last["layer"], last["head"])
    assert by_key(page.button, "code_indentation").disabled


def test_code_is_offered_only_where_its_model_ships(visit) -> None:
    page = sound(visit("applications", application="code"))
    if "code" in vm.bundled():
        assert not notes(page)
        assert "Train one on other text" in [button.label for button in page.button]
    else:
        assert any("does not ship" in note for note in notes(page))
        assert "Complete code" not in selector(page, "application").options
