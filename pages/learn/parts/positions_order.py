"""The permutation experiment: the same words in two orders, with positions and without; and the lesson's question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from pages.learn.parts.positions_choice import Show, Words, takeaway
from pages.ui import chrome, downloads, link_table, models, runs, session, theme
from viz_model.analysis.permutation import OrderComparison, compare_texts, order_between, without_positions
from viz_model.figures.position_pictures import two_orders
from viz_model.figures.theme import Theme, format_number
from viz_model.models import Decoder, Encoder

MASKS = {"full": "Every word reads every word", "own": "The model's own mask"}
FALLBACK = "english-causal"
ROUNDING = 1e-5
MOST_TOKENS = 8  # in the picture
CHOICES = ["they change places with their words", "they come out different"]


@dataclass(frozen=True, slots=True, eq=False)
class Orders:
    """Two texts of the same tokens, as one model reads them."""

    name: str  # of the model
    first: str
    second: str

    @property
    def tokens(self) -> Sequence[str]:
        return runs.read(self.name, self.first).encoding.tokens


def choose(words: Words) -> Show:
    with st.container(horizontal=True, vertical_alignment="bottom", key="sentence_row"):
        models.select(disabled=chrome.locked("model"), width=300)
        _bring_example()
        for key, label in (("order_first", "First order"), ("order_second", "Second order")):
            st.text_input(
                label,
                key=key,
                live="200ms",
                placeholder="Type the words",
                help="The same words in another order. The pictures follow as you type.",
                disabled=chrome.locked("text"),
                width="stretch",
            )
    orders = _orders(words)
    masked = _mask(orders.name) == "causal"
    st.segmented_control(
        "Who may read whom",
        link_table.ORDER_MASKS,
        key="order_mask",
        format_func=MASKS.get,
        required=True,
        disabled=chrome.locked("what_if") or not masked,
        help=None if masked else words["mask none own"].format(model=orders.name),
    )
    for text in (orders.first, orders.second):
        for sentence in runs.read(orders.name, text).notes:
            session.note(sentence)
    return lambda: _show(orders, words)


def _show(orders: Orders, words: Words) -> None:
    full = st.session_state["order_mask"] == "full"
    placed, bare = (compared(orders.name, orders.first, orders.second, stripped, full) for stripped in (False, True))
    shown = slice(0, MOST_TOKENS)
    pictures = [array[shown] for each in (placed, bare) for array in (each.first.numpy(), each.second.numpy())]
    bound = max(float(np.abs(array).max()) for array in pictures)
    tokens = orders.tokens[shown]

    def draw(found: OrderComparison, look: Theme) -> Any:
        return two_orders(found.first.numpy()[shown], found.second.numpy()[shown], tokens, bound=bound, theme=look)

    drawn: list[downloads.Picture] = []
    left, right = st.columns(2, gap="large")
    for place, found, name in ((left, placed, "with"), (right, bare, "without")):
        with place:
            st.metric(f"{name.capitalize()} positions: largest difference", format_number(found.largest))
            drawn.append(downloads.Picture(partial(draw, found), f"{name.capitalize()} positions"))
            figure = drawn[-1].draw(theme.current())
            st.plotly_chart(figure, key=f"orders_{name}", theme=None, config={"displayModeBar": False})
            st.markdown(_said(name, found, words))
    if len(orders.tokens) > MOST_TOKENS:
        st.caption(words["order cut"].format(shown=MOST_TOKENS, total=len(orders.tokens)))
    st.markdown(words["order picture"])
    st.markdown(words[f"mask {_mask(orders.name)} {'full' if full else 'own'}"].format(model=orders.name))
    takeaway(
        "orders",
        {
            "token": list(orders.tokens),
            "place in the first order": list(range(len(orders.tokens))),
            "place in the second order": [placed.order.index(i) for i in range(len(orders.tokens))],
            "largest difference with positions": placed.difference.tolist(),
            "largest difference without positions": bare.difference.tolist(),
        },
        f"{orders.name}: “{orders.first}” and “{orders.second}”, {MASKS[st.session_state['order_mask']].lower()}",
        *drawn,
    )


def _said(name: str, found: OrderComparison, words: Words) -> str:
    kind = "same" if found.largest < ROUNDING else "other"
    most = int(found.difference.argmax())
    return words[f"{name} {kind}"].format(
        largest=format_number(found.largest), size=format_number(found.size), most=most
    )


def ask(words: Words) -> str:
    """The question: what the causal mask alone does."""
    orders = _asked()
    return words["question"].format(
        model=orders.name, first=chrome.literal(orders.first.strip()), second=chrome.literal(orders.second.strip())
    )


def asked() -> str:
    """What the question is on: another model or text asks it anew."""
    orders = _asked()
    return "_".join((orders.name, orders.first, orders.second))


def what_the_mask_tells(words: Words) -> tuple[str, str]:
    """Whether the outputs only change places under the model's causal mask, without positions: run now."""
    orders = _asked()
    masked, full = (compared(orders.name, orders.first, orders.second, True, every) for every in (False, True))
    right = CHOICES[0] if masked.largest < ROUNDING else CHOICES[1]
    return right, words["answer"].format(
        masked=format_number(masked.largest), full=format_number(full.largest), size=format_number(masked.size)
    )


