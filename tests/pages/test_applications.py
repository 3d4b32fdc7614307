"""The applications on typed text: what stands on the page is what the models say, run here another way."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch
from streamlit.testing.v1 import AppTest

import viz_model as vm
from pages.ui import link_table, runs
from tests.pages.seeing import attention, by_key, choose, exact, link_of, notes, pane, selector, sound
from tests.viz_model.figures.page_reader import PageReader
from viz_model import checkpoint
from viz_model.models.span import best_span
from viz_model.tasks.code import ALPHABET
from viz_model.tokenizer import Specials, Tokenizer

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
    assert not page.get("download_button")


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
    assert page.code[0].value == text + written
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
    assert page.code[0].value.startswith(text[-87:])
    empty = by_key(page.text_area, "code_text").set_value("").run()
    assert any("Type a text of your own" in note for note in notes(sound(empty)))


def test_code_is_offered_only_where_its_model_ships(visit) -> None:
    page = sound(visit("applications", application="code"))
    if "code" in vm.bundled():
        assert not notes(page)
        assert "Train one on other text" in [button.label for button in page.button]
    else:
        assert any("does not ship" in note for note in notes(page))
        assert "Complete code" not in selector(page, "application").options
