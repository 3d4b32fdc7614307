"""The attention view's payload and page, against numpy and loops written from the description of the format."""

import json
import re

import numpy as np
import pytest

from viz_model.figures import attention_view
from viz_model.figures.attention_view import export_html, pack, thumbnails_of, unpack


def softmaxed(*shape: int, seed: int = 0) -> np.ndarray:
    scores = np.exp(3 * np.random.default_rng(seed).normal(size=shape))
    return (scores / scores.sum(-1, keepdims=True)).astype(np.float32)


def header_of(payload: bytes) -> tuple[dict, bytes]:
    length = int.from_bytes(payload[:4], "little")
    return json.loads(payload[4 : 4 + length]), payload[4 + length :]


def test_every_head_of_a_small_picture_comes_back_bit_for_bit_and_unturned():
    weights = softmaxed(2, 3, 4, 6)
    english = ["the", "black", "cat", "is", "asleep", "."]
    payload = pack(weights, ["le", "chat", "noir", "dort"], english, layer=1, head=2)
    read = unpack(payload)
    for layer in range(2):
        for head in range(3):
            assert np.array_equal(read.arrays[f"weights/{layer}/{head}"], weights[layer, head])
    assert "thumbnails" not in read.arrays
    header, body = header_of(payload)
    # By hand from the raw bytes: query 1, key 5 of layer 1, head 2 lies in row 1, column 5.
    entry = next(each for each in header["arrays"] if each["name"] == "weights/1/2")
    value = np.frombuffer(body, "<f4", 1, entry["offset"] + 4 * (1 * 6 + 5))[0]
    assert value == weights[1, 2, 1, 5] != weights[1, 2, 2, 2]
    assert (len(payload) - len(body)) % 8 == 0
    assert all(each["offset"] % 8 == 0 for each in header["arrays"])


def test_a_large_picture_is_the_exact_chosen_head_and_thumbnails_pooled_by_max():
    weights = softmaxed(3, 4, 100, 75)
    read = unpack(pack(weights, ["a"] * 100, ["b"] * 75, layer=2, head=1))
    assert [name for name in read.arrays if name.startswith("weights")] == ["weights/2/1"]
    assert np.array_equal(read.arrays["weights/2/1"], weights[2, 1])
    thumbnails = read.arrays["thumbnails"]
    assert thumbnails.shape == (12, 48, 48)
    for head in (0, 5, 11):
        for row in range(48):
            for column in range(48):
                block = weights[head // 4, head % 4][
                    row * 100 // 48 : (row + 1) * 100 // 48, column * 75 // 48 : (column + 1) * 75 // 48
                ]
                assert thumbnails[head, row, column] == round(float(block.max() * np.float32(255)))


def test_twelve_by_twelve_heads_of_128_tokens_stay_under_half_a_megabyte_and_name_no_weight_in_json():
    weights = softmaxed(12, 12, 128, 128)
    payload = pack(weights, ["government"] * 128, layer=3, head=10, mask=np.tril(np.ones((128, 128), bool)))
    assert len(payload) < 450_000
    header, _ = header_of(payload)
    assert len(json.dumps(header)) < 8_000
    many = [softmaxed(16, 1, 512).repeat(512, 1)] * 24
    assert len(pack(many, ["x"] * 512)) < 1_450_000


def test_thumbnails_given_are_the_thumbnails_sent():
    weights = softmaxed(4, 8, 64, 64)
    assert pack(weights, ["a"] * 64, thumbnails=thumbnails_of(weights)) == pack(weights, ["a"] * 64)


