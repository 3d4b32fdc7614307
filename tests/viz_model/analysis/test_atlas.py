"""Roles are recovered on heads built to have them; chance and scores are loops over the words."""

from __future__ import annotations

import dataclasses
import math

import pytest
import torch

from tests.viz_model.analysis.built_heads import BuiltDecoder, BuiltEncoder, at_offset, even, rows_of, with_heads
from tests.viz_model.analysis.small_models import decoder
from tests.viz_model.analysis.test_relations import CHOOSING, SCORING, gold_rule
from viz_model.analysis.atlas import RULE, Atlas, atlas_of, head_atlas
from viz_model.analysis.measured_roles import FAR, ROLES, MeasuredRole, repeated_tokens
from viz_model.analysis.relation_answers import encoded_texts
from viz_model.analysis.relations import relation_table

TEXTS = SCORING[:30]


def to_first(ids, mask):
    scores = torch.zeros(len(ids), ids.shape[1], ids.shape[1])
    scores[:, :, 0] = 9.0
    return scores


def to_same(ids, mask):
    return 9.0 * (ids[:, :, None] == ids[:, None, :]).float()


def to_duplicate(ids, mask):
    return 9.0 * ((ids[:, :, None] == ids[:, None, :]) & ~torch.eye(ids.shape[1], dtype=torch.bool)).float()


def to_end(ids, mask):
    """Reads [SEP], id 3 of a masked vocabulary, wherever the sentence ends."""
    return 9.0 * (ids[:, None, :] == 3).float().expand(-1, ids.shape[1], -1)


def to_far(ids, mask):
    """All words from five positions on, alike; the nearer ones nearly nothing. Position 0 is no word."""
    position = torch.arange(ids.shape[1])
    far = ((position[:, None] - position[None, :]).abs() >= 5) & (position > 0)
    return 9.0 * far.float().expand(len(ids), -1, -1)


def to_successor(ids, mask):
    """An induction head: what came after the same token before."""
    seen = (ids[:, :, None] == ids[:, None, :]).tril(-1).float()
    return 9.0 * torch.cat((torch.zeros(*seen.shape[:2], 1), seen[:, :, :-1]), dim=2)


def atlas(model, relations=None, repeated=None) -> Atlas:
    ids, present, special = encoded_texts(model, TEXTS)
    return head_atlas(model, ids, present=present, special=special, relations=relations, repeated=repeated)


def words_of(model) -> list[int]:
    return list(range(len(model.tokenizer.specials.names), model.tokenizer.vocab_size))


def test_built_heads_of_a_model_that_reads_both_ways_get_their_names() -> None:
    rules = {"previous": at_offset(-1), "next": at_offset(1), "first": to_first, "same": to_same}
    rules |= {"special": to_end, "broad": even, "mixed": at_offset(2), "duplicate": to_duplicate}
    found = atlas(BuiltEncoder(list(rules.values())))
    assert [head.role for head in found.heads] == list(rules)
    assert set(rules) < set(ROLES)
    for head in found.heads[:5]:
        assert head.score > 0.9 if head.role != "special" else head.score > 0.99
        assert head.chance < 0.35


def test_built_heads_of_a_causal_model_get_theirs() -> None:
    rules = {"previous": at_offset(-1), "first": to_first, "same": at_offset(0), "broad": even}
    rules["induction"] = to_successor
    model = BuiltDecoder(list(rules.values()))
    repeated = repeated_tokens(words_of(model), 16, 10, torch.Generator().manual_seed(0), begin=2)
    found = atlas(model, repeated=repeated)
    assert [head.role for head in found.heads] == list(rules)
    induction = found.heads[-1]
    assert induction.score > 0.99
    assert induction.chance == pytest.approx(sum(1 / n for n in range(12, 22)) / 10)  # keys of the second round
    assert all(role.role != "next" for head in found.heads for role in head.roles)  # nothing to the right is open


