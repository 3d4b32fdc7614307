"""Code that was typed and code that was written on, in one piece: the two are told apart."""

from __future__ import annotations

import html

from viz_model.figures.html_table import either, stop


def code_text(typed: str, written: str, *, caption: str) -> str:
    """Both texts as they stand, spaces and lines kept; what was written is bold and underlined as well as coloured."""
    return (
        f'<style>{_STYLE}</style><figure class="glass-code">'
        f'<pre tabindex="0" aria-label="{html.escape(caption)}"><code>'
        f'<span class="typed">{html.escape(typed)}</span><ins>{html.escape(written)}</ins></code></pre>'
        f"<figcaption>{html.escape(caption)}</figcaption></figure>"
    )


_STYLE = (
    ".glass-code{margin:0}"
    f".glass-code pre{{margin:0 0 .5rem;padding:.9rem 1rem;background:{either('surface')};color:{either('text')};"
    "border-radius:6px;overflow-x:auto;max-height:24rem;font-size:.9375rem;line-height:1.6}"
    f".glass-code pre:focus-visible{{outline:2px solid {either('accent')};outline-offset:2px}}"
    ".glass-code code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:none;padding:0;"
    "color:inherit;white-space:pre}"
    f".glass-code ins{{color:{stop('series', 0)};font-weight:600;text-decoration:underline;"
    "text-decoration-thickness:2px;text-underline-offset:4px}"
    f".glass-code figcaption{{font-size:.875rem;color:{either('muted')}}}"
)
