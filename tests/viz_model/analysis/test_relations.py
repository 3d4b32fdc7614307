"""Built heads against a count by hand, the best offset against brute force, verdicts where they must fall."""

from __future__ import annotations

import dataclasses
import itertools
import math
import random

import pytest
import torch

from tests.viz_model.analysis.built_heads import BuiltDecoder, BuiltEncoder, at_offset, even
from viz_model.analysis.relation_answers import answers
from viz_model.analysis.relations import RelationScore, RelationTable, clustered_error, relation_table
from viz_model.tasks import english

CORPUS = list(dict.fromkeys(map(str, english.corpus(160, seed=5))))
CHOOSING, SCORING = CORPUS[:75], CORPUS[75:]


def gold_rule(relation: str, vocabulary_model):
    """A head that reads the earlier word of the relation from its later word."""
    tokenizer = vocabulary_model.tokenizer

    def rule(ids, mask):
        scores = torch.zeros(len(ids), ids.shape[1], ids.shape[1])
        for text, row in enumerate(ids.tolist()):
            words = [tokenizer.token(i) for i in row if i >= len(tokenizer.specials.names)]
            sentence = english.parse(words)
            for link in sentence.relations if sentence else ():
                if link.kind == relation:
                    scores[text, link.query + 1, link.key + 1] = 9.0
        return scores

    return rule


MODEL = BuiltDecoder([at_offset(-1), gold_rule("subject-verb", BuiltDecoder([even])), even])
TABLE = relation_table(MODEL, CHOOSING, SCORING)


def by_hand(sentences, kind: str):
    """(sentence, query, right keys, number of words to choose from) of 'back', in words, straight from the grammar."""
    found = []
    for i, text in enumerate(sentences):
        sentence = english.parse(text.replace(".", " .").split())
        links = sorted(link for link in ((r.query, r.key, r.kind) for r in sentence.relations) if link[2] == kind)
        for query, group in itertools.groupby(links, key=lambda link: link[0]):
            keys = {key for _, key, _ in group}
            if query >= 1:  # two words or more to choose from
                found.append((i, query, keys, query + 1))
    return found


def test_the_corpus_is_of_the_grammar() -> None:
    assert all(english.parse(text.replace(".", " .").split()) for text in CORPUS)


@pytest.mark.parametrize("kind", ["determiner-noun", "subject-verb", "verb-object"])
def test_offset_heads_score_what_the_offset_does_and_gold_heads_everything(kind: str) -> None:
    score = TABLE.find(kind)
    questions = by_hand(SCORING, kind)
    assert score is not None
    assert score.n == len(questions)
    assert score.n_sentences == len({i for i, *_ in questions})
    share = {d: sum(q + d in keys for _, q, keys, _ in questions) / len(questions) for d in range(-30, 0)}
    known = by_hand(CHOOSING, kind)
    best = max(range(-1, -30, -1), key=lambda d: sum(q + d in keys for _, q, keys, _ in known))
    assert score.offset == best
    assert score.offset_accuracy == pytest.approx(share[best])
    assert score.accuracy[0][0] == pytest.approx(share[-1])
    assert score.accuracy[0][1] == pytest.approx(1.0 if kind == "subject-verb" else 0.0)
    assert score.accuracy[0][2] == 0.0  # an even row finds nothing
    assert score.chance_accuracy == pytest.approx(sum(len(k) / n for _, _, k, n in questions) / len(questions))
    assert score.chance_weight == pytest.approx(sum(len(k) / (n + 1) for _, _, k, n in questions) / len(questions))
    assert score.weight[0][2] == pytest.approx(score.chance_weight)  # [BOS] is one key more
    assert score.n_missed == sum(q + best not in keys for _, q, keys, _ in questions)


def test_the_verdict_names_the_head_that_finds_it_and_says_where_none_does() -> None:
    subject, noun = TABLE.find("subject-verb"), TABLE.find("determiner-noun")
    assert (subject.best, subject.verdict) == ((0, 1), "better than any offset")
    assert subject.at(subject.accuracy) == 1.0
    assert subject.at(subject.accuracy_missed) == 1.0
    assert (noun.best, noun.verdict) == ((0, 0), "no better than an offset")
    assert noun.at(noun.accuracy) == noun.offset_accuracy
    assert noun.accuracy_missed[0][0] == 0.0
    rare = dataclasses.replace(subject, n_sentences=19)
    assert rare.verdict == "too few sentences to tell"
    assert "reads" in subject.who_reads


def test_what_is_chosen_is_chosen_on_the_other_sentences() -> None:
    """On sentences without an adjective the noun is at -1; scored on those with one, -1 is always wrong."""
    drawn = english.corpus(2500, seed=8)
    with_adjective = list(dict.fromkeys(str(s) for s in drawn if _all_nouns_described(s)))
    without = [str(s) for s in drawn[:90] if not any(r.kind == "adjective-noun" for r in s.relations)]
    score = relation_table(MODEL, without, with_adjective).find("determiner-noun")
    assert score.n_sentences >= 20
    assert (score.offset, score.offset_accuracy) == (-1, 0.0)
    assert score.best == (0, 0)
    assert score.at(score.accuracy) == 0.0


