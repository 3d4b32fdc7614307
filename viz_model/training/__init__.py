"""Training: what to train (recipe), the loop (trainer), and the models that ship (bundle)."""
