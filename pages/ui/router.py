"""What every visitor's run starts with: the page table, the state from the link, the page, the link written back."""

from pathlib import Path

import streamlit as st

from pages.ui import chrome, files, session, theme, warm_up

ROOT = Path(__file__).parents[2]
PAGES = {
    "Learn": [
        ("learn/the_cat_sat.py", "The cat sat", ":material/school:", ""),
        ("learn/self_attention.py", "Self-attention on a sentence", ":material/record_voice_over:", "sentence"),
        ("learn/why_scale.py", "Why scale", ":material/straighten:", "scale"),
        ("learn/heads.py", "Heads", ":material/apps:", "heads"),
        ("learn/positions.py", "Positions", ":material/schedule:", "positions"),
        ("learn/the_block.py", "The block", ":material/layers:", "block"),
        ("learn/encoder_decoder.py", "Encoder and decoder", ":material/translate:", "translation"),
        ("learn/why_not_rnns.py", "Why not RNNs or CNNs", ":material/compare_arrows:", "recurrence"),
    ],
    "Explore": [("explore/workbench.py", "Workbench", ":material/grid_view:", "workbench")],
    "Train": [("train/live.py", "Live training", ":material/play_circle:", "live")],
    "Families": [
        ("families/applications.py", "Applications", ":material/extension:", "applications"),
        ("families/fine_tuning.py", "Fine-tuning", ":material/tune:", "fine-tuning"),
    ],
}

st.set_page_config(page_title="Glass Transformer", page_icon=str(ROOT / "assets" / "favicon.svg"), layout="wide")
session.restore()
page = st.navigation(
    {
        section: [
            st.Page(ROOT / "pages" / script, title=title, icon=icon, url_path=path or None, default=not path)
            for script, title, icon, path in pages
        ]
        for section, pages in PAGES.items()
    },
    position="hidden" if st.session_state["present"] else "sidebar",
)
files.turn_to(page.url_path)
chrome.dress(present=st.session_state["present"])
if "desk" in st.session_state:  # this viewer trains: the end of their connection frees the worker
    from pages.ui.training import presence

    presence()
page.run()
session.publish()
theme.follow()
warm_up.settle()
