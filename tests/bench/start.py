"""From starting the server to the first painted picture in a fresh browser, beside an empty page's start."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from tests.bench.browser import EMPTY, PATIENCE, PROBE
from tests.bench.servers import chromium, server
from tests.bench.table import Bound, Row, missing, tell, why

BOUND = Bound(5.0, most=True, of="ours", unit=" s")
PICTURE = "[data-painted]"
PAGES = {"landing page": "", "workbench": "workbench"}


def rows(*, quick: bool) -> Iterator[Row]:
    for name, path in PAGES.items():
        what = f"start to first picture, {name} / an empty page's start"
        tell(what)
        ours, peer = [], []
        try:
            for _ in range(1 if quick else 3):
                peer.append(first_paint(EMPTY.script, "", "[data-testid=stMarkdown]"))
                ours.append(first_paint("app.py", path, PICTURE))
        except Exception as error:
            yield missing(what, BOUND, why(error))
            continue
        ratio = median(one / other for one, other in zip(ours, peer, strict=True))
        yield Row(
            what,
            f"{median(ours):.1f} s",
            f"{median(peer):.1f} s",
            f"{ratio:.2f}",
            str(BOUND),
            BOUND.holds(median(ours)),
        )


def first_paint(script: str, path: str, selector: str) -> float:
    """Seconds from starting `streamlit run script` to the paint of `selector` in a browser that is already open."""
    with chromium() as browser, server(script) as running:
        page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        page.set_default_timeout(PATIENCE)
        page.add_init_script(path=PROBE)
        page.goto(f"{running.address}/{path}", wait_until="commit")
        page.wait_for_selector("body", state="attached")
        at: float = page.evaluate("([selector, patience]) => firstPaint(selector, patience)", [selector, PATIENCE])
        return at / 1000 - running.started
