"""The colour language: contrast, colour blindness, even ramps, one source for Streamlit; numbers and tokens as text."""

import itertools
import math
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import viz_model.figures as figures
from tests.viz_model.figures.eyes import EYES, contrast, delta_e, lab, oklab
from viz_model.figures.templates import altair_config, page_style, plotly_template, streamlit_theme
from viz_model.figures.theme import (
    DARK,
    LIGHT,
    Theme,
    css_variables,
    format_number,
    readable_on,
    sample,
    theme_named,
    visible_token,
)

ROOT = Path(__file__).parents[3]
both = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)


def test_the_yardsticks_themselves():
    assert contrast("#000000", "#ffffff") == pytest.approx(21, abs=0.01)
    assert lab("#ff0000") == pytest.approx([53.24, 80.09, 67.20], abs=0.02)
    assert oklab("#ff0000") == pytest.approx([0.628, 0.225, 0.126], abs=0.001)
    assert delta_e("#000000", "#ffffff") == pytest.approx(100, abs=0.01)
    # A red and a green of one lightness are far apart to most and close to a deuteranope.
    assert delta_e("#c04040", "#6b7a00") > 3 * delta_e("#c04040", "#6b7a00", "deutan")


@both
def test_text_is_readable(theme: Theme):
    for name in ("text", "muted", "query", "key", "value", "accent"):
        for ground in (theme.background, theme.surface):
            assert contrast(getattr(theme, name), ground) >= 4.5, name
    for name in ("query", "key", "value"):
        assert contrast(getattr(theme, name), getattr(theme, f"{name}_soft")) >= 4.5, name
        assert contrast(theme.text, getattr(theme, f"{name}_soft")) >= 4.5
    assert contrast(theme.on_accent, theme.accent) >= 4.5
    assert contrast(theme.series[0], theme.background) >= 4.5  # attention as a word
    for i in (1, 9):  # changes in a table, less and more
        assert contrast(theme.signed[i], theme.background) >= 4.5


@both
def test_marks_stand_out_from_the_page(theme: Theme):
    for colour in theme.series:
        assert contrast(colour, theme.background) >= 3  # WCAG 2.1, 1.4.11
    assert contrast(theme.masked_line, theme.masked) >= 1.9


@both
@pytest.mark.parametrize("eye", EYES)
def test_query_key_and_value_differ_to_every_eye(theme: Theme, eye: str):
    for one, other in itertools.combinations((theme.query, theme.key, theme.value, theme.attention[-1]), 2):
        assert delta_e(one, other, eye) >= 10
    for field in (theme.query, theme.key, theme.value, theme.series[0]):
        assert delta_e(theme.accent, field, eye) >= (20 if eye == "typical" else 7)


@both
@pytest.mark.parametrize("eye", EYES)
def test_the_two_signs_differ_to_every_eye(theme: Theme, eye: str):
    for i in range(1, 6):
        assert delta_e(theme.signed[5 - i], theme.signed[5 + i], eye) >= (12 if i > 1 else 5)


@both
def test_the_attention_ramp_is_even_and_starts_at_the_page(theme: Theme):
    assert theme.attention[0] == theme.background
    points = np.array([oklab(colour) for colour in theme.attention])
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    assert steps.max() / steps.min() < 1.15
    for eye in EYES:
        light = np.diff([lab(colour, eye)[0] for colour in theme.attention])
        assert (light < -3).all() if theme is LIGHT else (light > 3).all()


@both
def test_the_signed_ramp_is_symmetric_about_the_page(theme: Theme):
    assert theme.signed[5] == theme.background
    light = np.array([oklab(colour)[0] for colour in theme.signed])
    np.testing.assert_allclose(light, light[::-1], atol=0.012)
    side = np.diff(light[5:])
    assert (side < 0).all() if theme is LIGHT else (side > 0).all()


@both
def test_colours_are_distinct(theme: Theme):
    own = [theme.query, theme.key, theme.value, theme.accent, theme.attention[6], theme.signed[1], theme.signed[9]]
    for one, other in itertools.combinations(own, 2):
        assert delta_e(one, other) > 7


@given(st.integers(0, 0xFFFFFF))
def test_ink_is_readable_on_any_cell(number: int):
    colour = f"#{number:06x}"
    assert contrast(colour, readable_on(colour)) >= 4.5


