from __future__ import annotations

import dataclasses

import pytest
import torch

from tests.viz_model.analysis.small_models import IDS, VARIANTS, decoder, encoder
from viz_model import masks
from viz_model.analysis import RoleScore, head_roles
from viz_model.analysis.roles import role_patterns, role_scores
from viz_model.attention import masked_softmax
from viz_model.edits import UniformHead
from viz_model.models import ModelTrace

N = 6


def trace_with(heads: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor) -> ModelTrace:
    """A trace whose only layer has these weights [batch, head, query, key]."""
    model = encoder(n_layers=1)
    trace = model(ids, mask=mask)
    attention = dataclasses.replace(trace.blocks[0].attention, weights=heads)
    return dataclasses.replace(trace, blocks=(dataclasses.replace(trace.blocks[0], attention=attention),))


def sharp(pattern: torch.Tensor, mask: torch.Tensor, strength: float = 8.0) -> torch.Tensor:
    return masked_softmax(strength * pattern[None, None].float(), mask)


@pytest.mark.parametrize("causal", [True, False])
def test_made_up_heads_are_named_for_what_they_do(causal: bool) -> None:
    mask = masks.causal(N) if causal else masks.full(N)
    ids = torch.tensor([[3, 1, 4, 3, 1, 9]])
    step = torch.arange(N)[None, :] - torch.arange(N)[:, None]
    wanted = {
        "previous": step == -1,
        "next": step == 1,
        "first": (torch.arange(N) == 0).expand(N, N),
        "same": ids[0, :, None] == ids[0, None, :],
        "broad": torch.zeros(N, N),
        "mixed": (torch.arange(N) == 2).expand(N, N),
    }
    heads = torch.cat([sharp(pattern, mask) for pattern in wanted.values()], dim=1)
    got = {name: role for name, role in zip(wanted, head_roles(trace_with(heads, ids, mask))[0], strict=True)}
    names = {name: role.role for name, role in got.items()}
    if causal:  # nothing comes next that could be read: that head's rows are even
        assert names.pop("next") == "broad"
    assert names == {name: name for name in names}
    assert got["previous"].score > 0.95
    assert got["broad"].score == pytest.approx(1.0)
    assert got["mixed"].chance == 1.0
    if causal:  # queries 1 to 5 have 2 to 6 keys, one of them the previous one
        assert got["previous"].chance == pytest.approx(sum(1 / n for n in range(2, 7)) / 5)
    else:
        assert got["previous"].chance == got["next"].chance == pytest.approx(1 / 6)
        assert got["same"].chance == pytest.approx((4 * 2 + 2 * 1) / 36)


def test_scores_are_a_loop_over_queries_and_chance_is_the_uniform_heads_score() -> None:
    model = decoder(n_layers=3)
    trace = model(IDS)
    even = model(IDS, edits=tuple(UniformHead(i, h) for i in range(3) for h in range(2)))
    found = 0
    for layer, block in enumerate(trace.blocks):
        sharper = dataclasses.replace(
            block.attention, weights=masked_softmax(9 * block.attention.scores, block.attention.mask)
        )
        one = dataclasses.replace(trace, blocks=(dataclasses.replace(block, attention=sharper),))
        for head, role in enumerate(head_roles(one)[0]):
            if role.role not in ("previous", "first"):
                continue
            found += 1
            for weights, expected in (
                (sharper.weights, role.score),
                (even.blocks[layer].attention.weights, role.chance),
            ):
                keys = [(q, q - 1 if role.role == "previous" else 0) for q in range(1, N)]
                mean = sum(weights[0, head, q, k].item() for q, k in keys) / len(keys)
                assert mean == pytest.approx(expected, abs=1e-6)
    assert found > 0


@pytest.mark.parametrize("changes", VARIANTS)
def test_a_uniform_head_is_broad_with_no_lift(changes) -> None:
    model = decoder(**changes)
    edits = tuple(UniformHead(i, h) for i in range(model.config.n_layers) for h in range(2))
    roles = head_roles(model(IDS, edits=edits))
    assert len(roles) == model.config.n_layers
    assert all(role.role == "broad" and role.score == pytest.approx(1.0) for layer in roles for role in layer)


