"""The applications on typed text: what stands on the page is what the models say, run here another way."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import torch
from streamlit.testing.v1 import AppTest

import viz_model as vm
from pages.ui import link_table
from tests.pages.seeing import attention, by_key, choose, exact, link_of, notes, offered, pane, selector, sound
from tests.viz_model.figures.page_reader import PageReader
from viz_model.figures.theme import format_number
from viz_model.models.span import best_span
from viz_model.training.studies import FOLDER

MODELS = Path(__file__).parents[2] / "assets" / "models"
SHOWN = {
    "answers": "question-answering",
    "feeling": "sentiment",
    "summary": "summarising",
    "translation": "english-french",
}
TEXTS = {"answers": "qa_context", "feeling": "feeling_text", "summary": "summary_text", "translation": "english_text"}


def said(page: AppTest) -> str:
    return "\n".join(each.value for each in page.markdown).replace("\\", "")


def headings(page: AppTest) -> list[str]:
    return [each.value.replace("\\", "") for each in page.subheader]


def bars(page: AppTest) -> list[list[str]]:
    return PageReader(pane(page, "glass-bars")).rows


def percent(value: float) -> str:
    return f"{format_number(100 * value)} %"


def answer_of(text: str) -> str | None:
    """The model's answer to a text that begins with the question."""
    model = vm.load("question-answering")
    trace = vm.run(model, text)
    found = best_span(trace.logits[0])
    return None if found is None else " ".join(trace.tokens[found[0] : found[1] + 1])


@pytest.mark.parametrize(
    ("context", "question", "right"),
    [
        ("Ben has a red hat. Leo is in the church.", "Where is Leo?", "in the church"),
        ("ben has a red hat. leo is in the church", "where is leo", "in the church"),
        ("Leo likes soup. Maria likes tea. Leo has an orange ring.", "Who likes tea?", "Maria"),
        ("Leo likes soup. Maria likes tea.", "Where is Leo?", None),
    ],
)
def test_the_answer_is_the_models(visit, context: str, question: str, right: str | None) -> None:
    page = sound(visit("applications", qa_context=context, qa_question=question))
    assert headings(page)[0] == (right or "No answer")
    typed = f"{question[0].upper()}{question[1:].rstrip('?')}? ".replace("leo", "Leo")
    assert answer_of(typed + " ".join(s.strip().capitalize() + "." for s in context.split(".") if s.strip())) == right
    assert "the model agrees" in said(page)
    assert not notes(page)
    rows = bars(page)
    chosen = [row[0] for row in rows if row[0] != "word" and max(map(float, row[1:])) > 0.5]
    assert chosen == (
        sorted({right.split()[0], right.split()[-1]}, key=right.split().index) if right else ["no answer"]
    )


def test_start_and_end_are_distributions(visit) -> None:
    page = sound(visit("applications"))
    numbers = exact(pane(page, "glass-bars"))
    for column in (numbers[0::2], numbers[1::2]):
        assert sum(column) == pytest.approx(1.0, abs=1e-4)


def test_the_prediction_is_a_run_without_the_fact(visit) -> None:
    page = sound(visit("applications"))
    radio = next(each for each in page.radio if each.label.startswith("Leave out"))
    assert "“Anna is in the garden" in radio.label
    page = radio.set_value("no answer").run()
    left = "Where is Anna? Ben has a red hat. The key is under the table. Clara has a blue bag."
    assert answer_of(left) is None
    assert "**Yes.** Run again without that fact, the model says “no answer”." in said(page)


def test_the_verdict_and_three_measures(visit) -> None:
    text = "The film was not good."
    page = sound(visit("applications", application="feeling", feeling_text=text))
    model = vm.load("sentiment")
    trace = vm.run(model, text)
    chances = trace.logits[0, 0].softmax(-1)
    share = float(chances[model.tokenizer.id("negative")])
    assert headings(page)[0] == f"negative: {share:.3g}"
    rows = bars(page)
    assert rows[0] == ["word", "attention", "gradient", "ablation"]
    assert [row[0] for row in rows[1:]] == ["The", "film", "was", "not", "good", "."]
    numbers = exact(pane(page, "glass-bars"))
    weights = trace.blocks[-1].attention.weights[0, :, 0, 1:-1].mean(0)
    torch.testing.assert_close(torch.tensor(numbers[0::3]), weights, atol=1e-5, rtol=1e-4)
    ablation = numbers[2::3]
    assert max(range(6), key=lambda i: ablation[i]) == 3
    ranks = [sorted(map(abs, column)) for column in (numbers[0::3], ablation)]
    order = [[ranks[j].index(abs(value)) for value in column] for j, column in enumerate((numbers[0::3], ablation))]
    distance = sum((one - other) ** 2 for one, other in zip(*order, strict=True))
    rho = 1 - 6 * distance / (6 * 35)
    assert f"attention and ablation **{rho:.3g}" in said(page)


