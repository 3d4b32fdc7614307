"""A page that turns light or dark while it is open: the charts drawn on the server turn with it."""

from __future__ import annotations

from base64 import b64decode

from tests.browser.conftest import OpenPage
from tests.browser.reading import becomes
from tests.browser.watching import no_traceback
from viz_model.figures.theme import DARK, LIGHT


def test_the_arcs_turn_dark_with_the_page_and_light_again(open_page: OpenPage) -> None:
    page = open_page("/sentence")
    image = page.locator(".glass-arcs img")

    def paper() -> str:
        svg = b64decode(str(image.get_attribute("src")).partition("base64,")[2]).decode()
        return next((theme.name for theme in (LIGHT, DARK) if f'fill="{theme.background}"/>' in svg), "neither")

    becomes(page, paper, "light")
    page.emulate_media(color_scheme="dark")
    becomes(page, paper, "dark")
    page.emulate_media(color_scheme="light")
    becomes(page, paper, "light")
    no_traceback(page)
