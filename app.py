"""Glass Transformer: the router. One table of pages; what a page shows is in pages/."""

import streamlit as st

from pages.ui import session, warm_up
from pages.ui.chrome import dress

PAGES = {
    "Learn": [("pages/learn/the_cat_sat.py", "The cat sat", ":material/school:", "the-cat-sat")],
    "Explore": [("pages/explore/workbench.py", "Workbench", ":material/grid_view:", "workbench")],
}

st.set_page_config(page_title="Glass Transformer", page_icon="assets/favicon.svg", layout="wide")
session.restore()
page = st.navigation(
    {
        section: [
            st.Page(script, title=title, icon=icon, url_path=path, default=path == "the-cat-sat")
            for script, title, icon, path in pages
        ]
        for section, pages in PAGES.items()
    },
    position="hidden" if st.session_state["present"] else "sidebar",
)
dress(present=st.session_state["present"])
page.run()
session.publish()
warm_up.settle()
