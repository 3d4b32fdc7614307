"""The house: which way the arrows between its rooms run, and what its files are called. The tables are the design."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parent.parent
MAX_LINES = 250
MAX_LINES_OF_ROUTER = 60
NAMELESS = {"utils", "util", "helpers", "helper", "common", "misc"}


@dataclass(frozen=True, slots=True)
class Arrow:
    """Files under `room` (a file or a folder) never import `never`, except for `but`; names cover what is inside."""

    room: str
    never: tuple[str, ...]
    but: tuple[str, ...] = ()


CORE = ("config", "masks", "positions", "edits", "normalization", "feed_forward", "attention", "blocks")
ABOVE_MODELS = ("inference", "generation", "training", "pretrained", "computation", "analysis", "figures")
TO_COME = {"pages/train", "pages/families", "pages/scale"}
DRAWING = ("plotly", "altair", "matplotlib")


def parts(*names: str) -> tuple[str, ...]:
    return tuple(f"viz_model.{name}" for name in names)


ARROWS = (
    # app -> pages -> pages/ui -> viz_model, which alone knows torch and the drawing libraries
    Arrow("app.py", ("torch", *DRAWING, "tests")),
    Arrow("pages", ("torch", *DRAWING, "app", "tests")),
    Arrow("pages/ui", ("pages",), but=("pages.ui",)),
    Arrow("pages/learn", ("pages",), but=("pages.ui", "pages.learn")),
    Arrow("pages/explore", ("pages",), but=("pages.ui", "pages.explore")),
    Arrow("pages/train", ("pages",), but=("pages.ui", "pages.train")),
    Arrow("pages/families", ("pages",), but=("pages.ui", "pages.families")),
    Arrow("pages/scale", ("pages",), but=("pages.ui", "pages.scale")),
    Arrow("viz_model", ("streamlit", "pages", "app", "tests")),
    # figures: arrays and labels in, figure out; never a model, never torch
    Arrow("viz_model/figures", ("torch", "viz_model"), but=("viz_model.figures",)),
    # models -> blocks -> attention, feed_forward, normalization -> masks, positions, edits
    Arrow("viz_model/config.py", ("torch", "viz_model")),
    Arrow("viz_model/masks.py", ("viz_model",)),
    Arrow("viz_model/edits.py", ("viz_model",)),
    Arrow("viz_model/positions.py", ("viz_model",), but=parts("config")),
    Arrow("viz_model/normalization.py", ("viz_model",), but=parts("config")),
    Arrow("viz_model/feed_forward.py", ("viz_model",), but=parts("config")),
    Arrow("viz_model/attention.py", ("viz_model",), but=parts("config", "masks", "positions", "edits")),
    Arrow("viz_model/blocks.py", parts("models", "tokenizer", *ABOVE_MODELS)),
    Arrow("viz_model/initialization.py", parts("models", "blocks", "tokenizer", *ABOVE_MODELS)),
    Arrow("viz_model/models", (*parts(*ABOVE_MODELS, "tasks"), *DRAWING)),
    # words know nothing of models; tasks may measure a model and know nothing of its parts
    Arrow("viz_model/tokenizer.py", ("torch", *parts("models", "tasks", *CORE, *ABOVE_MODELS))),
    Arrow("viz_model/tasks", (*parts(*CORE, *ABOVE_MODELS), *DRAWING)),
    # steps, analysis -> trace types;  training -> models, tasks, tokenizer
    Arrow("viz_model/computation.py", (*parts("figures", "training", "pretrained", "generation", "tasks"), *DRAWING)),
    Arrow("viz_model/analysis", (*parts("figures", "training", "pretrained", "generation"), *DRAWING)),
    Arrow("viz_model/training", (*parts("figures", "pretrained"), *DRAWING)),
)


def imports(source: str, path: str) -> Iterator[str]:
    """Every module or name that the text of the file `path` imports, at any depth, dots resolved.

    `from a import b` gives 'a.b': where b is a module that is the arrow, elsewhere it still lies inside a.
    """
    package = PurePosixPath(path).parent.parts
    for node in ast.walk(ast.parse(source, path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *([node.module] if node.module else [])))
            yield from (module if alias.name == "*" else f"{module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in ("import_module", "__import__") and isinstance(node.args[0].value, str):
                yield node.args[0].value


def inside(name: str, rooms: tuple[str, ...], separator: str) -> bool:
    return any(name == room or name.startswith(room + separator) for room in rooms)


def wrong_arrows(source: str, path: str) -> list[str]:
    """The imports of a file that run the wrong way, as sentences."""
    return [
        f"{path} imports {name}: {arrow.room} never imports {', '.join(arrow.never)}"
        for arrow in ARROWS
        if inside(path, (arrow.room,), "/")
        for name in imports(source, path)
        if inside(name, arrow.never, ".") and not inside(name, arrow.but, ".")
    ]


def python_files(*rooms: str) -> list[str]:
    found = [path for room in rooms for path in ((ROOT / room).rglob("*.py") if (ROOT / room).is_dir() else [])]
    found += [ROOT / room for room in rooms if (ROOT / room).is_file()]
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


HOUSE = python_files("app.py", "pages", "viz_model")


def test_the_walk_finds_the_house() -> None:
    assert {"viz_model/attention.py", "viz_model/models/stack.py", "viz_model/figures/theme.py"} <= set(HOUSE)


def test_every_room_of_the_table_is_there() -> None:
    """A room that was renamed would be free of its rule without a word."""
    assert {arrow.room for arrow in ARROWS if not (ROOT / arrow.room).exists()} <= TO_COME


@pytest.mark.parametrize("path", HOUSE)
def test_arrows_run_one_way(path: str) -> None:
    assert wrong_arrows((ROOT / path).read_text(encoding="utf-8"), path) == []


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("app.py", "import torch"),
        ("app.py", "import plotly.express as px"),
        ("pages/learn/the_cat_sat.py", "from torch import nn"),
        ("pages/learn/the_cat_sat.py", "from pages.explore.workbench import grid"),
        ("pages/ui/session.py", "def late():\n    import altair as alt"),
        ("pages/ui/session.py", "import pages.learn.the_cat_sat"),
        ("pages/explore/workbench.py", "import app"),
        ("viz_model/computation.py", "import streamlit as st"),
        ("viz_model/training/runner.py", "if True:\n    from streamlit.runtime import get_instance"),
        ("viz_model/figures/heatmap.py", "import torch.nn.functional as F"),
        ("viz_model/figures/heatmap.py", "from viz_model.models import Decoder"),
        ("viz_model/figures/heatmap.py", "from viz_model import masks"),
        ("viz_model/figures/heatmap.py", "import viz_model as vm"),
        ("viz_model/figures/heatmap.py", "from ..models.stack import Stack"),
        ("viz_model/figures/heatmap.py", "from .. import attention"),
        ("viz_model/figures/heatmap.py", "import importlib\nimportlib.import_module('torch')"),
        ("viz_model/figures/heatmap.py", "torch = __import__('torch')"),
        ("viz_model/masks.py", "from viz_model.attention import attend"),
        ("viz_model/attention.py", "from .blocks import Reading"),
        ("viz_model/blocks.py", "from viz_model.models.stack import Stack"),
        ("viz_model/models/stack.py", "from viz_model import *\nfrom viz_model.figures import *"),
        ("viz_model/tasks/english.py", "from viz_model import training"),
    ],
)
def test_the_walk_catches_an_arrow_the_wrong_way(path: str, line: str) -> None:
    assert len(wrong_arrows(line, path)) == 1


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("app.py", "import streamlit as st\nimport torchvision_is_not_torch"),
        ("pages/learn/the_cat_sat.py", "import viz_model as vm\nfrom pages.ui import session"),
        ("pages/ui/session.py", "from . import links\nfrom pages.ui.links import read"),
        ("viz_model/figures/heatmap.py", "import numpy as np\nimport plotly.graph_objects as go\nfrom . import theme"),
        ("viz_model/figures/heatmap.py", "from viz_model.figures.theme import LIGHT\n'import torch'"),
        ("viz_model/attention.py", "import torch\nfrom viz_model.edits import Edit"),
        ("viz_model/models/stack.py", "from viz_model.blocks import Reading\nfrom viz_model import masks"),
        ("viz_model/training/trainer.py", "from viz_model import models, tasks, tokenizer"),
    ],
)
def test_the_walk_lets_the_right_arrows_be(path: str, line: str) -> None:
    assert wrong_arrows(line, path) == []


def test_no_script_lies_directly_in_pages() -> None:
    """Streamlit would discover it, and a first visitor on its link would bypass the router. It skips `__init__.py`."""
    assert [path.name for path in (ROOT / "pages").glob("*.py") if path.stat().st_size] == []
    assert {path.name for path in (ROOT / "pages").glob("*.py")} <= {"__init__.py"}


@pytest.mark.parametrize("path", [*HOUSE, *python_files("tests")])
def test_every_file_says_its_concept_by_its_name(path: str) -> None:
    assert not NAMELESS & {part.removesuffix(".py") for part in PurePosixPath(path).parts}


@pytest.mark.parametrize("path", HOUSE)
def test_no_file_is_long(path: str) -> None:
    n_lines = len((ROOT / path).read_text(encoding="utf-8").splitlines())
    assert n_lines <= (MAX_LINES_OF_ROUTER if path == "app.py" else MAX_LINES)


def test_files_to_take_away_are_made_by_one_button() -> None:
    """Streamlit's own lets a file go while a browser far away still asks for it (pages/ui/files.py)."""
    texts = {path: (ROOT / path).read_text(encoding="utf-8") for path in HOUSE}
    assert [path for path, text in texts.items() if "st.download_button(" in text] == []
    assert [path for path, text in texts.items() if "files.offer(" in text] == ["pages/ui/take_file.py"]
