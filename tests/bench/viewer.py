"""A person at the live page without a browser: what the server and the workers do for them, and no painting."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Protocol

PATIENCE = 40.0  # seconds
FRESH = 0.005  # seconds between looks at what came
VIEW = "training_view"


class Watcher(Protocol):
    """Who watches a run: sees its newest step and its state, and presses the page's buttons."""

    @property
    def newest(self) -> tuple[int, str]: ...

    def press(self, button: str) -> float: ...

    def until(self, want: Callable[[int, str], bool]) -> float: ...


class Viewer:
    """A session of the server, spoken to as the page's script in a browser does, the repeated looks included."""

    def __init__(self, app: str, path: str, query: str) -> None:
        self.app, self.path, self.query = app, path, query
        self._newest = (0, "")
        self._page = ""  # as the server calls it
        self._buttons: dict[str, str] = {}
        self._looks: dict[str, list[float]] = {}  # fragment -> seconds between looks, when the next is due
        self._said: list[bytes] = []
        self._over = False
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._say()
        self._thread.start()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._over = True
        self._thread.join(PATIENCE)

    @property
    def newest(self) -> tuple[int, str]:
        """The newest step, and the run's state ('' before the first picture)."""
        return self._newest

    def press(self, button: str) -> float:
        """Presses a button when it is there; gives the time of the press."""
        from streamlit.proto.WidgetStates_pb2 import WidgetState

        self.until(lambda _step, _state: button in self._buttons)
        pressed = time.monotonic()
        self._say([WidgetState(id=self._buttons[button], trigger_value=True)])
        return pressed

    def until(self, want: Callable[[int, str], bool]) -> float:
        """Seconds on the clock when it is as wanted. Raises TimeoutError."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if want(*self.newest):
                return time.monotonic()
            time.sleep(FRESH)
        raise TimeoutError(f"the viewer's run stayed at {self.newest}; buttons: {', '.join(self._buttons) or 'none'}")

    def _say(self, widgets: list[Any] | None = None, fragment: str = "") -> None:
        from streamlit.proto.BackMsg_pb2 import BackMsg

        message = BackMsg()
        ask = message.rerun_script
        ask.query_string, ask.page_name, ask.page_script_hash = self.query, self.path, self._page
        ask.widget_states.widgets.extend(widgets or [])
        if fragment:
            ask.fragment_id, ask.is_auto_rerun = fragment, True
        self._said.append(message.SerializeToString())

    async def _serve(self) -> None:
        """Sends what was said, takes what comes, looks again when it is time."""
        from websockets.asyncio.client import connect
        from websockets.typing import Origin, Subprotocol

        host = self.app.removeprefix("http://")
        line = connect(
            f"ws://{host}/_stcore/stream",
            origin=Origin(f"http://{host}"),
            subprotocols=[Subprotocol("streamlit")],
            max_size=None,
        )
        async with line as socket:
            taking = asyncio.create_task(self._take_all(socket))
            while not self._over:
                now = time.monotonic()
                for fragment, look in list(self._looks.items()):
                    if now >= look[1]:
                        look[1] = now + look[0]
                        self._say(fragment=fragment)
                while self._said:
                    await socket.send(self._said.pop(0))
                await asyncio.sleep(FRESH)
            taking.cancel()

    async def _take_all(self, socket: Any) -> None:
        async for raw in socket:
            self._take(raw)

    def _take(self, raw: str | bytes) -> None:
        from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

        assert isinstance(raw, bytes)
        message = ForwardMsg.FromString(raw)
        kind = message.WhichOneof("type")
        if kind == "new_session" and not message.metadata.run.fragment_ids:
            self._looks.clear()  # a run of the whole page says anew what is to be looked at again
        elif kind == "navigation":
            self._page = message.navigation.page_script_hash
        elif kind == "auto_rerun":
            seconds = message.auto_rerun.interval
            self._looks[message.auto_rerun.fragment_id] = [seconds, time.monotonic() + seconds]
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            element = message.delta.new_element
            if element.WhichOneof("type") == "button":
                self._buttons[element.button.label] = element.button.id
            elif element.WhichOneof("type") == "bidi_component" and VIEW in element.bidi_component.component_name:
                self._see(element.bidi_component)

    def _see(self, view: Any) -> None:
        from viz_model.figures.training_view import unpack

        payload = unpack(view.bytes)
        steps = payload.arrays["step"]
        step = int(steps[-1]) if len(steps) else 0
        self._newest = (step, payload.header["state"])
