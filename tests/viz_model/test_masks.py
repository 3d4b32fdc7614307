"""Masks against loops that ask of each query and key: may it?"""

from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from viz_model import masks

sizes = st.integers(1, 9)


def asked(n_query: int, n_key: int, may: Callable[[int, int], bool]) -> Tensor:
    """The mask by asking for each link: bool [1, 1, query, key]."""
    return torch.tensor([[[[may(query, key) for key in range(n_key)] for query in range(n_query)]]])


def same(mask: Tensor, expected: Tensor) -> bool:
    return mask.dtype == torch.bool and torch.equal(mask, expected)


@given(sizes, sizes)
def test_full(n_query: int, n_key: int) -> None:
    assert same(masks.full(n_query, n_key), asked(n_query, n_key, lambda query, key: True))
    assert same(masks.full(n_query), asked(n_query, n_query, lambda query, key: True))


@given(sizes)
def test_causal(n: int) -> None:
    assert same(masks.causal(n), asked(n, n, lambda query, key: key <= query))


@given(sizes, st.data())
def test_prefix(n: int, data: st.DataObject) -> None:
    length = data.draw(st.integers(0, n))
    assert same(masks.prefix(n, length), asked(n, n, lambda query, key: key <= query or key < length))


@given(sizes, st.integers(1, 10), st.booleans())
def test_window(n: int, width: int, is_causal: bool) -> None:
    def may(query: int, key: int) -> bool:
        return abs(query - key) < width and (key <= query or not is_causal)

    assert same(masks.window(n, width, is_causal=is_causal), asked(n, n, may))


@given(sizes, st.integers(1, 10))
def test_strided(n: int, stride: int) -> None:
    def may(query: int, key: int) -> bool:
        back = query - key
        return back >= 0 and (back < stride or back % stride == 0)

    assert same(masks.strided(n, stride), asked(n, n, may))


@given(sizes, st.integers(1, 10))
def test_block(n: int, size: int) -> None:
    starts = range(0, n, size)

    def may(query: int, key: int) -> bool:
        return any(start <= query < start + size and start <= key < start + size for start in starts)

    assert same(masks.block(n, size), asked(n, n, may))


@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=1, max_size=3))
def test_padding(present: list[list[bool]]) -> None:
    mask = masks.padding(torch.tensor(present))
    assert mask.shape == (len(present), 1, 1, 4)
    assert [[mask[row, 0, 0, key].item() for key in range(4)] for row in range(len(present))] == present
    assert torch.equal(masks.padding(torch.tensor(present).long()), mask)


def test_resolve_without_a_mask_is_the_models_own() -> None:
    own = masks.causal(3)
    assert masks.resolve(own, None, n_query=3, n_key=3, batch=1) is own


def test_resolve_narrows_by_padding() -> None:
    present = torch.tensor([[True, True, False], [False, True, True]])
    mask = masks.resolve(masks.causal(3), present, n_query=3, n_key=3, batch=2)
    assert mask.shape == (2, 1, 3, 3)
    for row in range(2):
        for query in range(3):
            for key in range(3):
                assert mask[row, 0, query, key].item() == (key <= query and present[row, key].item())


def test_resolve_takes_a_whole_mask_in_place_of_the_own() -> None:
    whole = masks.full(2, 3)
    assert masks.resolve(masks.causal(3)[:, :, :2], whole, n_query=2, n_key=3, batch=1) is whole


@pytest.mark.parametrize("shape", [(3,), (2, 4), (3, 3, 3), (1, 2, 3, 3), (1, 1, 3, 4), (1, 1, 4, 3), (1, 1, 1, 3)])
def test_resolve_refuses_other_shapes(shape: tuple[int, ...]) -> None:
    given_mask = torch.ones(shape, dtype=torch.bool)
    with pytest.raises(ValueError, match=r"mask: expected \[batch, 3\] or \[batch or 1, 1, 3, 3\], got") as caught:
        masks.resolve(masks.causal(3), given_mask, n_query=3, n_key=3, batch=1)
    assert str(list(shape)) in str(caught.value)


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_resolve_refuses_numbers(dtype: torch.dtype) -> None:
    with pytest.raises(TypeError, match=r"expected bool \(True = may attend\), got (float32|int64)"):
        masks.resolve(masks.causal(3), torch.ones(1, 3, dtype=dtype), n_query=3, n_key=3, batch=1)
