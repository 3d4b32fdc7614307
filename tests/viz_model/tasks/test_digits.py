"""The hand-written digits: the right file, the right way up, nothing of it both trained and held out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from viz_model.models import VisionEncoder
from viz_model.models.vision import image_of
from viz_model.tasks.digits import DATA, Digits
from viz_model.tasks.names import make_task
from viz_model.training.recipe import recipes
from viz_model.training.trainer import Trainer

# The first line of the source's test file, optdigits.tes: a zero, row by row.
FIRST = """
0 0 5 13 9 1 0 0
0 0 13 15 10 15 5 0
0 3 15 2 0 11 8 0
0 4 12 0 0 8 8 0
0 5 8 0 0 9 8 0
0 4 11 0 1 12 7 0
0 2 14 5 10 12 0 0
0 0 6 13 10 0 0 0
"""


@pytest.fixture(scope="module")
def task() -> Digits:
    found = make_task("digits")
    assert isinstance(found, Digits)
    return found


def mean_image(task: Digits, digit: int) -> Tensor:
    images, labels = task.data
    return images[labels == digit].mean(0)


def test_the_file_is_the_sources() -> None:
    with np.load(DATA, allow_pickle=False) as file:
        images, labels = file["images"], file["labels"]
    assert images.shape == (1797, 8, 8)
    assert images.dtype == labels.dtype == np.uint8
    assert images.max() == 16
    assert images[0].tolist() == [[int(pixel) for pixel in line.split()] for line in FIRST.strip().split("\n")]
    assert np.bincount(labels).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]  # the source's table
    assert labels[:12].tolist() == [*range(10), 0, 1]
    about = Path(DATA).with_suffix(".txt").read_text(encoding="utf-8")
    assert "CC BY 4.0" in about
    assert "10.24432/C50P49" in about


def test_digits_stand_upright_and_are_not_mirrored(task: Digits) -> None:
    seven, six, nine = (mean_image(task, digit) for digit in (7, 6, 9))
    column = torch.arange(8.0)
    assert seven[0].sum() > 1.3 * seven[7].sum()  # the bar of a 7 is at its top
    slant = [(seven[rows] @ column).sum() / seven[rows].sum() for rows in (slice(0, 3), slice(5, 8))]
    assert slant[0] > slant[1] + 0.5  # and its stem runs down to the left
    assert six[4:].sum() > 1.1 * six[:4].sum()  # the bow of a 6 is below, that of a 9 above
    assert nine[:4].sum() > 1.1 * nine[4:].sum()
    one = mean_image(task, 1)
    assert one.sum(0).max() > 1.25 * one.sum(1).max()  # a 1 is a column, not a row


def test_patches_are_the_images(task: Digits) -> None:
    batch = task.ask(torch.tensor([0, 7]))
    images, labels = task.data
    assert batch.ids.shape == (2, 16, 4)
    assert torch.equal(image_of(batch.ids), images[[0, 7]])
    assert batch.answers.tolist() == labels[[0, 7]].tolist() == [0, 7]
    assert (batch.ids.min(), batch.ids.max()) == (0, 1)
    # 'row 0 column 1' of the first image, by eye: 5 13 over 13 15.
    assert (batch.ids[0, 1] * 16).tolist() == [5, 13, 13, 15]
    assert task.probe()[0].tokens[1] == "row 0 column 1"


def test_nothing_is_trained_on_and_held_out(task: Digits) -> None:
    training, held_out = task.split
    assert len(held_out) == 360
    assert sorted([*training.tolist(), *held_out.tolist()]) == list(range(1797))
    kept = {tuple(image) for image in task.held_out().ids.flatten(1).tolist()}
    trained: set[tuple[float, ...]] = set()
    for seed in range(60):
        trained |= {
            tuple(image) for image in task.batch(128, torch.Generator().manual_seed(seed)).ids.flatten(1).tolist()
        }
    assert len(trained) > 1_400  # nearly all of the 1437
    assert not trained & kept
    assert tuple(task.probe()[1].ids.flatten().tolist()) in kept
    assert min(Counter(task.held_out().answers.tolist()).values()) >= 25  # of each digit


def test_batches_are_the_generators_alone(task: Digits) -> None:
    torch.manual_seed(0)
    before = torch.random.get_rng_state()
    one, two, other = (task.batch(16, torch.Generator().manual_seed(seed)) for seed in (1, 1, 2))
    assert torch.equal(one.ids, two.ids)
    assert torch.equal(one.answers, two.answers)
    assert not torch.equal(one.ids, other.ids)
    assert torch.equal(torch.random.get_rng_state(), before)
    assert torch.equal(task.held_out().ids, Digits().held_out().ids)


def test_one_answer_an_image(task: Digits) -> None:
    class Always(torch.nn.Module):
        def logits(self, ids: Tensor) -> Tensor:
            return torch.eye(10)[3].expand(len(ids), 10)

    share = (task.held_out().answers == 3).double().mean().item()
    assert task.accuracy(Always()) == pytest.approx(share)
    assert task.figures(Always()) == {"digits named right": pytest.approx(share)}
    expected = -torch.log_softmax(torch.eye(10)[3], 0)[task.held_out().answers].mean()
    assert task.loss(Always(), task.held_out()).item() == pytest.approx(expected.item())


def test_the_recipe_learns_and_shows_its_picture(task: Digits) -> None:
    trainer = Trainer(recipes["digits"], task)
    assert isinstance(trainer.model, VisionEncoder)
    assert trainer.task.accuracy(trainer.model) < 0.3
    for _ in range(60):
        snapshot = trainer.advance(watched=trainer.step == 0)
        if snapshot.picture:
            assert snapshot.picture.attention["self"].shape == (2, 4, 16, 16)
    assert task.accuracy(trainer.model.eval()) > 0.75  # the whole recipe, 400 steps: above .97