def test_a_word_taken_out_is_a_run_without_it(visit) -> None:
    page = sound(visit("applications", application="feeling", feeling_text="The film was not good."))
    (radio,) = (each for each in page.radio if "Take that word out" in each.label)
    assert "“not”" in radio.label
    model = vm.load("sentiment")
    logits = vm.run(model, "The film was good.").logits[0, 0]
    assert logits[model.tokenizer.id("positive")] > logits[model.tokenizer.id("negative")]
    page = radio.set_value("it turns").run()
    assert "**Yes.** Run on “The film was good.”, the model says positive" in said(page)


@pytest.mark.parametrize(
    ("application", "key", "text", "written"),
    [
        (
            "summary",
            "summary_text",
            "Anna slept in the hotel. In short, the sad king broke the old piano.",
            "The king broke the piano.",
        ),
        ("translation", "english_text", "The black cat", "le chat noir"),
    ],
)
def test_what_is_written_is_greedy(visit, application: str, key: str, text: str, written: str) -> None:
    page = sound(visit("applications", application=application, **{key: text}))
    assert headings(page)[0] == written
    assert "the model agrees" in said(page)
    model = vm.load(SHOWN[application])
    rows = PageReader(pane(page, ">probability<")).rows[1:]
    target = written.replace(".", " .")
    trace = vm.run(model, text if application == "summary" else text.lower(), target=target)
    layer, head = (attention(page).header["selection"][name] for name in ("layer", "head"))
    weights = trace.decoder.blocks[layer].cross_attention.weights[0, head]
    assert [row[0] for row in rows] == [*target.split(), "[EOS]"]
    for row, reads in zip(rows, weights, strict=True):
        assert row[2] == trace.encoder.tokens[int(reads.argmax())]
        assert float(row[3]) == pytest.approx(float(reads.max()), abs=0.006)


def test_the_adjective_crosses(visit) -> None:
    page = sound(visit("applications", application="translation", english_text="the black cat"))
    reads = [row[2] for row in PageReader(pane(page, ">probability<")).rows[1:4]]
    assert reads == ["the", "cat", "black"]


@pytest.mark.parametrize("application", SHOWN)
def test_figures_are_those_of_the_file(visit, application: str) -> None:
    page = sound(visit("applications", application=application))
    card = json.loads((MODELS / SHOWN[application] / "model.json").read_text(encoding="utf-8"))
    assert card["figures"]
    for name, value in card["figures"].items():
        assert f"- {name}: **{100 * value:.1f} %**" in said(page)


@pytest.mark.parametrize("application", SHOWN)
def test_an_unknown_word_is_named_with_a_near_one(visit, application: str) -> None:
    near = {"answers": ("gardenn", "garden"), "feeling": ("lovelyy", "lovely")}
    near |= {"summary": ("farmerr", "farmer"), "translation": ("blackk", "black")}
    wrong, right = near[application]
    default = link_table.TABLE[TEXTS[application]].default
    page = sound(visit("applications", application=application, **{TEXTS[application]: default.replace(right, wrong)}))
    (note,) = notes(page)
    assert f"“{wrong}”" in note
    assert right in note.split("Near ones:")[1]
    assert "Not a " in said(page)


@pytest.mark.parametrize("application", SHOWN)
@pytest.mark.parametrize("empty", ["", "   ", "?!"])
def test_without_a_word_the_last_picture_stays(visit, application: str, empty: str) -> None:
    page = sound(visit("applications", application=application))
    before = headings(page)
    key = TEXTS[application]
    field = by_key([*page.text_area, *page.text_input], key)
    page = sound(field.set_value(empty).run())
    assert headings(page) == before
    assert any("Type a text of your own" in note for note in notes(page))
    assert by_key([*page.text_area, *page.text_input], key).value == empty


@pytest.mark.parametrize("application", SHOWN)
def test_two_hundred_words_are_read_as_far_as_the_model_goes(visit, application: str) -> None:
    words = " ".join(["the cat sees the old horse."] * 34)
    page = sound(visit("applications", application=application, **{TEXTS[application]: words}))
    limit = {"answers": 96, "feeling": 64, "summary": 96}.get(application)
    cut = [note for note in notes(page) if note.startswith("Long text")]
    if limit is None:
        assert not cut
        assert len(attention(page).header["keys"]) == 6 * 34 + 34 + 1
    else:
        assert f"showing the first {limit} tokens" in cut[0]
    assert by_key([*page.text_area, *page.text_input], TEXTS[application]).value == words


def test_a_question_without_end_leaves_room_for_the_text(visit) -> None:
    page = sound(visit("applications", qa_question="Where is Anna " * 40))
    assert any("longer than the 48 words" in note for note in notes(page))
    assert "garden" in attention(page).header["queries"]


def test_texts_live_side_by_side_and_in_the_link(visit) -> None:
    page = sound(visit("applications", feeling_text="I loved the film.", qa_question="Who has a bag?"))
    page = selector(page, "application").set_value("feeling").run()
    assert headings(sound(page))[0].startswith("positive")
    page = by_key(page.text_input, "feeling_text").set_value("I hated it.").run()
    page = selector(page, "application").set_value("answers").run()
    assert headings(sound(page))[0] == "Clara"
    assert link_of(page) == {"v": "1", "feeling_text": "I hated it.", "qa_question": "Who has a bag?"}


