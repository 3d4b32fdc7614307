"""Tasks: seeded examples with known right answers, one task a file; nothing here needs torch."""
