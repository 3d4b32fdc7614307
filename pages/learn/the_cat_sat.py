import streamlit as st
st.title("The cat sat")
