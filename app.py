"""Glass Transformer: the server. What each visitor runs is pages/ui/router.py.

Streamlit takes a folder pages/ beside the script that it runs for its own pages, and sends the first visitor of a
fresh server who follows a deep link to the wrong page: so the script lies elsewhere, and this file names it.
"""

import os

import streamlit as st

# Read when torch is first imported. A run of an app-sized model takes a millisecond on one thread; on two, beside
# another busy process, the threads wait for each other and it takes twenty.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from pages.ui import files, warm_up

app = st.App("pages/ui/router.py", lifespan=warm_up.lifespan, routes=files.routes())
