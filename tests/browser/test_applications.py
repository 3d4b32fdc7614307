"""The applications, walked by a person: own text in each, words that it does not know, nothing, 200 words, a link."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import viz_model as vm
from tests.browser.conftest import OpenPage, Screenshot
from tests.browser.reading import ATTENTION, becomes, copied, header, link_of, taken, wait_for_link
from tests.browser.test_looks import SIDEWAYS
from tests.browser.watching import no_traceback, painted

LONG = " ".join(["the cat sees the old horse."] * 34)  # 204 words
# application: the field of its text, its name in the link, a text of one's own, what then stands above the picture
JOURNEYS = {
    "answers": ("Text", "qa_context", "Kate likes soup. Anna is in the market.", "in the market"),
    "feeling": ("Text", "feeling_text", "We did not enjoy the meal.", re.compile("^negative: ")),
    "summary": (
        "Text",
        "summary_text",
        "Ben sang near the park. Note that the rich king hid the old map.",
        "The king hid the map.",
    ),
    "translation": ("English", "english_text", "the old dog", "le vieux chien"),
}


@pytest.fixture
def applications(open_page: OpenPage) -> OpenPage:
    """Opens the page with a link's parameters and waits for its picture."""

    def go(link: str = "", **options: Any) -> Page:
        page = open_page(f"/applications{link}", **options)
        painted(page)
        return page

    return go


def type_into(page: Page, label: str, name: str, text: str) -> None:
    """A text in a field, and away from it."""
    field = page.get_by_label(label, exact=True)
    field.fill(text)
    field.blur()
    wait_for_link(page, **{name: text})
    painted(page)


def result(page: Page) -> Any:
    """What the model says: the first heading under the fields."""
    return page.get_by_role("heading", level=3).first


@pytest.mark.parametrize("application", JOURNEYS)
def test_ones_own_text_unknown_words_nothing_and_200_words(applications, application: str) -> None:
    label, name, text, wanted = JOURNEYS[application]
    page = applications(f"?v=1&application={application}")
    type_into(page, label, name, text)
    expect(result(page)).to_have_text(wanted)
    last = text.rstrip(".").split()[-1]
    becomes(page, lambda: last in (header(page)["keys"] or header(page)["queries"]), True)
    expect(page.get_by_text("the model agrees")).to_be_visible()
    # a word that it does not know
    unknown = text.replace(text.split()[-1].rstrip("."), "xylophone")
    type_into(page, label, name, unknown)
    expect(page.get_by_text("“xylophone”").first).to_be_visible()
    expect(page.get_by_text(re.compile("^Not a (text|sentence) of its")).first).to_be_visible()
    said = result(page).inner_text()
    # nothing: the last picture stays, and asks for text
    field = page.get_by_label(label, exact=True)
    field.fill("")
    field.blur()
    wait_for_link(page, **{name: ""})
    expect(page.get_by_text("Type a text of your own")).to_be_visible()
    expect(result(page)).to_have_text(said)
    # 200 words
    type_into(page, label, name, LONG)
    if application != "translation":
        expect(page.get_by_text(re.compile("^Long text: showing the first"))).to_be_visible()
    expect(page.locator(ATTENTION)).to_be_visible()
    assert field.input_value() == LONG
    assert page.evaluate(SIDEWAYS)
    no_traceback(page)


def test_a_question_of_ones_own_and_no_answer(applications) -> None:
    page = applications()
    page.get_by_label("Question", exact=True).fill("What does Clara have?")
    wait_for_link(page, qa_question="What does Clara have?")
    expect(result(page)).to_have_text("a blue bag")
    expect(page.locator(".glass-text mark")).to_have_text(["a", " blue", " bag"])
    page.get_by_role("button", name="Nobody said").click()
    wait_for_link(page, qa_question="Where is Leo?")
    expect(result(page)).to_have_text("No answer")
    expect(page.locator(".glass-text mark")).to_have_count(0)
    page.get_by_text("no answer", exact=True).last.click()
    expect(page.get_by_text("Run again without that fact")).to_be_visible()
    no_traceback(page)