def test_the_mask_is_sent_in_bits_and_left_out_where_it_closes_nothing():
    weights, mask = softmaxed(2, 1, 5, 7), np.random.default_rng(1).random((2, 5, 7)) > 0.4
    read = unpack(pack(weights, ["q"] * 5, ["k"] * 7, mask=mask))
    bits = np.unpackbits(read.arrays["mask"], axis=1)[:, :35].reshape(2, 5, 7)
    assert np.array_equal(bits.astype(bool), mask)
    assert unpack(pack(weights, ["q"] * 5, ["k"] * 7, mask=mask[0][None, None])).arrays["mask"].shape == (1, 5)
    assert "mask" not in unpack(pack(weights, ["q"] * 5, ["k"] * 7, mask=np.ones((5, 7), bool))).arrays


def test_layers_may_have_unequal_numbers_of_heads():
    layers = [softmaxed(3, 2, 2), softmaxed(1, 2, 2, seed=1)]
    read = unpack(pack(layers, ["a", "b"], layer=1, head=0))
    assert read.header["heads"] == [3, 1]
    assert np.array_equal(read.arrays["weights/1/0"], layers[1][0])


def test_the_id_names_the_whole_content_and_the_text_its_tokens():
    weights = softmaxed(1, 2, 3, 3)
    first, again = (unpack(pack(weights, ["a", "b", "c"])).header for _ in range(2))
    moved = unpack(pack(weights, ["a", "b", "c"], head=1)).header
    other = unpack(pack(softmaxed(1, 2, 3, 3, seed=9), ["a", "b", "c"])).header
    renamed = unpack(pack(weights, ["a", "b", "d"])).header
    assert first["id"] == again["id"]
    assert len({first["id"], moved["id"], other["id"], renamed["id"]}) == 4
    assert first["text"] == moved["text"] == other["text"] != renamed["text"]


def test_tokens_arrive_as_text_that_can_be_seen():
    read = unpack(pack(softmaxed(1, 1, 4, 4), ["\n", "\x00", "1984", "\ud800"]))
    assert read.header["queries"] == ["↵", "␀", "1984", "�"]
    assert read.header["keys"] is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"layer": 2}, "layer from 0 to 1, got 2"),
        ({"head": -1}, "head from 0 to 2, got -1"),
        ({"query": 4}, "query from 0 to 3, got 4"),
        ({"key": 4}, "key from 0 to 3, got 4"),
        ({"mask": np.ones((3, 4), bool)}, "mask"),
        ({"before": np.ones((3, 4), np.float32)}, "before"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(change, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        pack(softmaxed(2, 3, 4, 4), list("abcd"), **change)


def test_shapes_and_numbers_that_are_no_attention_are_refused():
    with pytest.raises(ValueError, match="layer 0"):
        pack(softmaxed(2, 3, 4, 5), list("abcd"))
    with pytest.raises(ValueError, match="512"):
        pack(softmaxed(1, 1, 1, 513), ["a"], ["b"] * 513)
    broken = softmaxed(12, 12, 64, 64)
    broken[11, 11, 63, 0] = np.nan
    with pytest.raises(ValueError, match="finite"):
        pack(broken, ["a"] * 64)
    with pytest.raises(ValueError, match="version"):
        unpack(pack(softmaxed(1, 1, 1, 1), ["a"]).replace(b'"version":1', b'"version":9'))


def test_the_exported_page_asks_nothing_of_the_net_and_no_text_can_end_its_script():
    payload = pack(softmaxed(1, 1, 2, 2), ["</script><b>", "<!--"])
    page = export_html(payload, "</script><script>alert(1)</script>", "<img src=x>")
    assert len(re.findall("<script", page)) == 1 + page.count('<script type=\\"module\\">')
    assert page.count("</script>") == 1
    assert "<img" not in page
    addresses = set(re.findall(r"https?://[^\s\"'`)]+", page))
    assert addresses == {"http://www.w3.org/2000/svg"}


def test_the_joined_script_is_one_module():
    script = attention_view.script()
    assert not re.findall(r"^import ", script, flags=re.MULTILINE)
    assert len(re.findall(r"^export default ", script, flags=re.MULTILINE)) == 1
    assert "innerHTML" not in script
