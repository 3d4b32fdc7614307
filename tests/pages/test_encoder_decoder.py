"""Encoder and decoder: the pictures are the model's, the alignment the grammar's, and the verdicts follow from both."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

import viz_model as vm
from pages.ui import link_locks, link_table
from tests.pages.seeing import (
    by_key,
    choose,
    component,
    link_of,
    notes,
    offered,
    pane,
    plotly_values,
    predictions,
    selector,
    sound,
)
from tests.viz_model.figures.page_reader import PageReader
from viz_model.edits import AblateHead
from viz_model.figures import attention_view
from viz_model.figures.theme import format_number

STUDIES = Path(__file__).parents[2] / "assets" / "studies"
CAT = "the black cat sees the old horse"
CHAT = ["le", "chat", "noir", "voit", "le", "vieux", "cheval"]
DRESS = "the new green dress is under my beautiful green beds"
EGG = "a green egg is not in the big park"
SVG = "{http://www.w3.org/2000/svg}"


def recorded_mass() -> list[list[float]]:
    """[layer][head], as it stands in the recorded study."""
    rows = json.loads((STUDIES / "application-heads.json").read_text())["readings"]
    (mass,) = (row["weight"] for row in rows if row["model"] == "english-french")
    return mass


def greedy(text: str, edits: tuple = ()) -> list[str]:
    """A loop of argmax, apart from the library's own."""
    model = vm.load("english-french")
    french, ids = model.target_tokenizer, torch.tensor([model.tokenizer.encode(text).ids])
    written = [french.id("[BOS]")]
    while len(written) < 40:
        written.append(int(model(ids, torch.tensor([written]), edits=edits).logits[0, -1].argmax()))
        if written[-1] == french.id("[EOS]"):
            break
    return [french.token(i) for i in written[1:]]


def cross(text: str, written: list[str]) -> torch.Tensor:
    """Cross-attention of one full pass, [head, written, source]."""
    model = vm.load("english-french")
    target = [[model.target_tokenizer.id(word) for word in ["[BOS]", *written[:-1]]]]
    trace = model(torch.tensor([model.tokenizer.encode(text).ids]), torch.tensor(target))
    return trace.decoder.blocks[0].cross_attention.weights[0].detach()


def picture(page: AppTest, mark: str) -> ElementTree.Element:
    source = re.search(r"base64,([A-Za-z0-9+/=]+)", pane(page, mark))
    assert source is not None
    return ElementTree.fromstring(base64.b64decode(source[1]))


def texts(page: AppTest, mark: str) -> list[str]:
    return [text.text or "" for text in picture(page, mark).iter(f"{SVG}text")]


def said(page: AppTest) -> str:
    return re.sub(r"\\(.)", r"\1", "\n".join(each.value for each in page.markdown))


def payload(page: AppTest) -> attention_view.Payload:
    return attention_view.unpack(component(page, "translation_attention").bytes)


def rows(page: AppTest, mark: str) -> list[list[str]]:
    return PageReader(pane(page, mark)).rows[1:]


@pytest.fixture(scope="module")
def lesson(visit) -> AppTest:
    return sound(visit("translation"))


def test_it_opens_on_the_crossing(lesson) -> None:
    assert link_of(lesson) == {}
    assert not lesson.info
    assert lesson.title[0].value == "Encoder and decoder"
    words = texts(lesson, "glass-alignment")
    assert [word for word in words if word in {*CAT.split(), *CHAT, "[EOS]"}] == [*CAT.split(), "[EOS]", *CHAT, "[EOS]"]
    # "chat" is second and reads the third word, "noir" is third and reads the second.
    lines = {line.text for path in picture(lesson, "glass-alignment").iter(f"{SVG}path") for line in path}
    weights = cross(CAT, greedy(CAT))
    best = int(np.argmax(recorded_mass()[0]))
    assert f"chat reads cat: {weights[best, 1, 2]:.3f}" in lines
    assert any(line.startswith("noir reads black: ") for line in lines)
    assert weights[best, 2, 1] > 0.9


def test_the_best_head_is_named_from_what_is_measured_again_here(lesson) -> None:
    from viz_model.tasks.english_french import EnglishFrench

    mass = EnglishFrench().alignment(vm.load("english-french"))
    best = int(mass[0].argmax())
    assert float(mass[0, best]) >= 0.85
    assert f"**head {best}** puts the most on the word to translate, **{float(mass[0, best]):.3f}**" in said(lesson)
    np.testing.assert_allclose(recorded_mass(), mass, atol=1e-6)
    assert payload(lesson).header["selection"]["head"] == best
    roles = payload(lesson).header["roles"][0]
    assert roles == [f"on the word {share:.3f}" for share in mass[0].tolist()]


