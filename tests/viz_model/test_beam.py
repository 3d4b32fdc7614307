"""Beam search: against greedy writing, against every sequence there is, and each number against one full pass."""

from __future__ import annotations

from itertools import product

import pytest
import torch

import viz_model as vm
from tests.viz_model.analysis.small_models import IDS, TARGET_IDS, decoder, encoder, encoder_decoder
from viz_model.beam import BeamTree, beam_search
from viz_model.edits import AblateHead
from viz_model.generation import generate
from viz_model.sampling import Sampling

GREEDY = Sampling(temperature=0)
STOP = 0
TINY = 3  # words, one of which ends a text
LONGEST = 4


def greedy(model, ids, target_ids=None, *, n: int, stop: int | None = STOP) -> tuple[int, ...]:
    steps = generate(model, ids, n=n, sampling=GREEDY, stop=stop, target_ids=target_ids)
    return tuple(step.chosen for step in steps)


def log_probability(model, written: tuple[int, ...], ids, target_ids=None) -> torch.Tensor:
    """Of each written token, from one full pass over all of them."""
    given = ids if target_ids is None else target_ids
    whole = torch.cat((given, torch.tensor([written])), dim=1)
    logits = model.logits(whole) if target_ids is None else model.logits(ids, whole)
    found = logits[0, given.shape[1] - 1 : -1].double().log_softmax(-1)
    return found[range(len(written)), list(written)].detach()


def every_text(n: int) -> list[tuple[int, ...]]:
    """All texts of a vocabulary of TINY words that end with the stop word within n tokens."""
    others = [word for word in range(TINY) if word != STOP]
    return [(*words, STOP) for length in range(n) for words in product(others, repeat=length)]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("penalty", [0.0, 1.0])
def test_width_1_is_greedy(seed: int, penalty: float) -> None:
    one, two = decoder(seed), encoder_decoder(seed)
    stop = greedy(one, IDS, n=5, stop=None)[3]
    for n in (1, 5, 100):
        tree = beam_search(one, IDS, width=1, n=n, stop=stop, length_penalty=penalty)
        assert tree.ids(tree.best) == greedy(one, IDS, n=n, stop=stop)
        tree = beam_search(two, IDS, target_ids=TARGET_IDS, width=1, n=n, stop=STOP, length_penalty=penalty)
        assert tree.ids(tree.best) == greedy(two, IDS, TARGET_IDS, n=n)
        assert len(tree.nodes) == len(tree.ids(tree.best))


def tiny(seed: int):
    return encoder_decoder(seed, vocab_size=TINY), torch.tensor([[1, 2, 1]]), torch.tensor([[2]])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("penalty", [0.0, 1.0, 2.0])
def test_a_beam_wide_enough_finds_the_best_of_all_texts(seed: int, penalty: float) -> None:
    model, ids, start = tiny(seed)

    def score(text: tuple[int, ...]) -> float:
        return float(log_probability(model, text, ids, start).sum()) / ((5 + len(text)) / 6) ** penalty

    texts = sorted(every_text(LONGEST), key=score, reverse=True)
    tree = beam_search(model, ids, target_ids=start, width=99, n=LONGEST, stop=STOP, length_penalty=penalty)
    assert [tree.ids(node) for node in tree.finished] == texts
    for node in tree.finished:
        assert node.score == pytest.approx(score(tree.ids(node)), abs=1e-5)


def test_it_finds_a_better_text_than_greedy_where_there_is_one() -> None:
    better = 0
    for seed in range(12):
        model, ids, start = tiny(seed)
        totals = {text: float(log_probability(model, text, ids, start).sum()) for text in every_text(LONGEST)}
        own = greedy(model, ids, start, n=LONGEST)
        best = max(totals, key=lambda text: totals[text])
        tree = beam_search(model, ids, target_ids=start, width=4, n=LONGEST, stop=STOP)
        if own[-1] == STOP and totals[best] > totals[own] + 1e-3:
            better += tree.best.total > totals[own] + 1e-3
            assert tree.best.total <= totals[best] + 1e-5
    assert better >= 1


def test_a_longer_text_wins_only_under_the_penalty() -> None:
    """Two finished texts of a tree change places as Wu et al.'s formula says."""
    changed = 0
    for seed in range(12):
        model, ids, start = tiny(seed)
        plain, strong = (
            beam_search(model, ids, target_ids=start, width=6, n=6, stop=STOP, length_penalty=penalty)
            for penalty in (0.0, 3.0)
        )
        lengths = [len(tree.ids(tree.best)) for tree in (plain, strong)]
        assert lengths[0] <= lengths[1]
        changed += lengths[0] < lengths[1]
    assert changed >= 1