def test_a_far_reading_head_is_long_range_and_its_distance_says_so() -> None:
    found = atlas(BuiltEncoder([to_far, at_offset(-1), even]))
    far, near, uniform = found.heads
    assert (far.role, near.role) == ("long-range", "previous")
    assert near.distance < found.uniform_distance < far.distance
    assert uniform.distance == pytest.approx(found.uniform_distance)
    assert (uniform.entropy, uniform.evenness) == pytest.approx((found.uniform_entropy, 1.0))


def test_a_relation_names_only_the_head_that_beats_every_offset() -> None:
    model = BuiltDecoder([at_offset(-1), gold_rule("subject-verb", BuiltDecoder([even])), even])
    found = atlas(model, relations=relation_table(model, CHOOSING, SCORING))
    assert [head.role for head in found.heads] == ["previous", "subject-verb", "broad"]
    assert found.at(0, 1).finds == ("subject-verb",)
    assert found.at(0, 0).finds == ()
    previous = {role.role: role for role in found.at(0, 0).roles}
    # An adjective stands right before its noun: the head reads it, yet so does the offset.
    assert previous["adjective-noun"].lift > previous["previous"].lift - 0.01
    assert not previous["adjective-noun"].may_name
    assert "subject-verb (due)" in previous


def test_scores_entropy_and_distance_are_loops_over_the_words() -> None:
    model = BuiltEncoder([even])
    ids, present, special = encoded_texts(model, TEXTS[:6])
    scores = torch.randn(len(ids), ids.shape[1], ids.shape[1], generator=torch.Generator().manual_seed(1))
    trace = model(ids, mask=present)
    mask = trace.blocks[0].attention.mask
    rows = rows_of(3 * scores, mask)
    head = atlas_of(with_heads(trace, [rows[:, None]]), present=present, special=special).heads[0]
    entropies, distances, words = [], [], 0
    kinds: dict[str, list[tuple[float, float]]] = {
        "previous": [],
        "next": [],
        "special": [],
        "duplicate": [],
        "long-range": [],
    }
    for text in range(len(ids)):
        n = int(present[text].sum())
        for q in range(1, n - 1):  # between [CLS] and [SEP]
            words += 1
            row = rows[text, q, :n].tolist()
            entropies.append(-sum(w * math.log(w) for w in row if w > 0))
            distances.append(sum(w * abs(k - q) for k, w in enumerate(row)))
            wanted = {"previous": {q - 1}, "next": {q + 1}, "special": {0, n - 1}}
            wanted["duplicate"] = {k for k in range(n) if k != q and ids[text, k] == ids[text, q]}
            wanted["long-range"] = {k for k in range(1, n - 1) if abs(k - q) >= FAR}
            for kind, keys in wanted.items():
                if keys:
                    kinds[kind].append((sum(row[k] for k in keys), len(keys) / n))
    assert head.entropy == pytest.approx(sum(entropies) / words, abs=1e-5)
    assert head.distance == pytest.approx(sum(distances) / words, abs=1e-5)
    got = {role.role: role for role in head.roles}
    for kind, found in kinds.items():
        assert got[kind].per_text == pytest.approx(len(found) / len(ids)), kind
        assert got[kind].score == pytest.approx(sum(score for score, _ in found) / len(found), abs=1e-5), kind
        assert got[kind].chance == pytest.approx(sum(chance for _, chance in found) / len(found), abs=1e-5), kind


def test_chance_is_what_a_uniform_head_scores() -> None:
    model = BuiltDecoder([even])
    repeated = repeated_tokens(words_of(model), 8, 6, torch.Generator().manual_seed(0), begin=2)
    found = atlas(model, relations=relation_table(model, CHOOSING, SCORING), repeated=repeated)
    assert {"previous", "first", "same", "duplicate", "long-range", "induction", "subject-verb"} <= {
        role.role for role in found.heads[0].roles
    }
    for role in found.heads[0].roles:
        assert role.score == pytest.approx(role.chance, abs=1e-6), role.role