@st.cache_resource(max_entries=64, show_spinner=False)
def compared(name: str, first: str, second: str, stripped: bool, full: bool) -> OrderComparison:
    """Both texts through the model, `stripped` of its positions or as it is."""
    model = _stripped(name) if stripped else runs.model(name)
    return compare_texts(model, _ids(name, first), _ids(name, second), full=full)


@st.cache_resource(max_entries=16, show_spinner=False)
def _stripped(name: str) -> Any:
    return without_positions(runs.model(name))


def _ids(name: str, text: str) -> tuple[int, ...]:
    found: tuple[int, ...] = runs.read(name, text).encoding.ids
    return found


def _mask(name: str) -> str:
    return "causal" if isinstance(runs.model(name), Decoder) else "none"


def _asked() -> Orders:
    """A model with a causal mask, on the texts of the page where it can read them."""
    state = st.session_state
    name, first, second = state["model"], state["order_first"], state["order_second"]
    known = name in models.offered() and _mask(name) == "causal"
    if known and first != second and _problem(name, first, second) is None:
        return Orders(name, first, second)
    return Orders(FALLBACK, *example(FALLBACK))


def _orders(words: Words) -> Orders:
    """The two texts of the state; the last good ones, and why, where these are not one text in two orders."""
    state = st.session_state
    name = state["model"]
    if not isinstance(runs.model(name), Encoder | Decoder):
        session.note(words["not this model"].format(model=models.label(name)))
        name = FALLBACK
    found = Orders(name, state["order_first"], state["order_second"])
    problem = _problem(name, found.first, found.second)
    if problem is None:
        state["last_orders"] = found
        return found
    last: Orders | None = state.get("last_orders")
    if last is None or last.name != name:
        last = Orders(name, *example(name))
    session.note(words["not two orders"].format(problem=problem, first=last.first, second=last.second))
    return last


def _problem(name: str, first: str, second: str) -> str | None:
    """Why the texts are not one text in two orders for this model; None where they are."""
    for text in (first, second):
        if not runs.has_words(name, text):
            return "one of the two has no words"
    one, other = (list(runs.read(name, text).encoding.tokens) for text in (first, second))
    try:
        order_between(_ids(name, first), _ids(name, second))
    except ValueError:
        alone = [token for token in dict.fromkeys((*one, *other)) if one.count(token) != other.count(token)]
        few = ", ".join(f"“{token[:40]}”" for token in alone[:3])
        return f"they differ in {few}" if few else "they do not have the same tokens"
    return None


def example(name: str) -> tuple[str, str]:
    """Two orders that this model can read: the last word comes first."""
    if name == "untrained":  # each of its tokens holds the space before it
        return " cat sat dog", " dog cat sat"
    words = list(dict.fromkeys(models.example(name).split()))[:3]
    if name.startswith("english"):
        words = ["cat", "sat", "dog"]
    return " ".join(words), " ".join((words[-1], *words[:-1]))


def _bring_example() -> None:
    """A model of another language: an example on show gives way to the model's own, what was typed stays."""
    state = st.session_state
    own = example(state["model"])
    if (state["order_first"], state["order_second"]) in {example(name) for name in models.offered()} - {own}:
        state["order_first"], state["order_second"] = own
