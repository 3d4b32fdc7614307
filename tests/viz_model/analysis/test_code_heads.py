"""What is measured of the heads of the code model, with heads that are built to read in a known way."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor

from viz_model.analysis.code_heads import CodeHeads, measure, nearest_opening
from viz_model.analysis.code_reading import bracket_links, characters_of
from viz_model.tasks.code import Code
from viz_model.training.studies import MADE, kept

LINES = ["def f(a):", "    return g(a, (b))", "", "    x = [1]", "    y = f(g(x))", ""]
TEXT = "\n".join(LINES * 40)
FILES = {"argparse": TEXT, "bisect": TEXT[7:] + TEXT, "csv": TEXT[3:]}


class Reader:
    """One layer: a head that reads the bracket that is closed, one that reads the nearest opening one, and one that
    always reads two characters back."""

    def __init__(self, task: Code) -> None:
        self.characters = characters_of(task.tokenizer, range(task.tokenizer.vocab_size))

    def __call__(self, ids: Tensor) -> Any:
        n, width = ids.shape
        weights = torch.zeros(n, 3, width, width)
        for row, of in enumerate(ids.tolist()):
            text = [self.characters[i] for i in of]
            pairs = dict(bracket_links(text))
            for at in range(width):
                weights[row, 0, at, pairs.get(at, at)] = 1
                weights[row, 1, at, max(nearest_opening(text, at), 0)] = 1
                weights[row, 2, at, max(at - 2, 0)] = 1
        return SimpleNamespace(blocks=[SimpleNamespace(attention=SimpleNamespace(weights=weights))])


@pytest.fixture(scope="module")
def task() -> Code:
    return Code(FILES, window=64)


@pytest.fixture(scope="module")
def found(task: Code) -> CodeHeads:
    return measure(Reader(task), task)


def counted(task: Code) -> tuple[int, int, int]:
    """Closing brackets of the odd windows, those whose opening one is the nearest, and those two characters on."""
    by_id = characters_of(task.tokenizer, range(task.tokenizer.vocab_size))
    total = near = two = 0
    for row in task.every_window().ids.tolist()[1::2]:
        text = "".join(by_id[i] or "¤" for i in row)
        for closing, opening in bracket_links(text):
            total += 1
            near += max(text.rfind(one, 0, closing) for one in "([{") == opening
            two += closing - opening == 2
    return total, near, two


def test_the_head_of_brackets_is_the_one_that_was_built_to_be(task: Code, found: CodeHeads) -> None:
    total, near, two = counted(task)
    link = found.of("bracket")
    assert (link.layer, link.head, link.exact, link.n) == (0, 0, 1.0, total)
    assert link.weights[0] == pytest.approx((1.0, near / total, two / total))
    assert (link.distance, link.fixed) == (2, pytest.approx(two / total))
    assert 0 < link.chance < link.fixed
    assert found.nearest == pytest.approx(near / total)
    assert (found.n_nested, found.nested) == (total - near, 1.0)
    assert [one.low for one in found.by_distance] == [1, 10, 20]
    assert sum(one.n for one in found.by_distance) == total
    assert found.files == 2


def test_a_reader_of_the_nearest_bracket_is_found_out(task: Code) -> None:
    class Near(Reader):
        def __call__(self, ids: Tensor) -> Any:
            trace = super().__call__(ids)
            trace.blocks[0].attention.weights = trace.blocks[0].attention.weights[:, 1:2]
            return trace

    found = measure(Near(task), task)
    assert found.nested == 0.0
    assert found.of("bracket").exact == pytest.approx(found.nearest)


def test_the_chance_is_that_of_a_random_place(task: Code, found: CodeHeads) -> None:
    by_id = characters_of(task.tokenizer, range(task.tokenizer.vocab_size))
    shares = [
        1 / (closing + 1)
        for row in task.every_window().ids.tolist()[1::2]
        for closing, _ in bracket_links([by_id[i] for i in row])
    ]
    assert found.of("bracket").chance == pytest.approx(sum(shares) / len(shares))


def test_a_link_that_was_not_measured_is_refused(found: CodeHeads) -> None:
    with pytest.raises(ValueError, match=r"expected one of bracket, line end, indentation, got 'x'"):
        found.of("x")


def test_what_ships_was_measured_on_many_places_and_beats_what_knows_no_code() -> None:
    assert "code-heads" in MADE
    found = CodeHeads.from_json(kept("code-heads"))
    assert found.files == 12
    for link in found.links:
        assert link.n > 1000
        assert link.exact > 2 * link.fixed > 2 * link.chance
    assert found.of("bracket").exact < found.nearest  # as the page says: the rule of thumb is better
    assert found.nested < 0.5
