"""Gold links stand at the tokens of the words that a person would join."""

from __future__ import annotations

import pytest
import torch

import viz_model as vm
from tests.viz_model.analysis.built_heads import BuiltDecoder, BuiltEncoder, even, with_heads
from viz_model.analysis.gold_links import (
    GoldLink,
    gold_links,
    largest_is_gold,
    link_hits,
    link_weights,
    most_read,
    readings,
)

CAUSAL, MASKED = BuiltDecoder([even]), BuiltEncoder([even])


def links_in_words(model, text: str) -> set[tuple[str, str, str]]:
    encoding = model.tokenizer.encode(text)
    found = gold_links(encoding)
    return {(link.relation, encoding.tokens[link.earlier], encoding.tokens[link.later]) for link in found}


@pytest.mark.parametrize("model", [CAUSAL, MASKED])
def test_the_two_sentences_of_the_lesson(model) -> None:
    """Written down by hand from the analysis of the sentences in any school grammar."""
    assert links_in_words(model, "The cat sat on the mat") == {
        ("determiner-noun", "The", "cat"),
        ("subject-verb", "cat", "sat"),
        ("head-preposition", "sat", "on"),
        ("determiner-noun", "the", "mat"),
        ("preposition-noun", "on", "mat"),
    }
    assert links_in_words(model, "The government is considering closing schools.") == {
        ("determiner-noun", "The", "government"),
        ("subject-verb", "government", "considering"),
        ("auxiliary-verb", "is", "considering"),
        ("verb-complement", "considering", "closing"),
        ("verb-object", "closing", "schools"),
    }


def test_what_the_grammar_does_not_make_has_no_links() -> None:
    for text in ("Colourless green ideas sleep furiously", "cat The sat", "The zebra sat on the mat"):
        assert gold_links(CAUSAL.tokenizer.encode(text)) == ()


def test_who_reads_whom() -> None:
    link = GoldLink("subject-verb", 2, 5)
    assert link.ends("back") == (5, 2)
    assert link.ends("ahead") == (2, 5)
    assert link.ends("due") == (4, 2)
    assert readings(is_causal=True) == ("back", "due")
    assert readings(is_causal=False) == ("back", "ahead")


def test_weights_and_hits_of_each_head_on_each_link() -> None:
    encoding = CAUSAL.tokenizer.encode("The cat sat on the mat")
    assert encoding.tokens[0] == "[BOS]"
    n = len(encoding)
    reads = torch.eye(n)
    reads[3] = torch.tensor([0.5, 0.1, 0.3, 0.1, 0, 0, 0])  # sat: cat most of the words, [BOS] more than any word
    trace = with_heads(CAUSAL(torch.tensor([encoding.ids])), [reads[None, None]])
    links = gold_links(encoding)
    subject = links.index(GoldLink("subject-verb", 2, 3))
    weights, hits = link_weights(trace, links), link_hits(trace, links, encoding.special)
    assert weights.shape == hits.shape == (len(links), 1, 1)
    assert weights[subject].item() == pytest.approx(0.3)
    assert hits[:, 0, 0].tolist() == [at == subject for at in range(len(links))]
    due = link_weights(trace, links, "due")  # at "cat" itself, where the verb is due
    assert due[subject].item() == 1.0
    none = link_hits(trace, (), encoding.special)
    assert none.shape == (0, 1, 1)
    assert link_weights(trace, ()).shape == (0, 1, 1)


def test_either_of_two_subjects_is_a_hit() -> None:
    encoding = CAUSAL.tokenizer.encode("The dog and the cat are old")
    links = [link for link in gold_links(encoding) if link.relation == "subject-verb"]
    assert [(link.later, link.earlier) for link in links] == [(6, 2), (6, 5)]
    reads = torch.eye(len(encoding))
    reads[6] = torch.tensor([0, 0.1, 0.5, 0.1, 0, 0.2, 0.1, 0])
    trace = with_heads(CAUSAL(torch.tensor([encoding.ids])), [reads[None, None]])
    assert link_hits(trace, links, encoding.special).all()
    assert link_weights(trace, links)[:, 0, 0].tolist() == pytest.approx([0.5, 0.2])


def test_a_tie_is_no_hit() -> None:
    rows = torch.tensor([[0.4, 0.4, 0.2], [0.4, 0.5, 0.1], [0.9, 0.08, 0.02]])
    gold = torch.tensor([[False, True, False]])
    words = torch.tensor([[False, True, True]])
    every = torch.ones_like(words)
    assert largest_is_gold(rows, gold, every).tolist() == [False, True, False]
    assert largest_is_gold(rows, gold, words).tolist() == [True, True, True]


def test_the_word_that_is_read_most_is_no_special_token() -> None:
    encoding = CAUSAL.tokenizer.encode("The dog and the cat are old")
    one, other = torch.eye(len(encoding)), torch.eye(len(encoding))
    one[6] = torch.tensor([0.6, 0.1, 0.2, 0.05, 0, 0.05, 0, 0])
    trace = with_heads(CAUSAL(torch.tensor([encoding.ids])), [torch.stack([one, other])[None]])
    assert most_read(trace, encoding.special, 6).tolist() == [[2, 6]]


def test_a_batch_is_refused() -> None:
    with pytest.raises(ValueError, match="expected one text, got 2"):
        link_weights(CAUSAL(torch.tensor([[2, 5, 6], [2, 7, 8]])), ())


def test_links_survive_json() -> None:
    link = GoldLink("verb-object", 1, 4)
    assert GoldLink.from_json(link.to_json()) == link
    assert vm.load("english-causal").tokenizer == CAUSAL.tokenizer  # the tests read what ships
