"""What stands on a page that ran, and a person's hand in its pictures. AppTest knows neither components nor charts."""

from __future__ import annotations

import html
import json
import re
from base64 import b64decode
from typing import Any

import numpy as np
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from pages.ui.files import File
from viz_model.figures import attention_view, calculation_view, training_view


def component(page: AppTest, key: str) -> Any:
    return next(each.proto for each in page.get("bidi_component") if each.key == key)


def offered(page: AppTest) -> dict[str, File | None]:
    """What the page's buttons give, by their keys; None for one that gives nothing yet."""
    keys = [each.key for each in page.get("bidi_component") if each.proto.component_name.endswith("take_file")]
    return {key: page.session_state["shelf"].files.get(key) for key in keys}


def attention(page: AppTest) -> attention_view.Payload:
    """What the attention view was given."""
    return attention_view.unpack(component(page, "attention").bytes)


def weights_on_show(page: AppTest) -> np.ndarray:
    """The exact weights of the chosen head, [query, key]."""
    payload = attention(page)
    chosen = payload.header["selection"]
    return payload.arrays[f"weights/{chosen['layer']}/{chosen['head']}"]


def calculation(page: AppTest, i: int = 0) -> calculation_view.Calculation:
    """What the i-th equation of the step was given."""
    return calculation_view.unpack(component(page, f"calculation_{i}").bytes)


def training(page: AppTest) -> training_view.Payload:
    """What the training view was given."""
    return training_view.unpack(component(page, "training").bytes)


def choose(page: AppTest, key: str, name: str, value: dict[str, Any]) -> AppTest:
    """A choice in a picture, as its JavaScript sends it (setStateValue)."""
    return _send(page, WidgetState(id=component(page, key).id, json_value=json.dumps({name: value})))


def trigger(page: AppTest, key: str, name: str, value: dict[str, Any]) -> AppTest:
    """A thing done in a picture (setTriggerValue); the picture's own state goes with it, as a browser sends it."""
    name_of_triggers = f"$$STREAMLIT_INTERNAL_KEY_{component(page, key).id}__events"
    done = WidgetState(id=name_of_triggers, json_trigger_value=json.dumps([{"event": name, "value": value}]))
    return _send(page, WidgetState(id=component(page, key).id, json_value="{}"), done)


def _send(page: AppTest, *sent: WidgetState) -> AppTest:
    states = page._tree.get_widget_states()
    states.widgets.extend(sent)
    return page._run(states)


def notes(page: AppTest) -> list[str]:
    """The plain sentences, as a reader sees them: without the escapes that keep them literal."""
    return [re.sub(r"\\(.)", r"\1", each.value) for each in page.info]


def sound(page: AppTest) -> AppTest:
    assert [error.message for error in page.exception] == []
    assert not page.error
    return page


def panes(page: AppTest) -> list[str]:
    return [each.proto.body for each in page.get("html")]


def pane(page: AppTest, mark: str) -> str:
    """The one piece of HTML that holds the mark."""
    (found,) = (each for each in panes(page) if mark in each)
    return found


def exact(piece: str) -> list[float]:
    """The full values behind the rounded numbers, in their order."""
    return [float(value) for value in re.findall(r'title="([-+0-9.e]+)"', piece)]


def predictions(page: AppTest) -> dict[str, float]:
    """Candidates and probabilities of the prediction strip, in their order."""
    cards = pane(page, 'glass-table glass-strip"').split("<li>")[1:]
    return {html.unescape(re.findall(r"<bdi>(.*?)</bdi>", card)[0]): exact(card)[0] for card in cards}


def link_rows(page: AppTest) -> dict[str, str]:
    """The inspector's lines: name and the full value (or what stands in its place)."""
    rows = re.findall(r'<th scope="row">(.*?)</th><td class="n">(.*?)</td>', pane(page, 'glass-table glass-link"'))
    return {name: (re.findall(r'title="(.*?)"', cell) or [cell])[0] for name, cell in rows}


def plotly_values(page: AppTest, key: str) -> np.ndarray:
    """The z of a Plotly heat map, as float32 [row, column]."""
    chart = next(each for each in page.get("plotly_chart") if each.key == key)
    z = json.loads(chart.proto.spec)["data"][0]["z"]
    assert isinstance(z, dict), "sent as an array, not as JSON numbers"
    return np.frombuffer(b64decode(z["bdata"]), "<f4").reshape([int(n) for n in z["shape"].split(",")])


def selector(page: AppTest, key: str) -> Any:
    """A segmented control or pills, by key."""
    return next(each for each in page.button_group if each.key == key)


def by_key(elements: Any, key: str) -> Any:
    return next(each for each in elements if each.key == key)


def link_of(page: AppTest) -> dict[str, str]:
    """The page's link as text, whatever AppTest made of it."""
    return {key: value if isinstance(value, str) else value[0] for key, value in page.query_params.items()}
