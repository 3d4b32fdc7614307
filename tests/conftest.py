"""What every test runs under: one torch thread, and hypothesis without a clock (and without chance on a server)."""

import os

import torch
from hypothesis import settings

torch.set_num_threads(1)

settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")