def test_a_clicked_head_stays_until_another_application(visit) -> None:
    page = sound(visit("applications", application="feeling"))
    page = choose(page, "attention", "selection", {"layer": 0, "head": 1, "query": 0, "key": 2})
    assert attention(sound(page)).header["selection"]["layer"] == 0
    assert (link_of(page)["app_layer"], link_of(page)["app_head"]) == ("0", "1")
    page = selector(page, "application").set_value("answers").run()
    assert attention(sound(page)).header["selection"]["layer"] == 1
    assert "app_layer" not in link_of(page)


def test_locked_and_hidden(visit) -> None:
    page = sound(visit("applications", lock="text~panel~head", hide="idea~downloads~question~experiments~equation"))
    assert by_key(page.text_area, "qa_context").disabled
    assert by_key(page.text_input, "qa_question").disabled
    assert selector(page, "application").disabled
    before = attention(page).header["selection"]
    page = choose(page, "attention", "selection", {"layer": 0, "head": 1, "query": 0, "key": 2})
    assert attention(sound(page)).header["selection"] == before
    assert "Small transformers at work" not in said(page)
    assert not page.radio
    assert not page.latex
    assert not offered(page)


def test_copying_is_said_to_be_shared_as_it_was_measured(visit) -> None:
    study = json.loads((FOLDER / "shared-copying.json").read_text(encoding="utf-8"))
    page = sound(visit("applications", application="summary"))
    assert f"gives the word to copy **{format_number(study['one'])}**" in said(page)
    assert f"it is **{format_number(study['any'])}**" in said(page)
    assert f"{format_number(study['sum'])} of their 8" in said(page)
    rows = PageReader(pane(page, "the same word: best head")).rows[1:]
    to_copy = [float(row[5]) for row in rows if row[0] in ("farmer", "sold", "horse")]
    assert "The words to copy are “farmer”, “sold”, “horse”" in said(page)
    told = re.search(r"the head that reads it most, it is \*\*(\S+)\*\*\.", said(page))
    assert told is not None
    assert float(told[1]) == pytest.approx(sum(to_copy) / 3, abs=0.002)
    text = link_table.TABLE["summary_text"].default
    trace = vm.run(vm.load("summarising"), text, target="The farmer sold the horse .")
    weights = torch.stack([block.cross_attention.weights[0] for block in trace.decoder.blocks])
    for step, row in enumerate(rows):
        places = [i for i, token in enumerate(trace.encoder.tokens) if token == row[0]]
        if not places:
            assert row[4:] == ["not in the text", ""]
            continue
        on_word = weights[:, :, step, places].sum(-1)
        layer, head = divmod(int(on_word.argmax()), on_word.shape[1])
        assert row[4] == f"layer {layer}, head {head}"
        assert float(row[5]) == pytest.approx(float(on_word[layer, head]), abs=0.006)


def test_three_measures_are_named_and_judged(visit) -> None:
    study = json.loads((FOLDER / "word-measures.json").read_text(encoding="utf-8"))
    page = sound(visit("applications", application="feeling"))
    for one in study["measures"]:
        assert f"**{percent(one['found'] / study['texts'])}** " in said(page).replace(",", " ")
    gradient = study["measures"][1]
    assert f"in {gradient['toward']} of {gradient['found']} texts" in said(page)
    rows, numbers = bars(page)[1:], exact(pane(page, "glass-bars"))
    for i, name in enumerate(("attention", "gradient", "ablation")):
        column = numbers[i::3]
        top = max(range(len(column)), key=lambda at: abs(column[at]))
        assert f"“{rows[top][0]}” by {name}" in said(page)
    at = max(range(len(rows)), key=lambda at: abs(numbers[2::3][at]))
    disagree = numbers[1::3][at] * numbers[2::3][at] < 0
    assert ("disagree about which way" in said(page)) == disagree
    assert "the most of all heads" in said(page)
    page = choose(page, "attention", "selection", {"layer": 0, "head": 1, "query": 0, "key": 2})
    assert "the most of all heads" not in said(sound(page))


def test_a_head_that_the_model_has_not_is_said_at_once(visit) -> None:
    page = sound(visit("applications", application="summary", app_layer="9", app_head="9"))
    assert any("layers 0 to 1; 9 was asked for, 1 is shown" in note for note in notes(page))
    assert any("heads 0 to 3; 9 was asked for, 3 is shown" in note for note in notes(page))
    assert "app_layer" not in link_of(sound(visit("applications", application="summary", app_layer="1")))


def test_english_that_is_longer_than_trained_is_said_to_be(visit) -> None:
    text = link_table.TABLE["english_text"].default
    page = sound(visit("applications", application="translation", english_text=f"{text} with the old girl"))
    assert any("The sentence has 11 words; the model was trained on at most 8" in note for note in notes(page))
    assert not notes(visit("applications", application="translation"))
