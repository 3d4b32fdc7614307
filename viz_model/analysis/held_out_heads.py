"""The atlas and the ablations of bundled models, on held-out examples of their tasks.

The English models are measured on the sentences that their relation tables are scored on; agreement is asked across
one noun of the other number or more. Drawing the sentences takes half a minute, an atlas some seconds, a whole ablation
table about ten; on fewer sentences (`measured_ablation`) about three.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from viz_model.analysis.ablation_table import AblationTable, Choices, ablation_table
from viz_model.analysis.atlas import Atlas, head_atlas
from viz_model.analysis.held_out_relations import causal_relations, held_out_sentences, masked_relations
from viz_model.analysis.measured_roles import repeated_tokens
from viz_model.analysis.relation_answers import encoded_texts
from viz_model.analysis.relations import RelationTable
from viz_model.checkpoint import load
from viz_model.models.one_stack import OneStack
from viz_model.tasks import english
from viz_model.tasks.induction import Induction
from viz_model.tasks.language import LanguageTask, MaskedWords, NextWord
from viz_model.tasks.task import Batch, pad

MEASURED = ("english-causal", "english-masked", "induction")
FEW_TEXTS, FEW_CHOICES = 512, 256  # of a table that is measured while somebody waits
N_REPEATED, PERIOD = 256, 12  # texts of random words that are there twice, and how many
SEED = 7

_TASKS: dict[str, Callable[[], LanguageTask]] = {"english-causal": NextWord, "english-masked": MaskedWords}


def causal_atlas() -> Atlas:
    """The atlas of 'english-causal'."""
    return english_atlas("english-causal", held_out_sentences().sentences, causal_relations())


def masked_atlas() -> Atlas:
    """The atlas of 'english-masked', on whole sentences with nothing hidden."""
    return english_atlas("english-masked", held_out_sentences().sentences, masked_relations())


def induction_atlas() -> Atlas:
    """The atlas of 'induction', on its held-out sequences."""
    model, task = _model("induction"), Induction()
    ids = task.held_out().ids
    repeated = repeated_tokens(_words(model), N_REPEATED, PERIOD, _generator(), begin=task.begin_id)
    return head_atlas(model, ids, special=ids == task.begin_id, repeated=repeated)


def causal_ablation() -> AblationTable:
    """The ablations of 'english-causal'."""
    return measured_ablation("english-causal", held_out_sentences().sentences)


def masked_ablation() -> AblationTable:
    """The ablations of 'english-masked', whose words are asked for where one in seven is hidden."""
    return measured_ablation("english-masked", held_out_sentences().sentences)


def induction_ablation() -> AblationTable:
    """The ablations of 'induction'."""
    return measured_ablation("induction", ())


def english_atlas(name: str, sentences: Sequence[str], relations: RelationTable | None) -> Atlas:
    """The atlas of a bundled English model on sentences of the grammar."""
    model = _model(name)
    ids, present, special = encoded_texts(model, sentences)
    begin = int(ids[0, 0])
    repeated = repeated_tokens(_words(model), N_REPEATED, PERIOD, _generator(), begin=begin)
    return head_atlas(model, ids, present=present, special=special, relations=relations, repeated=repeated)


def measured_ablation(
    name: str, sentences: Sequence[str], *, n_texts: int | None = None, n_choices: int | None = None
) -> AblationTable:
    """The ablations of a model of MEASURED, on the first so many texts and choices (None: on all there are).

    sentences: of the grammar, held out from training; 'induction' has sequences of its own and takes no notice.
    """
    if name not in MEASURED:
        raise ValueError(f"name: expected one of {', '.join(MEASURED)}, got {name!r}.")
    if name == "induction":
        return ablation_table(_model(name), _first(Induction().held_out(), n_texts))
    task = _TASKS[name]()
    words = [_words_of(sentence) for sentence in sentences[:n_texts]]
    ids, present = pad([task.encode(each) for each in words], _padding(task))
    batch = task.ask(ids, present, _generator())
    choices = _due_verbs(task) if isinstance(task, NextWord) else _hidden_verbs(task, words)
    few = Choices(*(column[:n_choices] for column in choices))
    return ablation_table(_model(name), batch, choices=few)


def _due_verbs(task: LanguageTask) -> tuple[Tensor, ...]:
    """Beginnings of sentences, asked for the verb's number: made anew, for a beginning is no sentence seen before."""
    return task.verbs(1)


def _hidden_verbs(task: LanguageTask, words: Sequence[tuple[str, ...]]) -> tuple[Tensor, ...]:
    """Whole sentences with the verb hidden: ids, present, position, right and wrong ids."""
    parsed = [english.parse(each) for each in words]
    asked = [(s.words, a) for s in parsed if s is not None for a in s.agreement if a.attractors]
    ids, present = pad([task.encode(each) for each, _ in asked], _padding(task))
    at = torch.tensor([agreement.verb + 1 for _, agreement in asked])
    ids[torch.arange(len(asked)), at] = _special(task, "mask")
    right, wrong = (
        torch.tensor([task.tokenizer.id(getattr(agreement, side)) for _, agreement in asked])
        for side in ("right", "wrong")
    )
    return ids, present, at, right, wrong


def _words_of(sentence: str) -> tuple[str, ...]:
    return tuple(sentence.replace(".", " .").split())


def _first(batch: Batch, n: int | None) -> Batch:
    """The first n texts of a batch and what they are asked."""
    asked = batch.asked[:n]
    return Batch(batch.ids[:n], batch.present[:n], asked, batch.answers[: int(asked.sum())])


def _padding(task: LanguageTask) -> int:
    return _special(task, "pad")


def _special(task: LanguageTask, role: str) -> int:
    found = getattr(task.tokenizer.special_ids, role)
    assert isinstance(found, int)
    return found


def _words(model: OneStack) -> list[int]:
    """The ids that are no special tokens."""
    assert model.tokenizer is not None
    return list(range(len(model.tokenizer.specials.names), model.tokenizer.vocab_size))


def _model(name: str) -> OneStack:
    model = load(name)
    assert isinstance(model, OneStack)
    return model


def _generator() -> torch.Generator:
    return torch.Generator().manual_seed(SEED)
