"""How fast and how small, beside the tools of the same kind: `python -m tests.bench`."""
