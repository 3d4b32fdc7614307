"""The measures of the bundled models' heads: as recorded, and run here and now."""

from __future__ import annotations

from time import perf_counter

import streamlit as st

from viz_model.analysis.ablation_table import AblationTable
from viz_model.analysis.atlas import Atlas
from viz_model.analysis.held_out_heads import FEW_CHOICES, FEW_TEXTS, measured_ablation
from viz_model.analysis.held_out_relations import HeldOutSentences
from viz_model.training.studies import kept


@st.cache_resource(max_entries=4, show_spinner=False)
def atlas(name: str) -> Atlas:
    return Atlas.from_json(kept(f"atlas-{name}"))


@st.cache_resource(max_entries=4, show_spinner=False)
def recorded(name: str) -> AblationTable:
    return AblationTable.from_json(kept(f"ablation-{name}"))


@st.cache_resource(max_entries=4, show_spinner=False)
def measured(name: str) -> tuple[AblationTable, float]:
    """The ablations on fewer texts, run here and now, and the seconds that it took."""
    sentences = HeldOutSentences.from_json(kept("held-out-sentences")).sentences
    began = perf_counter()
    table = measured_ablation(name, sentences, n_texts=FEW_TEXTS, n_choices=FEW_CHOICES)
    return table, perf_counter() - began
