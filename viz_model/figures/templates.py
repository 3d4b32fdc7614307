"""The theme as each library takes it: Plotly, Altair (Vega-Lite) and Streamlit's config, as plain dictionaries."""

from __future__ import annotations

from typing import Any

from viz_model.figures.theme import DARK, FONT, LIGHT, Theme, css_variables, sample


def streamlit_theme(theme: Theme) -> dict[str, Any]:
    """The options of one [theme.light] or [theme.dark] section of .streamlit/config.toml (a test holds them equal)."""
    field = {"blue": theme.query, "orange": theme.key, "green": theme.value, "violet": theme.series[0]}
    options: dict[str, Any] = {
        "primaryColor": theme.accent,
        "backgroundColor": theme.background,
        "secondaryBackgroundColor": theme.surface,
        "textColor": theme.text,
        "linkColor": theme.accent,
        "borderColor": theme.line,
        "grayTextColor": theme.muted,
    }
    for name, colour in field.items():
        options |= {f"{name}Color": colour, f"{name}TextColor": colour}
    options["chartCategoricalColors"] = list(theme.series)
    options["chartSequentialColors"] = list(theme.attention)
    # Streamlit takes exactly ten: sampled so that both ends and the symmetry stay.
    options["chartDivergingColors"] = [sample(theme.signed, i / 9) for i in range(10)]
    return options


def plotly_template(theme: Theme) -> dict[str, Any]:
    """A Plotly template (for `layout.template`): fonts, quiet axes, transparent paper, our colour scales."""
    axis = {
        "showgrid": False,
        "zeroline": False,
        "ticks": "outside",
        "ticklen": 5,
        "tickcolor": "rgba(0,0,0,0)",
        "tickfont": {"size": 13, "color": theme.text},
        "autotickangles": [0, -45, -90],
        "title": {"font": {"size": 13, "color": theme.muted}, "standoff": 10},
        "automargin": True,
    }
    quiet = {"size": 12, "color": theme.muted}
    place = {"orientation": "h", "x": 0, "xanchor": "left", "y": 0, "yanchor": "top", "ypad": 14, "xpad": 0}
    bar = {**place, "thickness": 10, "len": 140, "lenmode": "pixels", "outlinewidth": 1, "outlinecolor": theme.line}
    bar |= {"ticks": "", "tickfont": quiet, "title": {"font": quiet, "side": "top"}}
    hover = {"bgcolor": theme.surface, "bordercolor": theme.line, "font": {"color": theme.text}, "align": "left"}
    return {
        "layout": {
            "font": {"family": FONT, "size": 13, "color": theme.text},
            "title": {"x": 0, "xref": "container", "xanchor": "left", "font": {"size": 15, "weight": 600}},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "colorway": list(theme.series),
            "hoverlabel": hover,
            "xaxis": axis,
            "yaxis": axis,
            "margin": {"l": 8, "r": 16, "t": 16, "b": 16},
        },
        "data": {"heatmap": [{"type": "heatmap", "colorbar": bar}]},
    }


def altair_config(theme: Theme) -> dict[str, Any]:
    """A Vega-Lite config: the same fonts, lines and colours as the Plotly template."""
    words: dict[str, Any] = {"labelFont": FONT, "titleFont": FONT, "titleFontWeight": "normal", "labelFontSize": 13}
    words |= {"labelColor": theme.text, "titleColor": theme.muted, "titleFontSize": 13}
    axis = {"domainColor": theme.line, "gridColor": theme.line, "tickColor": theme.line, "gridOpacity": 0.6}
    title = {"font": FONT, "fontSize": 15, "color": theme.text, "anchor": "start", "fontWeight": 600, "offset": 12}
    ramps = {"heatmap": list(theme.attention), "ramp": list(theme.attention), "diverging": list(theme.signed)}
    return {
        "background": "transparent",
        "font": FONT,
        "view": {"stroke": None},
        "axis": {**words, **axis, "labelPadding": 6, "titlePadding": 10},
        "legend": {**words, "symbolStrokeWidth": 2.5, "orient": "top", "title": None, "offset": 4},
        "title": title,
        "range": {"category": list(theme.series), **ramps},
        "text": {"font": FONT, "fontSize": 12, "color": theme.text},
    }


def page_style() -> str:
    """One <style> for every page: our colours as custom properties, and ink on primary buttons that is readable.

    Streamlit writes white on the accent, which in the dark is too light for it.
    """
    ink = "light-dark(" + LIGHT.on_accent + ", " + DARK.on_accent + ")"
    button = f'[data-testid="stBaseButton-primary"],[data-testid="stBaseButton-primary"]:hover{{color:{ink}}}'
    return f"<style>:root{{{css_variables()}}}{button}</style>"
