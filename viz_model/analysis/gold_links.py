"""The grammar's own links of a sentence at the positions of its tokens: what attention is measured against.

Their source is the derivation of the sentence in the grammar (`viz_model.tasks.english`), nothing that a model says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from viz_model.analysis.results import Result
from viz_model.blocks import BlockTrace
from viz_model.encoding import Encoding
from viz_model.models import StackTrace
from viz_model.tasks import english

Reading = Literal["back", "ahead", "due"]

READINGS: dict[Reading, str] = {
    "back": "the later word reads the earlier one",
    "ahead": "the earlier word reads the later one",
    "due": "the position before the later word, which foretells it, reads the earlier word",
}
"""Who should read whom along a link, in words. 'ahead' asks for a model that reads to the right."""


def readings(*, is_causal: bool) -> tuple[Reading, ...]:
    """Those that a model can have: a causal one cannot read ahead, and only it has to foretell."""
    return ("back", "due") if is_causal else ("back", "ahead")


@dataclass(frozen=True, slots=True)
class GoldLink(Result):
    """One link of two words, by the positions of their tokens: `later` stands to the right of `earlier`."""

    relation: str  # 'subject-verb' and the like, a value of `english.RELATIONS`
    earlier: int
    later: int

    def ends(self, reading: Reading) -> tuple[int, int]:
        """(query, key): who reads whom."""
        if reading == "ahead":
            return self.earlier, self.later
        return self.later - (reading == "due"), self.earlier


def gold_links(encoding: Encoding) -> tuple[GoldLink, ...]:
    """The links of an encoded text, none where the grammar does not make it (or a token is not a whole word)."""
    at = [position for position, special in enumerate(encoding.special) if not special]
    sentence = english.parse([encoding.text[slice(*encoding.offsets[position])] for position in at])
    if sentence is None:
        return ()
    return tuple(GoldLink(link.kind, at[link.key], at[link.query]) for link in sentence.relations)


def link_weights(trace: StackTrace[BlockTrace], links: Sequence[GoldLink], reading: Reading = "back") -> Tensor:
    """Each head's weight on each link of a trace of one text: [link, layer, head]."""
    if trace.ids.shape[0] != 1:
        raise ValueError(f"trace: expected one text, got {trace.ids.shape[0]}.")
    rows = [block.attention.weights[0] for block in trace.blocks]
    ends = [link.ends(reading) for link in links]
    queries, keys = (torch.tensor([end[side] for end in ends], dtype=torch.long) for side in (0, 1))
    if not rows:
        return torch.zeros(len(links), 0, trace.ids.shape[0])
    return torch.stack([weights[:, queries, keys].T for weights in rows], dim=1)


def link_hits(
    trace: StackTrace[BlockTrace], links: Sequence[GoldLink], special: Sequence[bool], reading: Reading = "back"
) -> Tensor:
    """Whether the link's key has the largest weight of all words in its query's row: bool [link, layer, head].

    special: `Encoding.special`; special tokens do not compete. Several links of one relation at one query (two
    subjects of a verb) are each a hit where any of their keys has the largest weight.
    """
    words = ~torch.tensor(special, dtype=torch.bool)
    weights = torch.stack([block.attention.weights[0] for block in trace.blocks], dim=0)  # [layer, head, query, key]
    hits = []
    for link in links:
        query, _ = link.ends(reading)
        gold = torch.zeros_like(words)
        for other in links:
            if other.relation == link.relation and other.ends(reading)[0] == query:
                gold[other.ends(reading)[1]] = True
        hits.append(largest_is_gold(weights[:, :, query], gold, words))
    return torch.stack(hits) if hits else torch.zeros(0, *weights.shape[:2], dtype=torch.bool)


def most_read(trace: StackTrace[BlockTrace], special: Sequence[bool], query: int) -> Tensor:
    """The position of the word that the query reads most, for each head: [layer, head]; of equal ones the first.

    special: `Encoding.special`; special tokens do not compete.
    """
    words = ~torch.tensor(special, dtype=torch.bool)
    rows = torch.stack([block.attention.weights[0, :, query] for block in trace.blocks])
    return rows.masked_fill(~words, -1.0).argmax(-1)


def largest_is_gold(rows: Tensor, gold: Tensor, words: Tensor) -> Tensor:
    """Whether a gold key has a larger weight than every other word: bool [...].

    rows: weights [..., key]; gold, words: bool, of a shape that broadcasts with rows. A tie is no hit, so that an even
    row finds nothing.
    """
    best = rows.masked_fill(~gold, -1.0).amax(-1)
    other = rows.masked_fill(gold | ~words, -1.0).amax(-1)
    return best > other
