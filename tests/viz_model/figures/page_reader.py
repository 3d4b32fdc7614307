"""HTML as a browser would read it: the text that is seen, the titles of hovering, and no tag that is not ours."""

from __future__ import annotations

from html.parser import HTMLParser

OURS = frozenset({"div", "style", "span", "bdi", "p", "strong", "small", "details", "summary", "ol", "li"})
OURS |= {"table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"}
NASTY = [
    "<script>alert(1)</script>",
    "<s>",
    "a & b",
    '"quoted" onmouseover="x"',
    "שלום",
    "it's &lt;",
    "</style>",
    "1984",
]


class PageReader(HTMLParser):
    """Feed it one figure; `text` is what is seen, `rows` the cells of its table."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.titles: list[str] = []
        self.labels: list[str] = []
        self.classes: list[str] = []
        self.rows: list[list[str]] = []
        self.open: list[str] = []
        self.feed(markup)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in OURS, tag
        assert {name for name, _ in attrs} <= {
            "class",
            "title",
            "style",
            "scope",
            "role",
            "aria-label",
            "tabindex",
            "colspan",
            "aria-current",
            "data-layer",
            "data-head",
            "data-chosen",
        }
        self.open.append(tag)
        given = {name: value or "" for name, value in attrs}
        if "title" in given:
            self.titles.append(given["title"])
        if "aria-label" in given:
            self.labels.append(given["aria-label"])
        self.classes += given.get("class", "").split()
        if tag in ("tr", "li"):
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" in self.open:
            return
        self.seen.append(data)
        if self.rows and self.rows[-1] and ("td" in self.open or "th" in self.open):
            self.rows[-1][-1] += data

    @property
    def text(self) -> str:
        return "".join(self.seen)
