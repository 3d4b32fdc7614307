"""What every head answers when it is asked for the words of a grammatical relation.

A question is a word with the right words to read; a head answers with the word that has the largest weight. Special
tokens do not compete (they take what a head does not need: Clark et al., 2019, section 3.2), yet their weight is not
given to the others: `weight` is as the model has it. A query with several right keys (two subjects of a verb) is one
question: either is right. A query that may read fewer than two words is no question.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from viz_model.analysis.gold_links import GoldLink, Reading, gold_links, largest_is_gold, readings
from viz_model.encoding import Encoding
from viz_model.models.one_stack import OneStack

CHUNK = 128  # sentences that are run at once


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What every head answered to the questions of one relation and reading."""

    sentence: Tensor  # [question]
    hits: Tensor  # bool [question, layer, head]
    weight: Tensor  # [question, layer, head]  on the right words
    offsets: tuple[frozenset[int], ...]  # of the right keys, one set a question
    n_words: Tensor  # [question]  words that the query may read
    n_gold: Tensor  # [question]
    n_keys: Tensor  # [question]  words and special tokens

    def offset_hits(self, offset: int) -> Tensor:
        """Which questions a head that always reads at `offset` gets right: [question], 0 or 1."""
        return torch.tensor([float(offset in right) for right in self.offsets])


@torch.inference_mode()
def answers(model: OneStack, sentences: Sequence[str]) -> dict[tuple[str, Reading], Answers]:
    """Runs the sentences and asks every question; relations that they do not hold have no entry."""
    if model.tokenizer is None:
        raise ValueError("model: expected one with a tokenizer (vm.load gives one), got a bare model.")
    parts: defaultdict[tuple[str, Reading], list[tuple[Tensor, ...]]] = defaultdict(list)
    offsets: defaultdict[tuple[str, Reading], list[frozenset[int]]] = defaultdict(list)
    encodings = [model.tokenizer.encode(sentence) for sentence in sentences]
    linked = [(i, encoding, gold_links(encoding)) for i, encoding in enumerate(encodings)]
    linked = sorted((entry for entry in linked if entry[2]), key=lambda entry: len(entry[1]))
    for start in range(0, len(linked), CHUNK):
        chunk = linked[start : start + CHUNK]
        ids, words = _padded([encoding for _, encoding, _ in chunk])
        attention = [block.attention for block in model(ids, mask=words >= 0).blocks]
        weights = torch.stack([layer.weights for layer in attention], dim=1)  # [text, layer, head, query, key]
        open_keys = attention[0].mask[:, 0].expand(len(chunk), -1, -1)
        for kind, questions in _questions([links for _, _, links in chunk], is_causal=model.is_causal).items():
            text, query = (torch.tensor([question[i] for question in questions]) for i in (0, 1))
            rows, keys = weights[text, :, :, query], open_keys[text, query]  # [question, layer, head, key], [.., key]
            gold = torch.zeros_like(keys)
            for i, (_, _, right) in enumerate(questions):
                gold[i, list(right)] = True
            rival = keys & (words[text] > 0)
            counts = rival.sum(-1)
            kept = counts > 1
            hits = largest_is_gold(rows, gold[:, None, None], rival[:, None, None])
            on_gold = (rows * gold[:, None, None]).sum(-1)
            sentence = torch.tensor([chunk[i][0] for i in text.tolist()])
            columns = (sentence, hits, on_gold, counts, gold.sum(-1), keys.sum(-1))
            parts[kind].append(tuple(column[kept] for column in columns))
            offsets[kind] += [
                frozenset(key - question[1] for key in question[2])
                for question, keep in zip(questions, kept.tolist(), strict=True)
                if keep
            ]
    found = {}
    for kind, chunks in parts.items():
        if offsets[kind]:
            sentence, hits, on_gold, counts, n_gold, n_keys = map(torch.cat, zip(*chunks, strict=True))
            found[kind] = Answers(sentence, hits, on_gold, tuple(offsets[kind]), counts, n_gold, n_keys)
    return found


def encoded_texts(model: OneStack, texts: Sequence[str]) -> tuple[Tensor, Tensor, Tensor]:
    """Texts as `head_atlas` takes them: ids [text, position], and which are present and special (bool)."""
    if model.tokenizer is None:
        raise ValueError("model: expected one with a tokenizer (vm.load gives one), got a bare model.")
    ids, words = _padded([model.tokenizer.encode(text) for text in texts])
    return ids, words >= 0, words == 0


def _padded(encodings: Sequence[Encoding]) -> tuple[Tensor, Tensor]:
    """ids [text, position], and what each position is: 1 a word, 0 a special token, -1 padding."""
    width = max(map(len, encodings))
    ids = torch.tensor([[*e.ids, *[0] * (width - len(e))] for e in encodings])
    words = torch.tensor([[*(int(not s) for s in e.special), *[-1] * (width - len(e))] for e in encodings])
    return ids, words


def _questions(
    links: Sequence[tuple[GoldLink, ...]], *, is_causal: bool
) -> dict[tuple[str, Reading], list[tuple[int, int, frozenset[int]]]]:
    """(text, query, right keys) by relation and reading."""
    right: defaultdict[tuple[str, Reading], defaultdict[tuple[int, int], set[int]]]
    right = defaultdict(lambda: defaultdict(set))
    for text, of_text in enumerate(links):
        for link in of_text:
            for reading in readings(is_causal=is_causal):
                query, key = link.ends(reading)
                right[link.relation, reading][text, query].add(key)
    return {kind: [(*at, frozenset(keys)) for at, keys in asked.items()] for kind, asked in right.items()}