def test_a_head_that_is_not_there_gives_way_with_a_note(visit) -> None:
    page = sound(visit("translation", best_head="0", translation_layer="5", translation_head="9"))
    assert [note.split(";")[1] for note in notes(page)] == [
        " 5 was asked for, 0 is shown.",
        " 9 was asked for, 3 is shown.",
    ]
    assert payload(page).header["selection"]["head"] == 3


@pytest.mark.parametrize("part", link_table.TRANSLATION_PARTS)
def test_every_part_has_its_own_equation_with_its_symbols_named(visit, part: str) -> None:
    page = sound(visit("translation", translation_part=part))
    (equation,) = page.latex
    assert (r"\alpha" in equation.value) == (part == "beam")
    assert (r"\infty" in equation.value) == (part == "cheating")
    (symbols,) = (each.value for each in page.caption if "d_k" in each.value.replace("\\", "") or ":" in each.value)
    assert symbols


def test_the_matrices_are_the_models_own(visit, lesson) -> None:
    weights = cross(CAT, greedy(CAT))
    for head in range(4):
        np.testing.assert_allclose(payload(lesson).arrays[f"weights/0/{head}"], weights[head], atol=1e-6)
    assert payload(lesson).header["queries"][1] == "le → chat"
    own = payload(sound(visit("translation", translation_kind="decoder")))
    assert own.header["keys"] is None
    assert own.header["queries"] == ["[BOS]", *CHAT]
    np.testing.assert_array_equal(np.triu(own.arrays["weights/0/0"], 1), 0)
    encoder = payload(sound(visit("translation", translation_kind="encoder")))
    assert encoder.header["queries"] == [*CAT.split(), "[EOS]"]
    assert np.triu(encoder.arrays["weights/0/0"], 1).sum() > 0
    assert "mask" in own.arrays


def test_the_french_grows_by_the_step_in_the_link(visit) -> None:
    page = sound(visit("translation", by_word="1", written_to="2"))
    shown = texts(page, "glass-alignment")
    assert "chat" in shown
    assert "noir" not in shown
    assert payload(page).header["queries"] == ["[BOS] → le", "le → chat"]
    assert max(predictions(page), key=predictions(page).get) == "chat"
    by_key(page.button, "translation_next").click().run()
    assert page.session_state["written_to"] == 3
    assert max(predictions(page), key=predictions(page).get) == "noir"
    assert "noir" in texts(sound(page), "glass-alignment")
    first = sound(visit("translation", by_word="1", written_to="1"))
    assert by_key(first.button, "translation_back").disabled


def test_unknown_words_are_named_and_near_ones_stand_on_buttons(visit) -> None:
    page = sound(visit("translation", english="The blakc cat sees a zebra"))
    (note,) = notes(page)
    assert "“blakc”, “zebra”" in note
    assert "215 English words" in note
    assert len(vm.load("english-french").tokenizer.tokens) - 3 == 215
    assert "nobody here knows its right French" in said(page)
    button = next(each for each in page.button if each.label == "blakc → black")
    button.click().run()
    assert page.session_state["english"] == "The black cat sees a zebra"
    assert "“zebra”" in notes(sound(page))[0]


def test_an_empty_field_keeps_the_last_picture(visit) -> None:
    page = sound(visit("translation", english="the black cat"))
    assert "chat" in texts(page, "glass-alignment")
    page.text_input(key="english").set_value("   ").run()
    assert texts(sound(page), "glass-alignment")[2:6] == ["the", "black", "cat", "[EOS]"]
    assert "picture is still of “the black cat”" in notes(page)[0]


def test_200_words_are_cut_and_the_page_says_so(visit) -> None:
    page = sound(visit("translation", english="the old cat and " * 50))
    assert any(note.startswith("The sentence has 200 words: the first 24 are read.") for note in notes(page))
    assert texts(page, "glass-alignment")[2:26] == ("the old cat and " * 6).split()


def test_html_is_text(visit) -> None:
    page = sound(visit("translation", english="<b>the</b> black cat"))
    assert "<b>" not in "".join(texts(page, "glass-alignment"))
    assert "“<”" in notes(page)[0]