def test_streamlit_has_the_same_colours_and_sends_nothing():
    written = tomllib.loads((ROOT / ".streamlit/config.toml").read_text())
    assert set(written["theme"]) == {"light", "dark"}
    for theme in (LIGHT, DARK):
        assert written["theme"][theme.name] == streamlit_theme(theme)
        assert len(streamlit_theme(theme)["chartDivergingColors"]) == 10  # any other number is ignored
        assert len(streamlit_theme(theme)["chartSequentialColors"]) == 10
    assert written["browser"]["gatherUsageStats"] is False
    assert written["server"]["fileWatcherType"] == "none"
    assert not any("font" in key.lower() for section in written["theme"].values() for key in section)
    from streamlit import config

    known = config._config_options_template
    for section, options in written.items():
        for key, value in options.items():
            names = [f"{section}.{key}"] if section != "theme" else [f"theme.{key}.{option}" for option in value]
            assert [name for name in names if name not in known] == []


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.118, "0.118"),
        (0.1, "0.100"),
        (1, "1"),
        (1.0, "1.00"),
        (0.99996, "1.00"),
        (9.999, "10.0"),
        (12.34, "12.3"),
        (12345.6, "12346"),
        (-2.5, "-2.50"),
        (0.001, "0.00100"),
        (0.000123, "1.23e-4"),
        (-0.000123, "-1.23e-4"),
        (0.0009999, "0.00100"),
        (1234567.0, "1.23e6"),
        (999999.9, "1.00e6"),
        (np.int64(42), "42"),
        (10**7, "1.00e7"),
        (np.float32(0.7), "0.700"),
        (0.0, "0.00"),
        (-0.0, "0.00"),
        (math.nan, "not a number"),
        (math.inf, "infinity"),
        (-math.inf, "-infinity"),
        (1e-45, "1.00e-45"),
    ],
)
def test_numbers_as_people_read_them(number: float, text: str):
    assert format_number(number) == text


@given(st.floats(-1e300, 1e300), st.integers(2, 9))
def test_a_shown_number_is_within_half_a_unit_of_its_last_digit(number: float, digits: int):
    shown = format_number(number, digits)
    assert float(shown) == pytest.approx(number, rel=0.5000001 * 10 ** (1 - digits), abs=1e-320)
    assert not (float(shown) == 0 and shown.startswith("-"))


def test_tokens_stay_literal_and_nothing_is_invisible():
    for token in ("<s>", "&amp;", "$x$", "שלום", "👨‍👩‍👧‍👦", "1984", "##ing", "e\u0301"):
        assert visible_token(token) == token
    assert visible_token("") == "(empty)"
    assert visible_token("  ") == "␣␣"
    assert visible_token("a\tb\n\x00\x7f") == "a⇥b↵␀␡"
    assert visible_token("a\u202eb") == "aU+202Eb"
    visible_token("\ud83d").encode()  # half an emoji, as a byte-level token may be
    assert visible_token("considering", 6) == "consi…"


def test_ramps_are_sampled_with_their_ends_and_clipped():
    assert sample(("#000000", "#ffffff"), 0.5) in {"#7f7f7f", "#808080"}
    assert [sample(LIGHT.attention, x) for x in (-1, 0, 1, 2)] == [LIGHT.attention[0]] * 2 + [LIGHT.attention[-1]] * 2
    assert sample(LIGHT.signed, 0.5) == LIGHT.signed[5]


def test_variables_name_every_colour_once():
    light = css_variables(LIGHT)
    assert "--glass-query: #1a66d9;" in light
    assert "--glass-attention-9: #2d0167;" in light
    assert "--glass-on-accent: #ffffff;" in light
    assert f"--glass-text: light-dark({LIGHT.text}, {DARK.text});" in css_variables()
    assert css_variables().count("--glass-") == light.count("--glass-") == 14 + 1 + 10 + 11 + 6 + 5
    assert css_variables() in page_style()
    assert theme_named("dark") is DARK
    assert theme_named(None) is LIGHT


@both
def test_templates_are_accepted_by_their_libraries(theme: Theme):
    import altair as alt
    import plotly.graph_objects as go

    figure = go.Figure(layout={"template": plotly_template(theme)})
    assert figure.layout.template.layout.font.color == theme.text
    chart = alt.Chart(alt.InlineData(values=[{"x": 1}])).mark_point().encode(x="x:Q").configure(**altair_config(theme))
    assert chart.to_dict()["config"]["axis"]["labelColor"] == theme.text  # to_dict validates against the schema


def test_public_names_are_complete_sorted_and_lazy():
    assert figures.__all__ == sorted(figures.__all__)
    for name in figures.__all__:
        assert getattr(figures, name).__module__.startswith("viz_model.figures") or name in {"DARK", "LIGHT"}
    assert set(figures.__all__) == {name for names in figures._HOMES.values() for name in names}
    with pytest.raises(AttributeError, match="no_such_figure"):
        _ = figures.no_such_figure


@pytest.mark.parametrize(
    ("name", "absent"),
    [
        ("attention_heatmap", "altair torch streamlit"),
        ("curve", "plotly torch streamlit"),
        ("terms_table", "plotly altair torch streamlit"),
        ("svg_of_matrix", "plotly altair torch streamlit"),
    ],
)
def test_one_figure_does_not_load_the_libraries_of_another(name: str, absent: str):
    code = f"import sys, viz_model.figures as f; f.{name}; print([m for m in {absent.split()} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"
