"""Texts to learn from: what a person brings, checked, and what every Python carries offline."""

from __future__ import annotations

import codecs
import importlib
import re
import sysconfig
from collections.abc import Iterable
from pathlib import Path

LARGEST = 2_000_000  # bytes of UTF-8
# What `python_source` joins, in this order: modules that every Python has had for long and that are above all code.
MODULES = (
    *("argparse", "bisect", "calendar", "cmd", "contextlib", "copy", "csv", "dataclasses", "difflib", "fractions"),
    *("functools", "heapq", "pprint", "queue", "random", "sched", "shutil", "statistics", "textwrap", "threading"),
)


def read_text(data: str | bytes) -> str:
    """The text of what was pasted or of a file's bytes, line ends made plain newlines.

    Raises ValueError, one sentence, for more than 2 MB, bytes that are binary or no UTF-8, and for no text at all.
    """
    size = len(data) if isinstance(data, bytes) else len(data.encode("utf-8", "surrogatepass"))
    if size > LARGEST:
        raise ValueError(f"text: expected at most {LARGEST / 1e6:.0f} MB, got {size / 1e6:.1f} MB.")
    if isinstance(data, bytes):
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise ValueError("text: expected UTF-8, got UTF-16: save the file again as UTF-8.")
        if b"\0" in data:
            raise ValueError(f"text: expected a text file, got a binary one (a null byte at place {data.index(0)}).")
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ValueError(
                f"text: expected UTF-8, got bytes that are not (byte {data[error.start]:02X} at place {error.start}): "
                "save the file again as UTF-8."
            ) from None
    else:
        text = re.sub("[\ud800-\udfff]", "�", data).removeprefix("\ufeff")  # half characters, as the tokenizer does
        if "\0" in text:
            raise ValueError("text: expected plain text, got a null character, as binary files have them.")
    if not text.strip():
        got = "white space alone" if text else "an empty text"
        raise ValueError(f"text: expected something to read, got {got}.")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def python_topics() -> str:
    """Python's documentation topics (`help("FORMATTING")` and the like): about 450 kB of English with examples."""
    try:
        topics: dict[str, str] = importlib.import_module("pydoc_data.topics").topics
    except ImportError:
        raise ValueError("expected a Python with its documentation topics, got one without pydoc_data.") from None
    return read_text("\n".join(topics[name] for name in sorted(topics)))


def python_source() -> str:
    """Source of Python's standard library, the twenty modules of MODULES: about 700 kB, other in other versions."""
    return read_text("\n".join(python_files(MODULES).values()))


def python_files(names: Iterable[str]) -> dict[str, str]:
    """The named modules of the standard library that this Python has ('os', 'json/decoder'), name -> source."""
    home = Path(sysconfig.get_path("stdlib"))
    files = {name: home / f"{name}.py" for name in names}
    found = {name: path.read_text(encoding="utf-8") for name, path in files.items() if path.is_file()}
    if not found:
        raise ValueError(f"expected a Python with its library's source, got none in {home}.")
    return found