def test_beam_beats_greedy_where_its_score_is_better(visit) -> None:
    page = sound(visit("translation", translation_part="beam", english=DRESS))
    own = greedy(DRESS)
    assert own[:-1] == ["la", "nouvelle", "robe", "verte", "est", "sous", "ma", "belle", "chaise"]
    model = vm.load("english-french")

    def score(written: list[str]) -> float:
        ids = [model.target_tokenizer.id(word) for word in ["[BOS]", *written]]
        logits = model(torch.tensor([model.tokenizer.encode(DRESS).ids]), torch.tensor([ids[:-1]])).logits[0]
        return float(logits.double().log_softmax(-1)[range(len(written)), ids[1:]].sum())

    right = ["la", "nouvelle", "robe", "verte", "est", "sous", "mes", "beaux", "lits", "verts"]
    better = score([*right, "[EOS]"])
    assert better > score(own)
    table = rows(page, "Hypotheses, best score first")
    assert table[0][0] == " ".join(right)
    assert float(table[0][4]) == pytest.approx(better, abs=0.005)
    assert [row[5] for row in table] == ["✓ right", "✗ wrong", "✗ wrong"]
    assert sum("(greedy)" in row[0] for row in table) == 1
    assert f"**{better:.2f}** for “{' '.join(right)}” against **{score(own):.2f}**" in said(page)
    tree = picture(page, "glass-beam")
    assert len([one for one in tree.iter(f"{SVG}g") if one.get("class") == "candidate"]) == int(
        re.search(r"(\d+) candidates were compared", said(page))[1]
    )


def test_the_length_penalty_makes_the_longer_sentence_the_best(visit) -> None:
    plain = rows(sound(visit("translation", translation_part="beam", english=EGG)), "Hypotheses, best")
    strong = rows(
        sound(visit("translation", translation_part="beam", english=EGG, beam_penalty="2.0")), "Hypotheses, best"
    )
    assert [plain[0][5], strong[0][5]] == ["✗ wrong", "✓ right"]
    assert int(strong[0][1]) == int(plain[0][1]) + 1
    for row in strong:
        assert float(row[3]) == pytest.approx(((5 + int(row[1])) / 6) ** 2, abs=0.01)
        assert float(row[4]) == pytest.approx(float(row[2]) / float(row[3]), abs=0.01)


def test_width_1_says_that_it_is_greedy(visit) -> None:
    page = sound(visit("translation", translation_part="beam", english=DRESS, beam_width="1"))
    assert f"Width 1 is greedy writing: always the likeliest next word. “{' '.join(greedy(DRESS)[:-1])}”" in said(page)


def test_forced_and_free_words_stand_beside_each_other(visit) -> None:
    page = sound(visit("translation", translation_part="forcing", english=DRESS))
    table = rows(page, "The likeliest next word at each place")
    right = [row[0] for row in table]
    assert right == [*["la", "nouvelle", "robe", "verte", "est", "sous", "mes", "beaux", "lits", "verts"], "[EOS]"]
    own = greedy(DRESS)
    assert [row[2].split(" ")[0] for row in table][: len(own)] == own
    forced, free = (sum("✓" not in row[i] for row in table) for i in (1, 2))
    assert forced < free
    assert f"Wrong places of {len(table)}: **{forced}** when it reads the right words, **{free}**" in said(page)


def test_without_the_mask_the_loss_is_lower_and_nothing_is_right(visit) -> None:
    page = sound(visit("translation", translation_part="cheating"))
    study = json.loads((STUDIES / "cheating.json").read_text(encoding="utf-8"))
    right, cheat = sorted(study["runs"], key=lambda run: not run["causal"])
    assert cheat["held_out_loss"] < right["held_out_loss"] / 2
    assert cheat["loss"][99] < right["loss"][99] / 5
    assert (round(right["whole"], 2), cheat["whole"]) == (1.0, 0.0)
    assert "of 500 held-out sentences it writes **0** right, against 500" in said(page)
    losses, whole = zip(*((one["held_out_loss"][0], one["whole"]) for one in study["seeds"]), strict=True)
    assert [one["seed"] for one in study["seeds"]] == [0, 1, 2, 3, 4]
    assert f"over 5 seeds the held-out loss without the mask is {format_number(min(losses))} to" in said(page)
    assert max(cheating for cheating, _ in whole) < 0.1
    assert min(masked for _, masked in whole) > 0.9
    seen = plotly_values(page, "cheating_map_False")
    np.testing.assert_allclose(np.diagonal(seen, 1), 1, atol=0.1)
    masked = plotly_values(page, "cheating_map_True")
    assert np.nansum(np.triu(masked, 1)) == 0
    assert "recorded" in said(page)


