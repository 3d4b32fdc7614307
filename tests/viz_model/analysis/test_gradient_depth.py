"""Gradient norms against finite differences in double precision, and against torch's own clipping."""

import math

import pytest
import torch
import torch.nn.functional as F

from tests.viz_model.analysis.small_models import IDS, TARGET_IDS, VARIANTS, config, decoder, encoder_decoder
from viz_model import masks
from viz_model.analysis import GradientByDepth, gradient_by_depth
from viz_model.blocks import Reading
from viz_model.models import Decoder

ANSWERS = torch.tensor([7, 2, 5, 0, 9, 3])
STEP = 1e-5
DEEP = [changes for changes in VARIANTS if changes.get("n_layers") != 0]


def loss(model):
    return F.cross_entropy(model.logits(IDS)[0], ANSWERS)


def from_layer(model, layer, stream):
    """The loss, given what enters `layer`: the blocks by hand, no trace and no autograd."""
    n = stream.shape[1]
    reading = Reading(masks.causal(n), model.stack.positions.rotate, model.stack.positions.bias(n))
    for block in list(model.stack.blocks)[layer:]:
        stream = block(stream, reading).resid_post
    return F.cross_entropy(model.unembed(model.stack.final_norm(stream))[0], ANSWERS).item()


def differences(value, tensor):
    """The norm of d value / d tensor by central differences, entry by entry."""
    flat, total = tensor.view(-1), 0.0
    for i in range(len(flat)):
        kept = flat[i].item()
        flat[i] = kept + STEP
        above = value()
        flat[i] = kept - STEP
        below = value()
        flat[i] = kept
        total += ((above - below) / (2 * STEP)) ** 2
    return math.sqrt(total)


@pytest.mark.parametrize(
    "changes", [{}, {"norm_place": "post"}, {"norm": "none"}, {"residual": False, "norm": "rms", "position": "rotary"}]
)
def test_norms_at_the_stream_and_at_the_weights_are_those_of_finite_differences(changes) -> None:
    model = decoder(**{"d_model": 4, "d_ff": 6, **changes}).double()
    found = gradient_by_depth(model, loss)
    trace = model(IDS)
    with torch.no_grad():
        for layer, block in enumerate(trace.blocks):
            stream = block.resid_pre.clone()
            expected = differences(lambda at=layer, x=stream: from_layer(model, at, x), stream)
            assert found.stream[layer] == pytest.approx(expected, rel=1e-6)
        last = trace.blocks[-1].resid_post.clone()
        assert found.stream[-1] == pytest.approx(differences(lambda: from_layer(model, 2, last), last), rel=1e-6)
        for layer, block in enumerate(model.stack.blocks):
            parts = [differences(lambda: loss(model).item(), w.data) for w in block.parameters()]
            assert found.weights[layer] == pytest.approx(math.hypot(*parts), rel=1e-6)
    assert found.loss == pytest.approx(loss(model).item())


@pytest.mark.parametrize("changes", DEEP)
def test_the_total_is_what_clipping_measures_on_the_training_path(changes) -> None:
    model = Decoder(config(**changes), seed=3)
    found = gradient_by_depth(model, loss)
    loss(model).backward()
    clipped = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0).item()
    assert found.total == pytest.approx(clipped, rel=1e-4)
    assert len(found.stream) == len(found.weights) + 1 == model.config.n_layers + 1
    assert found.first_to_last == found.stream[0] / found.stream[-1]
    assert math.hypot(*found.weights) < found.total


def test_the_model_is_left_as_it_was_even_in_inference_mode() -> None:
    model = decoder()
    with torch.inference_mode():
        found = gradient_by_depth(model, loss)
    assert found.total > 0
    assert all(parameter.grad is None for parameter in model.parameters())


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_either_stack_of_two(stack) -> None:
    model = encoder_decoder()

    def pair_loss(m):
        return F.cross_entropy(m.logits(IDS, TARGET_IDS)[0], ANSWERS[:4])

    found = gradient_by_depth(model, pair_loss, stack=stack)
    assert len(found.weights) == {"encoder": 2, "decoder": 3}[stack]
    pair_loss(model).backward()
    expected = [
        math.sqrt(sum(w.grad.square().sum().item() for w in block.parameters()))
        for block in getattr(model, stack).blocks
    ]
    assert found.weights == pytest.approx(expected, rel=1e-4)


def test_what_vanishes_is_measured_below_the_smallest_float32_square() -> None:
    model = decoder(n_layers=2, norm="none")
    with torch.no_grad():
        model.unembed.weight.mul_(1e-25)
    found = gradient_by_depth(model, loss)
    assert 0 < found.stream[0] < 1e-20


def test_what_explodes_is_said_to() -> None:
    model = decoder(norm="none")
    with torch.no_grad():
        model.stack.blocks[0].feed_forward.w_out.weight.fill_(float("inf"))
    assert not math.isfinite(gradient_by_depth(model, loss).total)


def test_no_layers_no_depth() -> None:
    with pytest.raises(ValueError, match="model: expected at least one layer, got none"):
        gradient_by_depth(decoder(n_layers=0), loss)


def test_results_through_json_and_back() -> None:
    found = gradient_by_depth(decoder(), loss)
    assert GradientByDepth.from_json(found.to_json()) == found
