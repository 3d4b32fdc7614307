"""The tables that ship are of the models and the sentences that ship, and no model was trained on these."""

from __future__ import annotations

import numpy as np
import pytest

import viz_model as vm
from viz_model.analysis.held_out_relations import MEASURED, HeldOutSentences
from viz_model.analysis.relation_answers import answers
from viz_model.analysis.relations import RelationTable
from viz_model.tasks import english
from viz_model.training.studies import MADE, kept

SENTENCES = HeldOutSentences.from_json(kept("held-out-sentences")).sentences


def core(text: str) -> str:
    """A sentence without what the way of writing adds."""
    return text[0].lower() + text[1:].removesuffix(".")


@pytest.mark.parametrize("name", MEASURED)
def test_the_kept_table_is_what_the_model_answers(name: str) -> None:
    table = RelationTable.from_json(kept(f"relations-{name}"))
    found = answers(vm.load(name), SENTENCES)
    assert {(score.relation, score.reading) for score in table.scores} == set(found)
    for score in table.scores:
        asked = found[score.relation, score.reading]
        assert score.n == len(asked.hits)
        np.testing.assert_allclose(score.accuracy, asked.hits.double().mean(0), atol=2.5 / score.n)  # near ties
        np.testing.assert_allclose(score.weight, asked.weight.double().mean(0), atol=1e-4)
        assert score.offset_accuracy == pytest.approx(float(asked.offset_hits(score.offset).mean()))


def test_no_sentence_was_trained_on() -> None:
    assert len(set(SENTENCES)) == len(SENTENCES) == 1_000
    trained = {core(str(sentence)) for sentence in english.corpus(60_000, seed=1)}
    assert not [text for text in SENTENCES if core(text) in trained]


def test_they_can_be_made_anew() -> None:
    wanted = {f"relations-{name}" for name in MEASURED} | {"held-out-sentences"}
    assert wanted <= set(MADE)
