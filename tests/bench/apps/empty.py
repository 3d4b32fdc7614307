"""The least page that answers a sentence: what any page of this kind pays before it does something of its own."""

import streamlit as st

st.set_page_config(layout="wide")
st.text_input("Sentence", key="text", live="200ms")
st.session_state["runs"] = st.session_state.get("runs", 0) + 1
st.write(f"run {st.session_state['runs']}")