def check(tree: BeamTree, model, ids, target_ids=None) -> None:
    for node in tree.nodes:
        written = tree.ids(node)
        found = log_probability(model, written, ids, target_ids)
        assert [one.log_probability for one in tree.path(node)] == pytest.approx(found.tolist(), abs=1e-5)
        assert node.total == pytest.approx(float(found.sum()), abs=1e-5)
        assert len(written) == node.depth + 1
        assert node.parent is None or (tree.nodes[node.parent].kept and not tree.nodes[node.parent].finished)
    held: set[int] = set()
    for depth in range(tree.nodes[-1].depth + 1):
        level = [node for node in tree.nodes if node.depth == depth]
        kept, pruned = ([node.total for node in level if node.kept == is_kept] for is_kept in (True, False))
        assert max(pruned, default=-1e9) <= min(kept)
        assert len(kept) + len(held) <= tree.width
        held |= {node.index for node in level if node.finished}
    assert held == {node.index for node in tree.finished}


@pytest.mark.parametrize("width", [2, 3, 5])
def test_every_number_of_the_tree_is_that_of_one_full_pass(width: int) -> None:
    one, two = decoder(1), encoder_decoder(2)
    check(beam_search(one, IDS, width=width, n=5, stop=greedy(one, IDS, n=3, stop=None)[2]), one, IDS)
    check(beam_search(two, IDS, target_ids=TARGET_IDS, width=width, n=6, stop=STOP), two, IDS, TARGET_IDS)


def test_stepwise_writing_has_the_logits_of_one_full_pass() -> None:
    model = vm.load("english-french")
    ids = torch.tensor([model.tokenizer.encode("the black cat sees the old horse").ids])
    start = torch.tensor([[model.target_tokenizer.id("[BOS]")]])
    steps = list(generate(model, ids, n=20, sampling=GREEDY, stop=model.target_tokenizer.id("[EOS]"), target_ids=start))
    whole = model.logits(ids, torch.cat((start, torch.tensor([[step.chosen for step in steps]])), dim=1))[0]
    for step in steps:
        torch.testing.assert_close(step.distribution.logits, whole[step.index], atol=1e-5, rtol=1e-5)
    assert model.target_tokenizer.decode([step.chosen for step in steps[:3]]) == "le chat noir"


def test_one_forward_a_depth(monkeypatch: pytest.MonkeyPatch) -> None:
    model, calls = encoder_decoder(), []
    forward = model.forward

    def counted(ids, target_ids, **options):
        calls.append(len(target_ids))
        return forward(ids, target_ids, **options)

    monkeypatch.setattr(model, "forward", counted)
    tree = beam_search(model, IDS, target_ids=TARGET_IDS, width=4, n=5)
    assert calls == [1, 4, 4, 4, 4]
    assert [len(tree.finished), len(tree.open)] == [0, 4]
    assert tree.best == tree.open[0]


def test_a_full_context_ends_it() -> None:
    tree = beam_search(decoder(), IDS, width=2, n=100)
    assert tree.nodes[-1].depth == 6  # 12 positions, 6 given, and what the 12th says
    assert len(tree.open) == 2


def test_edits_change_the_tree() -> None:
    model, edits = encoder_decoder(), (AblateHead(0, 1, stack="decoder", attention="cross"),)
    tree = beam_search(model, IDS, target_ids=TARGET_IDS, width=2, n=3, edits=edits)
    first = model(IDS, TARGET_IDS, edits=edits).logits[0, -1].double().log_softmax(-1)
    assert tree.nodes[0].log_probability == pytest.approx(float(first.max()), abs=1e-6)
    assert tree.nodes[0].log_probability != beam_search(model, IDS, target_ids=TARGET_IDS, width=2, n=3).nodes[0].total


def test_wrong_calls_say_what_was_expected() -> None:
    with pytest.raises(TypeError, match="Encoder"):
        beam_search(encoder(), IDS, width=2, n=2)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="width: expected at least 1"):
        beam_search(decoder(), IDS, width=0, n=2)
    with pytest.raises(ValueError, match="n: expected at least 1"):
        beam_search(decoder(), IDS, width=1, n=0)
    with pytest.raises(ValueError, match="length_penalty"):
        beam_search(decoder(), IDS, width=1, n=1, length_penalty=-1)
    with pytest.raises(ValueError, match="target_ids"):
        beam_search(encoder_decoder(), IDS, width=1, n=1)
    with pytest.raises(ValueError, match="one text"):
        beam_search(decoder(), IDS.expand(2, -1), width=1, n=1)
