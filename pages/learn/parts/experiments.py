"""Three things to try in the textbook example: each sets the page's controls."""

from __future__ import annotations

from viz_model.textbook import Change

EXPERIMENTS = [
    (
        "No scaling",
        "The dot products go straight into the softmax.",
        {"mode": "textbook", "step": "softmax", "scaled": False},
    ),
    (
        "Hide the future",
        "With the causal mask, “cat” cannot read “sat”.",
        {"mode": "textbook", "step": "mask", "causal": True},
    ),
    (
        "Make “sat” as findable as “cat”",
        "Gives “sat” the key of “cat”: the two weights become equal.",
        {
            "mode": "textbook",
            "step": "softmax",
            "word": 1,
            "changes": tuple(Change("K", 2, i, v).code for i, v in enumerate((1.5, 1.39, 1.0, 0.2))),
        },
    ),
]
