"""Small texts in three scripts, and small tasks made of them."""

from __future__ import annotations

from typing import Any

import torch

from viz_model.tasks.own_text import own_text
from viz_model.tasks.windows import WindowTask

ENGLISH = "The cat sat on the mat, and the dog saw it. Nobody knew why; the keys to the cabinet were old!\n" * 25
HEBREW = "החתול ישב על המחצלת והכלב ראה אותו. איש לא ידע מדוע, המפתחות לארון היו ישנים!\n" * 25
CHINESE = "猫坐在垫子上，狗看见了它。没有人知道为什么；柜子的钥匙很旧！" * 60


def small(text: str = ENGLISH, objective: str = "causal", kind: str = "character", **more: Any) -> WindowTask:
    return own_text(text, objective=objective, tokenizer=kind, **{"window": 16} | more)


def one(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)