def test_the_three_measures_are_a_table_that_can_be_taken_away(applications) -> None:
    page = applications("?v=1&application=feeling")
    page.get_by_role("button", name="Turn it with one word").click()
    wait_for_link(page, feeling_text="The film was not good.")
    expect(result(page)).to_have_text(re.compile("^negative"))
    expect(page.locator(".glass-bars thead th")).to_have_text(["word", "attention", "gradient", "ablation"])
    expect(page.locator(".glass-bars tbody th.strong")).to_have_text("not")
    lines = taken(page, "influence", "CSV numbers")[1].decode().splitlines()
    assert lines[0] == "word,attention,gradient,ablation"
    assert [line.split(",")[0] for line in lines[1:]] == ["The", "film", "was", "not", "good", "."]
    page.get_by_role("button", name="As a table").click()
    expect(page.get_by_role("dialog").get_by_text("Weights of layer 2, head 2")).to_be_visible()


def test_the_copied_link_shows_the_same_page(applications, new_page) -> None:
    page = applications(permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("radio", name="Praise or blame").click()
    wait_for_link(page, application="feeling")
    page.get_by_label("Text", exact=True).fill("I admired the actors.")
    wait_for_link(page, feeling_text="I admired the actors.")
    painted(page)
    other = copied(page, new_page)
    painted(other)
    assert link_of(other) == link_of(page)
    expect(result(other)).to_have_text(result(page).inner_text())
    expect(other.get_by_label("Text", exact=True)).to_have_value("I admired the actors.")
    assert header(other)["queries"] == ["[CLS]", "I", "admired", "the", "actors", ".", "[SEP]"]


@pytest.mark.skipif("code" not in vm.bundled(), reason="its model does not ship")
def test_code_of_ones_own_is_written_on(applications) -> None:
    page = applications("?v=1&application=code")
    type_into(page, "Code", "code_text", "import os\n\nfor name in os.listdir(")
    code = page.locator(".glass-code code")
    expect(code).to_contain_text("for name in os.listdir(")
    assert len(code.inner_text()) > len("import os\n\nfor name in os.listdir(")
    expect(page.get_by_text(re.compile("the transformer needs fewer"))).to_be_visible()
    field = page.get_by_label("Code", exact=True)
    field.fill("")
    field.blur()
    wait_for_link(page, code_text="")
    expect(page.get_by_text("Type a text of your own")).to_be_visible()
    type_into(page, "Code", "code_text", "x = 'é'\n" + "value = None\n" * 200)
    expect(page.get_by_text(re.compile("^Long code: it reads the last"))).to_be_visible()
    page.get_by_role("button", name="Train one on other text").click()
    page.wait_for_url(re.compile("/live"))
    wait_for_link(page, task="own-text", source="yours")
    no_traceback(page)


@pytest.mark.parametrize("width", [1440, 1024])
def test_all_three_measures_are_in_sight_at_once(applications, width: int) -> None:
    page = applications("?v=1&application=feeling", width=width)
    table = page.locator(".glass-bars .glass-table")
    expect(table.locator("tbody tr").first).to_be_visible()
    assert table.evaluate("(table) => table.scrollWidth - table.clientWidth") <= 0
    assert page.locator(".katex-display").first.evaluate("(one) => one.scrollWidth - one.clientWidth") <= 1


@pytest.mark.skipif("code" not in vm.bundled(), reason="its model does not ship")
def test_what_was_written_stands_apart_and_a_button_shows_a_head_of_code(applications) -> None:
    page = applications("?v=1&application=code")
    written = page.locator(".glass-code ins")
    expect(written).to_be_visible()
    assert written.inner_text().strip()
    assert "underline" in written.evaluate("(one) => getComputedStyle(one).textDecorationLine")
    button = page.get_by_role("button", name=re.compile(r"^Indentation: layer \d+, head \d+$"))
    layer, head = re.findall(r"\d+", button.inner_text())
    button.focus()
    page.keyboard.press("Enter")
    wait_for_link(page, app_layer=layer, app_head=head)
    becomes(page, lambda: header(page)["selection"]["head"], int(head))
    expect(button).to_be_disabled()
    no_traceback(page)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1440), ("light", 360)])
@pytest.mark.parametrize("application", JOURNEYS)
def test_looks(applications, screenshot: Screenshot, application: str, scheme: str, width: int) -> None:
    page = applications(f"?v=1&application={application}", scheme=scheme, width=width)
    expect(page.get_by_role("heading", name="What this model can and cannot read")).to_be_visible()
    assert page.evaluate(SIDEWAYS)
    no_traceback(page)
    screenshot(page, f"applications-{application}-{scheme}-{width}")
