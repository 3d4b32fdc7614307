"""The relation tables of the bundled English models, on sentences that neither was trained on, and these sentences.

Both models learned from the same 60,000 sentences. The best head and offset are chosen on 1,000 others, and scored on
1,000 more; no sentence is there twice. Drawing them takes half a minute, a table some seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from viz_model.analysis.relations import RelationTable, relation_table
from viz_model.analysis.results import Result
from viz_model.checkpoint import load
from viz_model.models.one_stack import OneStack
from viz_model.tasks import english
from viz_model.tasks.language import NextWord

MEASURED = ("english-causal", "english-masked")
N_CHOOSING, N_SCORING = 1_000, 1_000
N_DRAWN = 2_100  # some come twice
SEED = 11


@dataclass(frozen=True, slots=True)
class HeldOutSentences(Result):
    """The sentences that the tables are scored on, as text."""

    sentences: tuple[str, ...]


def held_out_sentences() -> HeldOutSentences:
    return HeldOutSentences(_drawn()[N_CHOOSING : N_CHOOSING + N_SCORING])


def causal_relations() -> RelationTable:
    """The table of 'english-causal'."""
    return _table("english-causal")


def masked_relations() -> RelationTable:
    """The table of 'english-masked', run on whole sentences, as it reads with nothing hidden."""
    return _table("english-masked")


def _table(name: str) -> RelationTable:
    model = load(name)
    assert isinstance(model, OneStack)
    return relation_table(model, _drawn()[:N_CHOOSING], held_out_sentences().sentences)


@cache
def _drawn() -> tuple[str, ...]:
    training, _ = NextWord().sentences
    return tuple(dict.fromkeys(str(sentence) for sentence in english.held_out(N_DRAWN, SEED, training)))
