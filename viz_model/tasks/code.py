"""Real code: the next character of Python's standard library, whole files of it held out."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from viz_model.tasks.own_text import NextToken
from viz_model.tasks.task import Batch, Expected, Probe
from viz_model.tasks.text_sources import python_files
from viz_model.tokenizer import Tokenizer

# Modules that every Python has had for long. Which of them are held out is fixed by name: another version of Python
# has other lines in the same files, and no line moves from one side to the other.
TRAINING = (
    *("argparse", "ast", "base64", "bdb", "calendar", "cmd", "code", "codecs", "compileall", "configparser", "copy"),
    *("copyreg", "dataclasses", "datetime", "difflib", "dis", "doctest", "enum", "filecmp", "fileinput", "fnmatch"),
    *("ftplib", "functools", "getopt", "getpass", "gettext", "glob", "graphlib", "gzip", "hashlib", "hmac", "imaplib"),
    *("inspect", "ipaddress", "linecache", "locale", "lzma", "mailbox", "mimetypes", "modulefinder", "netrc"),
    *("ntpath", "numbers", "operator", "optparse", "os", "pathlib", "pdb", "pickle", "pickletools", "pkgutil"),
    *("platform", "plistlib", "poplib", "posixpath", "profile", "pstats", "pyclbr", "pydoc", "random", "reprlib"),
    *("runpy", "selectors", "shelve", "shutil", "site", "smtplib", "socket", "socketserver", "ssl", "statistics"),
    *("string", "subprocess", "symtable", "tarfile", "tempfile", "threading", "timeit", "tokenize", "trace"),
    *("traceback", "tracemalloc", "types", "typing", "uuid", "warnings", "wave", "weakref", "webbrowser", "zipapp"),
    *("zipfile", "zipimport", "asyncio/base_events", "asyncio/events", "asyncio/streams", "asyncio/tasks"),
    *("collections/__init__", "concurrent/futures/_base", "email/message", "http/client", "http/server"),
    *("http/cookiejar", "json/encoder", "logging/__init__", "logging/handlers", "unittest/case", "unittest/mock"),
    *("urllib/parse", "urllib/request", "xml/dom/minidom", "xml/etree/ElementTree"),
)
HELD_OUT = (
    *("bisect", "colorsys", "contextlib", "csv", "fractions", "heapq", "json/decoder", "pprint", "queue", "sched"),
    *("shlex", "textwrap"),
)
ALPHABET = "\n" + "".join(map(chr, range(32, 127)))
WINDOW = 128  # characters told in one window; what is read is the begin token and all but the last
WATCHED = "def area(shape):\n    return [w * h for w"
N_WATCHED = 48  # windows that the pictures through training are measured on, from all the held-out files
OPENING, CLOSING = "([{", ")]}"


class Code(NextToken):
    """Windows of 128 characters of code, each character to be told from those before it.

    The alphabet is newline and printable ASCII, whatever the files hold; any other character is unknown. A tab is
    written as spaces. files: module -> its text, the library's own where it is not given; ValueError where there is
    nothing to learn from or to hold out.
    """

    name: ClassVar[str] = "code"
    title: ClassVar[str] = "Python code: the next character"
    about: ClassVar[str] = "Real code of Python's standard library; each character is to be told from those before it."
    metric: ClassVar[str] = "next characters told right"

    def __init__(self, files: Mapping[str, str] | None = None, *, window: int = WINDOW) -> None:
        found = python_files((*TRAINING, *HELD_OUT)) if files is None else files
        self.files = {name: plain_text(text) for name, text in found.items()}
        training = "".join(self.files[name] for name in TRAINING if name in self.files)
        held_out = "".join(self.files[name] for name in HELD_OUT if name in self.files)
        for part, text in (("learn from", training), ("hold out", held_out)):
            if len(text) <= window:
                raise ValueError(f"code: expected more than {window} characters to {part}, got {len(text)}.")
        self.text, self.cut, self.window = training + held_out, len(training), window
        self.tokenizer = Tokenizer.train("character", [ALPHABET], None, self.specials)

    @cached_property
    def training(self) -> Tensor:
        """The ids of the files that train, [token], as int32; the tokenizer's own, by table: it is far quicker."""
        unknown = self.special("unknown")
        ids = np.full(128, unknown, np.int32)
        for char, i in zip(ALPHABET, self.tokenizer.encode(ALPHABET, add_special=False).ids, strict=True):
            ids[ord(char)] = i
        codes = np.frombuffer(self.text[: self.cut].encode("utf-32-le", "surrogatepass"), np.uint32)
        return torch.from_numpy(np.where(codes < 128, ids[codes.clip(max=127)], unknown).astype(np.int32))

    def every_window(self) -> Batch:
        """All that is held out, window after window; `held_out` gives some of it."""
        return self.ask(self._held_out_rows, None)

    def expected(self, batch: Batch) -> tuple[Expected, ...]:
        """A closing bracket reads the one that it closes; a line's end reads the end of the line before."""
        keys = torch.zeros(2, *batch.ids.shape, batch.ids.shape[1], dtype=torch.bool)
        for row, ids in enumerate(batch.ids.tolist()):
            text = [self._chars[i] for i in ids]
            for closing, opening in bracket_pairs(text):
                keys[0, row, closing, opening] = True
            ends = [at for at, char in enumerate(text) if char == "\n"]
            for before, end in pairwise(ends):
                keys[1, row, end, before] = True
        return Expected("the bracket that it closes", keys[0]), Expected("the end of the line before", keys[1])

    def made_from(self) -> str:
        """What a model of this task has read, for the folder that it stands in."""
        lines = [
            f"The standard library of Python {platform.python_version()}, one character after the other: newline and "
            "printable ASCII.",
            "Another version of Python has other lines in these files, and gives other weights and figures.",
        ]
        for part, names in (("trained on", TRAINING), ("held out", HELD_OUT)):
            found = [name for name in names if name in self.files]
            size = sum(len(self.files[name]) for name in found)
            lines += ["", f"{part}: {len(found)} files, {size} characters"]
            lines += [f"  {name}.py  {len(self.files[name])}  {_digest(self.files[name])}" for name in found]
        return "\n".join(lines) + "\n"

    @cached_property
    def _probe(self) -> tuple[Probe, Batch]:
        ids = torch.tensor([self.tokenizer.encode(WATCHED, add_special=False).ids])  # the last is only asked for
        batch = self.ask(ids, None)
        return Probe(WATCHED[:-1], tuple(map(self.tokenizer.token, batch.ids[0].tolist()))), batch

    @cached_property
    def _held_out(self) -> Batch:
        rows = self._held_out_rows
        return self.ask(rows[:: max(len(rows) // N_WATCHED, 1)][:N_WATCHED], None)

    @cached_property
    def _chars(self) -> list[str]:
        n = len(self.tokenizer.specials.names)
        by_id: dict[Any, str] = {self.tokenizer.id(char): char for char in ALPHABET}
        return [by_id.get(i, "") if i >= n else "" for i in range(self.tokenizer.vocab_size)]


def bracket_pairs(text: Sequence[str]) -> list[tuple[int, int]]:
    """(closing place, opening place) of the brackets that match; what stands in strings and comments counts too.

    A bracket of the wrong kind closes nothing, and one that was opened outside the text has no pair.
    """
    pairs, opened = [], list[int]()
    for at, char in enumerate(text):
        if char and char in OPENING:
            opened.append(at)
        elif char and char in CLOSING and opened and text[opened[-1]] == OPENING[CLOSING.index(char)]:
            pairs.append((at, opened.pop()))
    return pairs


def plain_text(text: str) -> str:
    """Code as the model reads it: tabs as spaces, plain newlines, no form feeds, one newline at the end."""
    return text.replace("\r\n", "\n").replace("\f", "").expandtabs().rstrip("\n") + "\n"


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
