"""README says what is so: commands, map, numbers and names are those of the repository."""

from __future__ import annotations

import doctest
import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import takewhile
from pathlib import Path

import pytest

from pages.ui import link_locks
from viz_model.checkpoint import bundled, read_card

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
# Pieces of names that a public file has no use for: package hosts, and where somebody's copy of it lies. Written in
# halves, so that this file does not find itself.
FOREIGN = tuple(
    "".join(halves)
    for halves in (
        ("py", "pi.org"),
        ("python", "hosted"),
        ("download.py", "torch"),
        ("registry.np", "mjs"),
        ("deb.deb", "ian.org"),
        ("--index", "-url"),
        ("--extra", "-index"),
        ("/wo", "rk/"),
        ("/ro", "ot/"),
        ("/ho", "me/"),
        ("/Us", "ers/"),
    )
)


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


def commands() -> list[list[str]]:
    """Every command of the shell blocks as its words."""
    lines = [line for block in blocks("bash") for line in block.splitlines() if line.strip()]
    return [shlex.split(part) for line in lines for part in line.split("&&")]


def mapped() -> Iterator[str]:
    """Every path of the map: names, then two spaces and what it is; what is indented more lies in the folder above."""
    (tree,) = blocks("text")
    above: list[tuple[int, str]] = []
    for line in tree.splitlines():
        indent = len(line) - len(line.lstrip())
        names = takewhile(lambda part: " " not in part, re.split(r" {2,}", line.strip()))
        for name in names:
            above = [(depth, folder) for depth, folder in above if depth < indent]
            path = (above[-1][1] if above else "") + name
            yield path
            if name.endswith("/"):
                above.append((indent, path))


def tracked_texts() -> Iterator[tuple[str, str]]:
    """Path and text of what is in the repository, or would be at the next commit."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    for name in listed.stdout.decode().split("\0"):
        path = ROOT / name
        if name and path.is_file():
            data = path.read_bytes()
            if b"\0" not in data:
                yield name, data.decode("utf-8")


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_every_command_runs_something_that_is_there(command: list[str]) -> None:
    program, *arguments = command
    if program == "bash":
        assert (ROOT / arguments[0]).is_file()
    elif arguments[:1] == ["-m"] and arguments[1] != "venv":
        spec = find_spec(arguments[1])
        assert spec is not None
        if spec.submodule_search_locations is not None:
            assert find_spec(f"{arguments[1]}.__main__") is not None
    elif arguments[:1] == ["run"]:
        assert (ROOT / arguments[1]).is_file()
    elif arguments[:1] == ["install"]:
        assert (ROOT / arguments[arguments.index("-r") + 1]).is_file()
    else:
        assert command == ["python3", "-m", "venv", ".venv"]


def test_the_two_commands_of_the_start_are_given() -> None:
    given = [words[0].rpartition("/")[2] + " " + " ".join(words[1:]) for words in commands()]
    assert given[:4] == [
        "python3 -m venv .venv",
        "pip install -r requirements.txt",
        "streamlit run app.py",
        "bash tests/run.sh",
    ]


def test_the_notebook_example_gives_what_it_says() -> None:
    example = "\n".join(blocks("python"))
    parsed = doctest.DocTestParser().get_doctest(example, {}, "README.md", "README.md", 0)
    said: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(parsed, out=said.append)
    assert len(parsed.examples) >= 9
    assert "".join(said) == ""


def test_the_map_names_only_what_is_there() -> None:
    paths = list(mapped())
    assert {"app.py", "viz_model/attention.py", "viz_model/figures/", "pages/learn/the_cat_sat.py"} <= set(paths)
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_map_leaves_no_room_out() -> None:
    rooms = [path for top in ("viz_model", "pages") for path in (ROOT / top).iterdir() if path.is_dir()]
    there = {f"{path.relative_to(ROOT).as_posix()}/" for path in rooms if path.name != "__pycache__"}
    assert len(there) >= 8
    assert there - set(mapped()) == set()


def test_every_file_that_the_text_names_is_there() -> None:
    named = set(re.findall(r"`((?:[\w.-]+/)*[\w-]+\.(?:py|txt|sh|md|toml))`", README))
    assert {"viz_model/edits.py", "pages/ui/router.py"} <= named
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []
    shown = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", README)
    assert shown == ["assets/screenshot.png"]
    assert (ROOT / shown[0]).is_file()


def row(name: str) -> str:
    """A trained model's row of the table, from its own file."""
    card = json.loads((ROOT / "assets" / "models" / name / "model.json").read_text(encoding="utf-8"))
    figures = card["figures"]
    loss, entropy = (
        next(value for label, value in figures.items() if label.startswith(start))
        for start in ("held-out loss", "the grammar's entropy")
    )
    shares = figures["agreement"], figures["agreement across one noun of the other number"]
    reads = {"decoder": "next word", "encoder": "hidden words"}[card["kind"]]
    numbers = [f"{loss:.3f}", f"{entropy:.3f}", *(f"{share:.1%}".replace("%", " %") for share in shares)]
    return " | ".join([f"| `{name}`", reads, *numbers]) + " |"


def symbol_row(name: str) -> str:
    """A row of the table of symbol tasks: what its measure counts, and what the model has reached."""
    figure, value = next(iter(read_card(name).figures.items()))
    return f"| `{name}` | {figure} | {100 * value:.1f} % |"


def test_the_tables_of_models_hold_the_figures_of_their_files() -> None:
    english = [name for name in bundled() if "agreement" in read_card(name).figures]
    symbols = [name for name in bundled() if name not in (*english, "untrained")]
    assert len(english) >= 2
    rows = [*map(row, english), *map(symbol_row, symbols)]
    assert re.findall(r"^\| `.*\|$", README, flags=re.MULTILINE) == rows


@pytest.mark.parametrize(("parameter", "known"), [("hide", link_locks.HIDEABLE), ("lock", link_locks.LOCKABLE)])
def test_a_teachers_names_are_those_of_the_pages(parameter: str, known: tuple[str, ...]) -> None:
    said = re.search(rf"^- `{parameter}=`.*?Their names:(.*?)\.$", README, flags=re.MULTILINE | re.DOTALL)
    assert said is not None
    assert re.findall(r"`(\w+)`", said[1]) == sorted(known)


def test_no_text_names_a_package_host_or_somebodys_folder() -> None:
    texts = dict(tracked_texts())
    assert "README.md" in texts
    found = [f"{path}: {piece}" for path, text in texts.items() for piece in FOREIGN if piece in text]
    assert found == []