def test_the_rule_is_where_it_says() -> None:
    assert MeasuredRole("first", 0.6, 0.2, 3.0).lift == pytest.approx(0.5)
    assert MeasuredRole("first", 0.6, 0.2, 3.0).explains == pytest.approx(1.2)
    assert MeasuredRole("first", 1.0, 1.0, 3.0).lift == 0.0
    assert ("0.4" in RULE, "0.9" in RULE) == (True, True)

    def share(value: float):
        def rule(ids, mask):
            n = mask[:, 0].sum(-1, keepdim=True).expand(len(ids), -1, 1)
            scores = torch.zeros(len(ids), ids.shape[1], ids.shape[1])
            wanted = (value + (1 - value) / n).clamp(max=1 - 1e-6)  # the weight of a lift of `value`, row by row
            scores[:, :, 0:1] = torch.log(wanted * (n - 1).clamp(min=1) / (1 - wanted))
            return scores

        return rule

    heads = atlas(BuiltDecoder([share(0.41), share(0.39)])).heads
    lifts = [next(role.lift for role in head.roles if role.role == "first") for head in heads]
    assert lifts == pytest.approx([0.41, 0.39], abs=1e-3)
    assert [head.role == "first" for head in heads] == [True, False]


def test_of_several_roles_the_one_that_explains_most_names_the_head() -> None:
    model = BuiltDecoder([even])
    ids, present, special = encoded_texts(model, TEXTS[:4])
    trace = model(ids, mask=present)
    narrow, wide = MeasuredRole("narrow", 0.9, 0.1, 1.0), MeasuredRole("wide", 0.6, 0.1, 4.0)
    weak, barred = MeasuredRole("weak", 0.45, 0.1, 9.0), MeasuredRole("barred", 0.9, 0.1, 9.0, may_name=False)

    def named(*roles: MeasuredRole) -> tuple[str, float, float]:
        head = atlas_of(trace, present=present, special=special, extra=[list(roles)]).heads[0]
        return head.role, head.score, head.chance

    assert named(narrow, wide, weak, barred) == ("wide", 0.6, 0.1)
    assert named(narrow, weak, barred) == ("narrow", 0.9, 0.1)
    assert named(weak, barred)[0] == "broad"


def test_repeated_tokens_repeat_once_and_never_within() -> None:
    ids, period = repeated_tokens(range(4, 30), 5, 8, torch.Generator().manual_seed(3), begin=2)
    assert (ids.shape, period) == ((5, 17), 8)
    assert ids[:, 0].tolist() == [2] * 5
    assert torch.equal(ids[:, 1:9], ids[:, 9:])
    assert all(len(set(row)) == 8 for row in ids[:, 1:9].tolist())
    with pytest.raises(ValueError, match="2 to 3 different words, got 4"):
        repeated_tokens(range(3), 1, 4, torch.Generator())


def test_induction_without_a_begin_token_and_in_two_layers() -> None:
    model = decoder(n_layers=2)
    ids, period = repeated_tokens(range(11), 4, 5, torch.Generator().manual_seed(0))
    found = head_atlas(model, ids, repeated=(ids, period))
    weights = [block.attention.weights.detach() for block in model(ids).blocks]
    for head in found.heads:
        score = next(role for role in head.roles if role.role == "induction")
        row = weights[head.layer][:, head.head]
        assert score.score == pytest.approx(float(sum(row[:, q, q - 4].sum() for q in range(5, 10)) / 20), abs=1e-6)
    assert [(head.layer, head.head) for head in found.heads] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert found.at(1, 0) is found.heads[2]


def test_json_brings_the_atlas_back() -> None:
    found = atlas(BuiltEncoder([at_offset(1), even]))
    assert Atlas.from_json(found.to_json()) == found


def test_relations_of_another_model_are_refused() -> None:
    table = relation_table(BuiltDecoder([even]), CHOOSING, SCORING)
    with pytest.raises(ValueError, match="those of this model"):
        atlas(BuiltDecoder([even, even]), relations=dataclasses.replace(table))
