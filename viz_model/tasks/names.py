"""Tasks by name, each imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from viz_model.tasks.task import Task

HOMES = {
    "copy": "symbols:Copy",
    "reverse": "symbols:Reverse",
    "sort": "symbols:Sort",
    "induction": "induction:Induction",
    "letter-chain": "letter_chain:LetterChain",
    "addition": "addition:Addition",
    "brackets": "brackets:Brackets",
    "english-causal": "language:NextWord",
    "english-masked": "language:MaskedWords",
    "digits": "digits:Digits",
    "sentiment": "sentiment:Sentiment",
    "question-answering": "question_answering:QuestionAnswering",
    "summarising": "summarising:Summarising",
    "english-french": "english_french:EnglishFrench",
    "code": "code:Code",
}

# Tasks of any size, which is the number at the end of the name: 'associative-recall-16'.
SIZED = {
    "associative-recall": "recall:AssociativeRecall",
    "first-token": "recall:FirstToken",
}


def make_task(name: str) -> Task:
    """The task of that name; raises ValueError that lists the names."""
    if name in HOMES:
        return _home(HOMES[name])()
    family, _, size = name.rpartition("-")
    # One name a task: no leading zeros, no digits of other scripts. Nothing has a size of five figures.
    if family in SIZED and size.isascii() and size.isdigit() and size[0] != "0" and len(size) < 5:
        return _home(SIZED[family])(int(size))
    names = (*HOMES, *(f"{family}-<number>" for family in SIZED))
    raise ValueError(f"task: expected one of {', '.join(names)}, got {name!r}.")


def _home(place: str) -> Callable[..., Task]:
    """The class at 'module:class'."""
    module, _, kind = place.partition(":")
    found: Callable[..., Task] = getattr(import_module(f"viz_model.tasks.{module}"), kind)
    return found
