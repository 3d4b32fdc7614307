"""What a model can be asked of a plain text: four ways from rows of ids to questions and answers."""

from __future__ import annotations

import torch
from torch import Tensor

from viz_model.tasks.task import Batch

MASKED_SHARE = 0.15  # Devlin et al., 2019, section 3.1
CORRUPTED_SHARE, MEAN_SPAN = 0.15, 3  # Raffel et al., 2020, section 3.3.4


def next_token(ids: Tensor, present: Tensor) -> Batch:
    """Causal: each position of rows [batch, position] says what follows it; the last one is an answer only."""
    asked = present[:, 1:]
    return Batch(ids[:, :-1], present[:, :-1], asked, ids[:, 1:][asked])


def masked(
    ids: Tensor, present: Tensor, generator: torch.Generator, *, mask_id: int, n_specials: int, vocab_size: int
) -> Batch:
    """Some tokens of rows [batch, position] are asked for (Devlin et al., 2019, section 3.1).

    15 % of them, special tokens left out; of these 80 % become the mask token, 10 % a random token, 10 % stay. A row
    that was asked nothing is asked its first token.
    """
    is_word = present & (ids >= n_specials)
    asked = is_word & (torch.rand(ids.shape, generator=generator) < MASKED_SHARE)
    first = is_word.int().argmax(1)
    lonely = ~asked.any(1) & is_word.any(1)
    asked[lonely, first[lonely]] = True
    how = torch.rand(ids.shape, generator=generator)
    other = torch.randint(n_specials, vocab_size, ids.shape, generator=generator)
    shown = torch.where(how < 0.8, mask_id, torch.where(how < 0.9, other, ids))
    return Batch(torch.where(asked, shown, ids), present, asked, ids[asked])


def after_prefix(ids: Tensor, lengths: Tensor) -> Batch:
    """Prefix language model (Raffel et al., 2020, section 3.2.1): the first `lengths` [batch] positions of whole rows
    [batch, position] read each other freely, the rest is causal and asked for.

    Batch.present is the whole mask, bool [batch, 1, query, key].
    """
    n = ids.shape[1] - 1
    if not bool(((lengths >= 1) & (lengths <= n)).all()):
        raise ValueError(f"lengths: expected 1 to {n} positions, got {int(lengths.min())} to {int(lengths.max())}.")
    position = torch.arange(n)
    in_prefix = position < lengths[:, None]
    mask = (position[:, None] >= position) | in_prefix[:, None, None]
    asked = position >= lengths[:, None] - 1  # the last position of the prefix says what comes first after it
    return Batch(ids[:, :-1], mask, asked, ids[:, 1:][asked])


def span_sizes(n: int) -> tuple[int, int]:
    """How many of n tokens `corrupt_spans` takes out, and in how many spans; ValueError for fewer than two tokens."""
    if n < 2:
        raise ValueError(f"ids: expected at least 2 tokens in a row, got {n}.")
    n_out = max(round(n * CORRUPTED_SHARE), 1)
    return n_out, max(round(n_out / MEAN_SPAN), 1)


def corrupt_spans(ids: Tensor, generator: torch.Generator, *, sentinels: Tensor, begin_id: int, end_id: int) -> Batch:
    """Denoising by span corruption, for an encoder-decoder (Raffel et al., 2020, sections 3.1.4 and 3.3.4).

    Spans of 3 tokens in the mean, 15 % of whole rows [batch, position], are replaced by one sentinel each; the target
    is each sentinel with what stood there, then one more sentinel and the end token. Both sides open with the begin
    token. sentinels: ids [sentinel], at least one more than there are spans (`span_sizes`).

    All ways to place the spans are equally likely; between two of them at least one token stays.
    """
    batch, n = ids.shape
    n_out, n_spans = span_sizes(n)
    if len(sentinels) <= n_spans:
        raise ValueError(f"sentinels: expected at least {n_spans + 1} for rows of {n} tokens, got {len(sentinels)}.")
    out = _pieces(batch, n_out, n_spans, generator)
    stay = _pieces(batch, n - n_out + 2, n_spans + 1, generator)
    stay[:, [0, -1]] -= 1  # the first and the last piece that stays may be empty
    ends = torch.stack((stay[:, :-1], out), dim=2).flatten(1).cumsum(1)  # [batch, piece]
    piece = (torch.arange(n)[:, None] >= ends[:, None]).sum(2)  # [batch, position]  odd pieces go
    goes, marker = piece % 2 == 1, sentinels[piece // 2]
    opens = goes.clone()
    opens[:, 1:] &= ~goes[:, :-1]
    source = torch.where(opens, marker, ids)[~goes | opens].view(batch, n - n_out + n_spans)
    both = torch.stack((marker, ids), dim=2)[torch.stack((opens, goes), dim=2)].view(batch, n_out + n_spans)
    closing = torch.stack((sentinels[n_spans], torch.tensor(end_id))).expand(batch, 2)
    begin = torch.full((batch, 1), begin_id)
    target = torch.cat((begin, both, closing), dim=1)
    asked = torch.ones(batch, target.shape[1] - 1, dtype=torch.bool)
    source = torch.cat((begin, source), dim=1)
    return Batch(source, torch.ones_like(source, dtype=torch.bool), asked, target[:, 1:][asked], target[:, :-1], asked)


def _pieces(batch: int, total: int, parts: int, generator: torch.Generator) -> Tensor:
    """`total` cut into `parts` pieces of at least 1, every way equally likely: [batch, part]."""
    places = torch.rand(batch, total - 1, generator=generator).argsort(1)[:, : parts - 1] + 1
    edges = torch.cat((torch.zeros(batch, 1, dtype=torch.long), places, torch.full((batch, 1), total)), dim=1)
    return edges.sort(1).values.diff(dim=1)
