"""Tasks: seeded examples with known right answers, one task a file."""
