"""Figures: arrays and labels in, Plotly or Altair figures, HTML, CSV, SVG or bytes out; never a model, never torch.

Every name is imported on first use, so that a table costs no plotting library and a curve no Plotly.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from viz_model.figures.curves import attribution_bars, bars, curve, prediction_bars
    from viz_model.figures.export import csv_of_matrix, npz_of, svg_of_matrix
    from viz_model.figures.heads import head_grid
    from viz_model.figures.matrices import attention_heatmap, logit_lens, positional_encoding, tensor_heatmap
    from viz_model.figures.picture_files import png_file, svg_file
    from viz_model.figures.tables import matrix_table, prediction_table, softmax_table, terms_table
    from viz_model.figures.templates import page_style
    from viz_model.figures.theme import DARK, LIGHT, Theme, css_variables, format_number, theme_named, visible_token

_HOMES = {
    "curves": ("attribution_bars", "bars", "curve", "prediction_bars"),
    "export": ("csv_of_matrix", "npz_of", "svg_of_matrix"),
    "heads": ("head_grid",),
    "matrices": ("attention_heatmap", "logit_lens", "positional_encoding", "tensor_heatmap"),
    "picture_files": ("png_file", "svg_file"),
    "tables": ("matrix_table", "prediction_table", "softmax_table", "terms_table"),
    "templates": ("page_style",),
    "theme": ("DARK", "LIGHT", "Theme", "css_variables", "format_number", "theme_named", "visible_token"),
}

__all__ = [
    "DARK",
    "LIGHT",
    "Theme",
    "attention_heatmap",
    "attribution_bars",
    "bars",
    "css_variables",
    "csv_of_matrix",
    "curve",
    "format_number",
    "head_grid",
    "logit_lens",
    "matrix_table",
    "npz_of",
    "page_style",
    "png_file",
    "positional_encoding",
    "prediction_bars",
    "prediction_table",
    "softmax_table",
    "svg_file",
    "svg_of_matrix",
    "tensor_heatmap",
    "terms_table",
    "theme_named",
    "visible_token",
]


def __getattr__(name: str) -> Any:
    for module, names in _HOMES.items():
        if name in names:
            found = getattr(import_module(f"{__name__}.{module}"), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