def test_lift_is_the_share_of_the_way_from_chance_to_1() -> None:
    assert RoleScore("first", 0.6, 0.2).lift == pytest.approx(0.5)
    assert RoleScore("first", 1.0, 0.2).lift == pytest.approx(1.0)
    assert RoleScore("first", 0.1, 0.2).lift < 0
    assert RoleScore("same", 1.0, 1.0).lift == 0.0


def test_the_threshold_is_where_it_says() -> None:
    mask, first = masks.full(4), (torch.arange(4) == 0).expand(4, 4).float()
    ids = torch.tensor([[1, 2, 3, 4]])
    for share, role in ((0.56, "first"), (0.54, "mixed")):  # chance 1/4: a lift of .4 is a weight of .55
        rest = torch.tensor([0.0, (1 - share) * 0.7, (1 - share) * 0.15, (1 - share) * 0.15])
        heads = (first * share + rest)[None, None]
        assert head_roles(trace_with(heads, ids, mask))[0][0].role == role


def test_broad_is_from_nine_tenths_of_the_entropy_on() -> None:
    mask, ids = masks.full(4), torch.tensor([[1, 2, 3, 4]])
    for share, role in ((0.48, "broad"), (0.5, "mixed")):  # .9115 and .8962 of ln 4
        row = torch.tensor([(1 - share) / 3, share, (1 - share) / 3, (1 - share) / 3])
        got = head_roles(trace_with(row.expand(1, 1, 4, 4), ids, mask))[0][0]
        assert (got.role, got.chance) == (role, 1.0)
        assert got.score == pytest.approx(float(-(row * row.log()).sum() / torch.tensor(4.0).log()))


def test_padding_neither_counts_as_a_key_nor_as_a_query() -> None:
    present = torch.tensor([[True, True, True, True, False, False]])
    mask = masks.full(N) & masks.padding(present)
    step = torch.arange(N)[None, :] - torch.arange(N)[:, None]
    heads = torch.cat((sharp(step == -1, mask), sharp(torch.zeros(N, N), mask)), dim=1)
    heads[:, :, 4:] = torch.tensor([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])  # what padding reads is nobody's business
    padded = head_roles(trace_with(heads, IDS, mask), present=present)[0]
    alone = head_roles(trace_with(heads[..., :4, :4], IDS[:, :4], masks.full(4)))[0]
    for got, expected in zip(padded, alone, strict=True):
        assert got.role == expected.role
        assert (got.score, got.chance) == pytest.approx((expected.score, expected.chance))


def test_a_head_that_reads_special_tokens_is_named_so_where_they_are_known() -> None:
    mask, special = masks.full(N), [True, False, False, True, False, True]
    heads = sharp(torch.tensor(special).expand(N, N), mask)
    trace = trace_with(heads, torch.tensor([[0, 7, 8, 2, 9, 2]]), mask)
    role = head_roles(trace, special=special)[0][0]
    assert (role.role, role.chance) == ("special", pytest.approx(0.5))
    assert head_roles(trace)[0][0].role == "mixed"
    with pytest.raises(ValueError, match="expected one for each of 6 tokens"):
        head_roles(trace, special=special[:5])


def test_one_token_leaves_no_choice() -> None:
    assert head_roles(decoder()(IDS[:, :1]))[1] == (RoleScore("one key", 1.0, 1.0),) * 2


def test_a_batch_counts_every_row_of_every_text() -> None:
    ids = torch.tensor([[3, 1, 4, 1, 5, 9], [2, 2, 2, 3, 5, 8]])
    block = decoder()(ids).blocks[0].attention
    pattern = role_patterns(ids)["same"]
    scores, chance = role_scores(block.weights, block.mask, pattern)
    ones = [role_scores(block.weights[i : i + 1], block.mask, pattern[i : i + 1]) for i in range(2)]
    assert scores == pytest.approx([(a + b) / 2 for a, b in zip(ones[0][0], ones[1][0], strict=True)])
    assert chance == pytest.approx((ones[0][1] + ones[1][1]) / 2)
    by_hand = [sum(1 for k in range(q + 1) if ids[1, k] == ids[1, q]) / (q + 1) for q in range(1, N)]
    assert ones[1][1] == pytest.approx(sum(by_hand) / 5)
