"""Tasks by name, each imported when it is asked for."""

from __future__ import annotations

from importlib import import_module

from viz_model.tasks.task import Task

HOMES = {
    "copy": "symbols:Copy",
    "reverse": "symbols:Reverse",
    "sort": "symbols:Sort",
    "induction": "induction:Induction",
    "addition": "addition:Addition",
    "brackets": "brackets:Brackets",
    "english-causal": "language:NextWord",
    "english-masked": "language:MaskedWords",
    "digits": "digits:Digits",
    "sentiment": "sentiment:Sentiment",
    "question-answering": "question_answering:QuestionAnswering",
    "summarising": "summarising:Summarising",
}


def make_task(name: str) -> Task:
    """The task of that name; raises ValueError that lists the names."""
    if name not in HOMES:
        raise ValueError(f"task: expected one of {', '.join(HOMES)}, got {name!r}.")
    module, _, kind = HOMES[name].partition(":")
    task: Task = getattr(import_module(f"viz_model.tasks.{module}"), kind)()
    return task