def test_the_bundled_model_without_its_mask_is_measured_again() -> None:
    from viz_model.tasks.english_french import EnglishFrench

    task, model = EnglishFrench(), vm.load("english-french")
    batch = task.held_out()
    n = batch.target_ids.shape[1]
    mask = batch.target_present[:, None, None, :].expand(-1, 1, n, n)
    study = json.loads((STUDIES / "cheating.json").read_text(encoding="utf-8"))
    for name, given in (("bundled_loss", batch.target_present), ("bundled_unmasked_loss", mask)):
        with torch.inference_mode():
            logits = model.logits(batch.ids, batch.target_ids, batch.present, given)[batch.asked]
        found = -logits.double().log_softmax(-1).gather(1, batch.answers[:, None]).mean()
        assert study[name] == pytest.approx(float(found), rel=1e-3)


def test_the_components_are_those_of_the_model_that_ran(visit) -> None:
    page = sound(visit("translation", translation_part="components"))
    model = vm.load("english-french")
    table = {row[0]: row[1:] for row in rows(page, "glass-parts")}
    counted = [sum(p.numel() for p in stack.parameters()) for stack in (model.encoder, model.decoder)]
    counted[1] += model.unembed.weight.numel()
    assert table["parameters"] == [f"{n:,}" for n in counted]
    assert table["cross-attention"][0] == "none"
    n, m = len(CAT.split()) + 1, len(CHAT) + 1
    assert f"{n * n} of {n * n} pairs" in table["self-attention"][0]
    assert f"{m * (m + 1) // 2} of {m * m} pairs" in table["self-attention"][1]
    assert f"{m} × {model.config.decoder.vocab_size} logits" in table["output"][1]
    deeper = sound(visit("translation", translation_part="components", encoder_depth="2", decoder_depth="3"))
    table = {row[0]: row[1:] for row in rows(deeper, "glass-parts")}
    assert [said.split(" ")[0] for said in table["self-attention"]] == ["2", "3"]
    assert "**not trained**" in said(deeper)


def test_the_prediction_is_run_again_without_the_head(visit) -> None:
    page = sound(visit("translation"))
    without = greedy(CAT, (AblateHead(layer=0, head=0, stack="decoder", attention="cross"),))[:-1]
    right = "yes, word for word" if without == CHAT else "no, something changes"
    page.radio[0].set_value("yes, word for word").run()
    answer = said(sound(page))
    assert ("**Yes.**" in answer) == (right == "yes, word for word")
    assert f"“{' '.join(without)}”" in answer


def test_a_head_that_is_clicked_stays(visit) -> None:
    page = choose(
        visit("translation"), "translation_attention", "selection", {"layer": 0, "head": 3, "query": 4, "key": 0}
    )
    assert {"best_head": "0", "translation_head": "3", "written_to": "5"}.items() <= link_of(sound(page)).items()
    assert "You are looking at head 3" in said(page)
    weights = cross(CAT, greedy(CAT))
    assert f"le reads the: {weights[3, 0, 0]:.3f}"[:16] in pane(page, "glass-alignment")
    by_key(page.button, "to_best").click().run()
    assert "best_head" not in link_of(sound(page))


def test_the_experiments_lead_where_they_say(visit) -> None:
    page = visit("translation")
    by_key(page.button, "try_1").click().run()
    assert link_of(sound(page))["translation_part"] == "beam"
    assert "By the grammar the beam's sentence is the right one." in said(page)
    by_key(page.button, "try_2").click().run()
    assert rows(sound(page), "Hypotheses, best")[0][5] == "✗ wrong"
    assert "the **greedy** sentence is the right one" in said(page)
    by_key(page.button, "try_0").click().run()
    assert "voit" not in texts(sound(page), "glass-alignment")


def test_a_teacher_can_hide_and_lock(visit) -> None:
    page = sound(visit("translation", hide="question~downloads~equation", lock="text~step~panel~head"))
    assert not page.radio
    assert not page.latex
    assert not offered(page)
    assert page.text_input(key="english").disabled
    assert by_key(page.button, "translation_next").disabled
    assert selector(page, "translation_part").disabled
    assert all(by_key(page.button, f"try_{i}").disabled for i in range(3))
    locked = sound(visit("translation", translation_part="beam", lock="beam"))
    assert by_key(locked.slider, "beam_width").disabled
    assert "beam" in link_locks.LOCKABLE


@pytest.mark.parametrize("part", link_table.TRANSLATION_PARTS)
def test_every_part_takes_one_word_and_strange_ones(visit, part: str) -> None:
    for text in ("cat", "xyzzy", "I", "the . . cat", "😀 cat"):
        sound(visit("translation", translation_part=part, english=text))