def _all_nouns_described(sentence: english.Sentence) -> bool:
    determined = {link.query for link in sentence.relations if link.kind == "determiner-noun"}
    return bool(determined) and determined <= {r.query for r in sentence.relations if r.kind == "adjective-noun"}


def test_a_head_that_leads_by_less_than_the_error_is_no_better() -> None:
    score = TABLE.find("subject-verb")
    for lead, verdict in ((1.9, "no better than an offset"), (2.1, "better than any offset")):
        error = score.error[0][1]
        changed = dataclasses.replace(score, offset_accuracy=score.accuracy[0][1] - lead * error)
        assert error > 0
        assert changed.verdict == verdict


def test_reading_ahead_and_where_a_word_is_due() -> None:
    ahead = relation_table(BuiltEncoder([at_offset(1), even]), CHOOSING, SCORING)
    assert {score.reading for score in ahead.scores} == {"back", "ahead"}
    adjective = ahead.find("adjective-noun", "ahead")
    assert (adjective.offset, adjective.offset_accuracy, adjective.at(adjective.accuracy)) == (1, 1.0, 1.0)
    assert adjective.verdict == "no better than an offset"
    assert ahead.find("adjective-noun").accuracy[0][0] == 0.0
    due = relation_table(BuiltDecoder([at_offset(0), even]), CHOOSING, SCORING)
    assert {score.reading for score in due.scores} == {"back", "due"}
    # "the old | cat": at "old", which foretells the noun, the adjective is the word itself.
    assert due.find("adjective-noun", "due").offset == 0
    assert due.find("adjective-noun", "due").accuracy[0][0] == 1.0


def test_special_tokens_do_not_compete_but_keep_their_weight() -> None:
    def sink(ids, mask):
        scores = at_offset(-1, 2.0)(ids, mask).clone()
        scores[:, :, 0] = 6.0
        return scores

    score = relation_table(BuiltDecoder([sink]), CHOOSING, SCORING).find("adjective-noun")
    assert score.accuracy == ((1.0,),)
    assert score.weight[0][0] < 0.02


def test_padding_and_company_change_nothing() -> None:
    together, model = answers(MODEL, SCORING[:40]), MODEL
    alone = [answers(model, [text]) for text in SCORING[:40]]
    for kind, found in together.items():
        single = [one[kind] for one in alone if kind in one]
        assert sum(len(one.offsets) for one in single) == len(found.offsets)
        torch.testing.assert_close(sum(one.weight.sum(0) for one in single), found.weight.sum(0), atol=1e-5, rtol=1e-5)


def test_the_error_is_that_of_sentences_drawn_anew() -> None:
    """Against the bootstrap over whole sentences (Efron and Tibshirani, 1993), and the plain one of single items."""
    draw = random.Random(0)
    sizes = [draw.randint(1, 4) for _ in range(60)]
    levels = [draw.random() for _ in sizes]
    items = [[float(draw.random() < level) for _ in range(n)] for n, level in zip(sizes, levels, strict=True)]
    values = torch.tensor([x for item in items for x in item], dtype=torch.float64)
    cluster = torch.tensor([i for i, item in enumerate(items) for _ in item])
    means = []
    for _ in range(4000):
        chosen = [items[draw.randrange(60)] for _ in items]
        means.append(sum(map(sum, chosen)) / sum(map(len, chosen)))
    spread = math.sqrt(sum((m - sum(means) / len(means)) ** 2 for m in means) / len(means))
    assert float(clustered_error(values, cluster)) == pytest.approx(spread, rel=0.06)
    plain = clustered_error(values[:50], torch.arange(50))
    assert float(plain) == pytest.approx(float(values[:50].std() / math.sqrt(50)))
    assert float(clustered_error(values[:5], torch.zeros(5))) == pytest.approx(0.0, abs=1e-12)


def test_json_brings_the_table_back_and_refuses_another() -> None:
    table = TABLE
    assert RelationTable.from_json(table.to_json()) == table
    assert [score.n for score in table.scores] == sorted((score.n for score in table.scores), reverse=True)
    with pytest.raises(ValueError, match="expected an object"):
        RelationTable.from_json(table.scores[0].to_json())
    with pytest.raises(ValueError, match="reading: expected"):
        RelationScore.from_json(table.scores[0].to_json().replace('"back"', '"up"').replace('"due"', '"up"'))
    with pytest.raises(ValueError, match="expected JSON"):
        RelationTable.from_json("{")


def test_refusals_say_what_was_expected() -> None:
    with pytest.raises(ValueError, match="no sentence in both"):
        relation_table(MODEL, CHOOSING, CHOOSING)
    with pytest.raises(ValueError, match="some that the grammar makes"):
        relation_table(MODEL, ["cat the sat"], SCORING)
    bare = BuiltDecoder([even])
    bare.tokenizer = None
    with pytest.raises(ValueError, match="expected one with a tokenizer"):
        relation_table(bare, CHOOSING, SCORING)
