"""Writing on: each step against a full pass, and the ways in which it ends."""

from __future__ import annotations

import pytest
import torch

from tests.viz_model.analysis.small_models import IDS, TARGET_IDS, decoder, encoder, encoder_decoder
from viz_model.edits import AblateHead
from viz_model.generation import generate
from viz_model.sampling import Sampling, token_distribution

GREEDY = Sampling(temperature=0)


def test_greedy_is_a_loop_of_argmax_and_its_logits_are_one_full_pass() -> None:
    model, written = decoder(), IDS.clone()
    steps = list(generate(model, IDS, n=5, sampling=GREEDY))
    for step in steps:
        logits = model.logits(written)[0, -1]
        assert step.chosen == int(logits.argmax())
        assert step.draw is None
        written = torch.cat((written, torch.tensor([[step.chosen]])), dim=1)
    whole = model(written).logits[0]
    for step in steps:
        n = IDS.shape[1] + step.index
        assert step.trace.ids.tolist() == written[:, :n].tolist()
        torch.testing.assert_close(step.trace.logits[0], whole[:n], atol=1e-5, rtol=1e-5)
        assert torch.equal(step.distribution.logits, step.trace.logits[0, -1])


def test_an_encoder_decoder_writes_its_target() -> None:
    model, written = encoder_decoder(), TARGET_IDS.clone()
    for step in generate(model, IDS, target_ids=TARGET_IDS, n=4, sampling=GREEDY):
        assert step.trace.decoder.ids.tolist() == written.tolist()
        assert step.trace.encoder.ids.tolist() == IDS.tolist()
        assert step.chosen == int(model.logits(IDS, written)[0, -1].argmax())
        written = torch.cat((written, torch.tensor([[step.chosen]])), dim=1)
    assert written.shape == (1, 8)


def test_a_seed_draws_the_same_tokens_and_leaves_the_global_generator_alone() -> None:
    model = decoder()

    def chosen(seed: int) -> list[int]:
        return [step.chosen for step in generate(model, IDS, n=6, sampling=Sampling(temperature=2.0), seed=seed)]

    before = torch.get_rng_state()
    runs = [chosen(seed) for seed in range(6)]
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(5)
    assert [chosen(seed) for seed in range(6)] == runs
    assert len({tuple(run) for run in runs}) > 3


def test_the_drawn_token_is_where_the_draw_falls() -> None:
    for step in generate(decoder(), IDS, n=6, sampling=Sampling(temperature=1.5, top_k=4, top_p=0.9), seed=3):
        assert step.draw is not None
        below = 0.0
        for row in step.distribution.candidates(11):
            if below <= step.draw < below + row.final:
                assert step.chosen == row.id
            below += row.final
        again = token_distribution(step.trace.logits[0, -1], Sampling(temperature=1.5, top_k=4, top_p=0.9))
        assert torch.equal(again.final, step.distribution.final)


def test_draws_follow_the_distribution() -> None:
    model, n = decoder(), 400
    final = token_distribution(model(IDS).logits[0, -1], Sampling(top_k=3)).final
    counts = torch.zeros(len(final))
    for seed in range(n):
        counts[next(generate(model, IDS, n=1, sampling=Sampling(top_k=3), seed=seed)).chosen] += 1
    deviation = (final * (1 - final) * n).sqrt()
    assert ((counts - n * final).abs() <= 4 * deviation).all()


def test_it_says_why_it_ends() -> None:
    model = decoder()
    greedy = [step.chosen for step in generate(model, IDS, n=6, sampling=GREEDY)]

    def reasons(n: int, stop: int | None = None) -> list[str | None]:
        return [step.reason for step in generate(model, IDS, n=n, sampling=GREEDY, stop=stop)]

    assert reasons(3) == [None, None, "n"]
    assert reasons(100) == [None] * 6 + ["context"]  # 12 positions of context, 6 given, and what the 12th says
    assert reasons(7) == [None] * 6 + ["n"]
    first = greedy.index(greedy[2])
    assert reasons(6, stop=greedy[2]) == [None] * first + ["stop"]
    assert reasons(1, stop=greedy[0]) == ["stop"]
    full = torch.zeros(1, 12, dtype=torch.long)
    assert [step.reason for step in generate(model, full, n=3, sampling=GREEDY)] == ["context"]


def test_edits_reach_every_step() -> None:
    edits = (AblateHead(0, 1), AblateHead(1, 0))
    for step in generate(decoder(), IDS, n=3, sampling=GREEDY, edits=edits):
        assert step.trace.blocks[0].attention.heads[0, 1].abs().sum() == 0
        assert step.trace.blocks[1].attention.heads[0, 0].abs().sum() == 0
        assert step.trace.blocks[1].attention.heads[0, 1].abs().sum() > 0


def test_the_caller_does_not_stay_in_inference_mode() -> None:
    steps = generate(decoder(), IDS, n=3)
    for _ in range(2):
        assert next(steps).trace.logits.is_inference()
        assert not torch.is_inference_mode_enabled()
        assert torch.is_grad_enabled()


def test_wrong_calls_say_what_was_expected_before_the_first_step() -> None:
    with pytest.raises(TypeError, match="Encoder"):
        generate(encoder(), IDS, n=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="n: expected at least 1"):
        generate(decoder(), IDS, n=0)
    with pytest.raises(ValueError, match="one text"):
        generate(decoder(), IDS.expand(2, -1), n=1)
    with pytest.raises(ValueError, match="target_ids"):
        generate(encoder_decoder(), IDS, n=1)
    with pytest.raises(ValueError, match="target_ids"):
        generate(decoder(), IDS, n=1, target_ids=TARGET_IDS)
    with pytest.raises(ValueError, match="context_length"):
        next(generate(decoder(), torch.zeros(1, 13, dtype=torch.long), n=1))
