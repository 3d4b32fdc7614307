"""The training view's payload and page, against numpy and loops written from the description of the format."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from tests.browser.apps.training_cases import cut, film_of, track_of
from viz_model.figures import training_view
from viz_model.figures.training_view import Film, Track, export_html, pack, thinned, unpack


def header_of(payload: bytes) -> tuple[dict, bytes]:
    length = int.from_bytes(payload[:4], "little")
    return json.loads(payload[4 : 4 + length]), payload[4 + length :]


def packed(track: Track, films=(), **options) -> bytes:
    return pack("run", track, films, **{"total_steps": 40, "state": "recorded", **options})


def test_numbers_and_frames_come_back_bit_for_bit_and_unturned() -> None:
    track = track_of(13, 4)
    film = film_of(track, queries=3, keys=5, layers=2, heads=3)
    payload = packed(track, [film], metric="whole answers right", status={"time left": "3 s"})
    read = unpack(payload)
    for name in ("step", "loss", "gradient_norm", "learning_rate", "picture_step", "accuracy"):
        assert np.array_equal(read.arrays[name], getattr(track, name), equal_nan=True)
    assert np.isnan(read.arrays["gradient_norm"][0])
    for i, (name, scores) in enumerate(track.roles.items()):
        assert read.header["roles"][i] == name
        assert np.array_equal(read.arrays[f"role/{i}"], scores)
    assert np.array_equal(read.arrays["frames/self"], film.frames)
    header, body = header_of(payload)
    # By hand from the raw bytes: picture 2, layer 1, head 2, query 0, key 4.
    entry = next(each for each in header["arrays"] if each["name"] == "frames/self")
    at = entry["offset"] + (((2 * 2 + 1) * 3 + 2) * 3 + 0) * 5 + 4
    assert body[at] == film.frames[2, 1, 2, 0, 4] != film.frames[2, 1, 2, 1, 4]
    assert (header["first_row"], header["row_count"], header["rows"], header["first_picture"]) == (0, 13, 13, 0)
    assert header["status"] == {"time left": "3 s"}
    assert header["films"][0] == {
        "kind": "self",
        "layers": 2,
        "heads": 3,
        "queries": list(film.queries),
        "keys": list(film.keys),
        "right": ["meant"],
    }


def test_masks_and_right_keys_are_bits_of_query_and_key() -> None:
    track = track_of(5, 2)
    mask = np.array([[True, False, True], [False, True, True]])
    right = np.array([[False, True, False], [True, False, False]])
    film = replace(film_of(track, queries=2, keys=3), mask=mask, right={"a": right, "b": ~right})
    read = unpack(packed(track, [film])).arrays
    assert np.unpackbits(read["mask/self"][0])[:6].reshape(2, 3).tolist() == mask.tolist()
    assert np.unpackbits(read["right/self/0"][0])[:6].reshape(2, 3).tolist() == right.tolist()
    assert np.unpackbits(read["right/self/1"][0])[:6].reshape(2, 3).tolist() == (~right).tolist()
    open_ = unpack(packed(track, [replace(film, mask=np.ones((2, 3), bool))])).arrays
    assert "mask/self" not in open_


def test_deltas_laid_over_each_other_are_the_whole() -> None:
    track = track_of(31, 8)
    film = film_of(track, queries=4, keys=4)
    whole = unpack(packed(track, [film]))
    rows: dict[str, dict[int, float]] = {name: {} for name in ("step", "loss", "gradient_norm", "learning_rate")}
    frames: dict[int, np.ndarray] = {}
    for start, end in ((0, 12), (8, 20), (20, 31)):
        first = int((track.picture_step < start).sum())
        last = int((track.picture_step < end).sum())
        payload = packed(
            cut(track, start, end),
            [replace(film, frames=film.frames[first:last])],
            first_row=start,
            first_picture=first,
            rows=end,
            pictures=last,
        )
        read = unpack(payload)
        for name, found in rows.items():
            found |= dict(enumerate(read.arrays[name].tolist(), read.header["first_row"]))
        frames |= dict(enumerate(read.arrays["frames/self"], read.header["first_picture"]))
    for name, found in rows.items():
        assert np.array_equal([found[i] for i in range(31)], whole.arrays[name], equal_nan=True)
    assert np.array_equal([frames[i] for i in range(8)], whole.arrays["frames/self"])


def test_thinning_loses_no_spike_no_end_and_no_picture() -> None:
    track = track_of(20_000, 50)
    track.loss[7_777], track.loss[12_345], track.gradient_norm[3_333] = 99.0, -1.0, 88.0
    track.loss[10_000:10_100] = np.nan
    kept = thinned(track, 1_000)
    assert 400 < len(kept) <= 1_000
    assert (np.diff(kept) > 0).all()
    assert {0, 19_999, 7_777, 12_345, 3_333} <= set(kept.tolist())
    assert set(track.picture_step.tolist()) <= set(track.step[kept].tolist())
    assert np.array_equal(thinned(track_of(1_000, 50), 1_000), np.arange(1_000))


def test_a_long_run_is_thinned_and_says_which_rows_are_left() -> None:
    track = track_of(9_000, 20)
    read = unpack(packed(track, total_steps=9_000, first_row=100, first_picture=0, rows=9_100))
    index = read.arrays["row"]
    assert len(index) <= 4_000
    assert read.header["row_count"] == 9_000
    assert np.array_equal(read.arrays["loss"], track.loss[index - 100])
    assert "row" not in unpack(packed(track_of(4_000, 20))).arrays


def test_compared_runs_travel_whole_and_thin() -> None:
    other = track_of(5_000, 10, name="seed 1")
    read = unpack(packed(track_of(20, 3), compare=[other]))
    assert read.header["compare"] == [{"name": "seed 1", "roles": list(other.roles)}]
    assert len(read.arrays["compare/0/step"]) <= 1_000
    assert read.arrays["compare/0/loss"].max() == other.loss.max()
    assert np.array_equal(read.arrays["compare/0/accuracy"], other.accuracy)


def test_a_choice_that_does_not_exist_falls_back() -> None:
    track = track_of(5, 2)
    films = [film_of(track), replace(film_of(track, layers=1, heads=1), kind="cross")]
    chosen = unpack(packed(track, films, kind="cross", layer=7, head=-2)).header["selection"]
    assert chosen == {"kind": "cross", "layer": 0, "head": 0}
    assert unpack(packed(track, films, kind="gone")).header["selection"]["kind"] == "self"
    # Without a film there is nothing to fit it to: a delta without a picture leaves the choice as it is.
    assert unpack(packed(track, kind="cross", layer=1, head=2)).header["selection"] == {
        "kind": "cross",
        "layer": 1,
        "head": 2,
    }


def test_odd_tokens_are_shown_as_one_line() -> None:
    track = track_of(5, 2)
    film = replace(film_of(track, queries=3, keys=3), queries=["\n", " ", "<s>"], keys=["\x00", "שלום", ""])
    shown = unpack(packed(track, [film])).header["films"][0]
    assert shown["queries"] == ["↵", "␣", "<s>"]
    assert shown["keys"] == ["␀", "שלום", "(empty)"]


def broken(**change) -> Track:
    return replace(track_of(6, 3), **change)


@pytest.mark.parametrize(
    ("track", "words"),
    [
        (broken(loss=np.zeros(5, np.float32)), "one loss a row, got [5] for [6]"),
        (broken(accuracy=np.zeros(2, np.float32)), "one accuracy a picture, got [2] for [3]"),
        (broken(step=np.array([0, 1, 1, 2, 3, 4], np.int32)), "steps that rise"),
        (broken(roles={"r": np.zeros((2, 1, 1), np.float32)}), "the role 'r' as [3 pictures, layer, head], got [2, 1"),
    ],
)
def test_a_track_that_does_not_fit_is_refused_in_words(track: Track, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        packed(track)
    with pytest.raises(ValueError, match=re.escape(words)):
        packed(track_of(6, 3), compare=[track])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"frames": np.zeros((3, 1, 1, 2, 2), np.float32)}, "uint8"),
        ({"frames": np.zeros((2, 1, 1, 4, 4), np.uint8)}, "3 pictures"),
        ({"frames": np.zeros((3, 1, 1, 4, 3), np.uint8)}, "4 queries, 4 keys"),
        ({"mask": np.ones((4, 3), bool)}, "the mask as [query, key] = [4, 4], got [4, 3]"),
        ({"right": {"x": np.ones((3, 4), bool)}}, "the right keys 'x'"),
        ({"queries": ["a"] * 257}, "1 to 256 tokens"),
        ({"keys": []}, "1 to 256 tokens"),
    ],
)
def test_a_film_that_does_not_fit_is_refused_in_words(change: dict, words: str) -> None:
    track = track_of(6, 3)
    film: Film = replace(film_of(track, queries=4, keys=4), **change)
    with pytest.raises(ValueError, match=re.escape(words)):
        packed(track, [film])


def test_counts_names_and_states_that_do_not_fit_are_refused() -> None:
    track = track_of(6, 3)
    with pytest.raises(ValueError, match="expected rows from 0 to 7 in all, got 6 that begin at 2"):
        packed(track, first_row=2, rows=7)
    with pytest.raises(ValueError, match="expected pictures from 0 to 2 in all, got 3 that begin at 0"):
        packed(track, pictures=2)
    with pytest.raises(ValueError, match="every kind of film once, got self, self"):
        packed(track, [film_of(track), film_of(track)])
    with pytest.raises(ValueError, match="recorded, loaded, starting"):
        packed(track, state="resting")
    with pytest.raises(ValueError, match="version"):
        unpack(packed(track).replace(b'"version":1', b'"version":9'))
    with pytest.raises(ValueError, match="delta"):
        export_html(packed(track, first_row=4))


def test_the_exported_page_asks_nothing_of_the_net_and_no_text_can_end_its_script() -> None:
    track = track_of(6, 3)
    film = replace(film_of(track, queries=2, keys=2), queries=["</script><b>", "<!--"])
    page = export_html(packed(track, [film]), "</script><script>alert(1)</script>", "<img src=x>")
    assert len(re.findall("<script", page)) == 1 + page.count('<script type=\\"module\\">')
    assert page.count("</script>") == 1
    assert "<img" not in page
    assert set(re.findall(r"https?://[^\s\"'`)]+", page)) == {"http://www.w3.org/2000/svg"}


def test_the_joined_script_is_one_module_whose_names_are_each_given_once() -> None:
    script = training_view.script()
    assert not re.findall(r"^import ", script, flags=re.MULTILINE)
    assert len(re.findall(r"^export default ", script, flags=re.MULTILINE)) == 1
    assert "innerHTML" not in script
    names = re.findall(r"^(?:export )?(?:async )?(?:const|let|function|class) (\w+)", script, flags=re.MULTILINE)
    assert sorted(set(names)) == sorted(names)
    assert not re.search(r"@import|url\(", training_view.style())
