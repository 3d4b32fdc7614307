"""The five kinds of vocabulary: how each cuts text into words, learns its entries, and is built with `tokenizers`.

Training is made deterministic here, which the library's own trainers are not: WordPiece numbers its '##' letters, and
Unigram its rarest letters, in the order of a hash table that is seeded anew in every run.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import tokenizers
from tokenizers import Regex, models, pre_tokenizers, trainers

KINDS = ("word", "character", "byte-bpe", "wordpiece", "unigram")
SPACE = "▁"  # what Unigram writes for a space (Kudo and Richardson, 2018)
PREFIX = "##"  # what WordPiece writes before a piece that continues a word (Devlin et al., 2019)
Model = models.WordLevel | models.BPE | models.WordPiece | models.Unigram


def check_kind(kind: str, unknown: str | None) -> None:
    """ValueError for an unknown kind, and for a kind other than byte-bpe without a name for its unknown token."""
    if kind not in KINDS:
        raise ValueError(f"expected a tokenizer kind out of {', '.join(KINDS)}, got {kind!r}")
    if kind != "byte-bpe" and unknown is None:
        raise ValueError(f"expected a name for the unknown token, which kind {kind!r} needs, got None")


def pre_tokenizer(kind: str) -> pre_tokenizers.PreTokenizer:
    """How a kind cuts text into words.

    word, wordpiece: at white space, which vanishes, and around each punctuation mark. character: the same, but white
    space stays, each one a word. byte-bpe: GPT-2's pattern, a space belonging to the word after it. unigram: before
    each space. None invents a space that is not in the text.
    """
    if kind in ("word", "wordpiece"):
        return pre_tokenizers.BertPreTokenizer()
    if kind == "character":
        spaces = pre_tokenizers.Split(Regex(r"\s"), "isolated")
        return pre_tokenizers.Sequence([spaces, pre_tokenizers.Punctuation("isolated")])
    if kind == "byte-bpe":
        return pre_tokenizers.ByteLevel(add_prefix_space=False)
    return pre_tokenizers.Metaspace(replacement=SPACE, prepend_scheme="never")


def listed_model(kind: str, entries: Sequence[str], names: Sequence[str], unknown: str | None) -> Model:
    """A word or character vocabulary: the special names, then the entries, in this order."""
    vocab = {entry: index for index, entry in enumerate((*names, *entries))}
    return build_model(kind, {"vocab": vocab, "merges": []}, unknown)


def build_model(kind: str, entries: Mapping[str, Any], unknown: str | None) -> Model:
    """The library's model from its entries alone ("vocab", and "merges" for BPE); the settings are the kind's own."""
    vocab = entries["vocab"]
    if kind == "word":
        return models.WordLevel(vocab, unk_token=unknown or "")
    if kind == "wordpiece":
        return models.WordPiece(vocab, unk_token=unknown or "", continuing_subword_prefix=PREFIX)
    if kind == "unigram":
        scored = [(str(entry), float(score)) for entry, score in vocab]
        return models.Unigram(scored, unk_id=[entry for entry, _ in scored].index(unknown or ""))
    merges = [(str(left), str(right)) for left, right in entries["merges"]]
    # A character vocabulary is BPE without merges, so that letters know which word they are part of.
    return models.BPE(vocab, merges, unk_token=unknown) if kind == "character" else models.BPE(vocab, merges)


def assemble(kind: str, model: Model, names: Sequence[str]) -> tokenizers.Tokenizer:
    """The library's tokenizer: cutting, model, and the special names, which are found before any cutting."""
    library = tokenizers.Tokenizer(model)
    library.pre_tokenizer = pre_tokenizer(kind)
    library.add_special_tokens([tokenizers.AddedToken(name, special=True, normalized=False) for name in names])
    return library


def train_model(
    kind: str, texts: Iterable[str], vocab_size: int | None, names: Sequence[str], unknown: str | None
) -> Model:
    """Learn a vocabulary from texts (special names in them are left out); see `Tokenizer.train` for the errors."""
    cut = pre_tokenizer(kind)
    at_names = re.compile("|".join(map(re.escape, names)) or "(?!)")  # (?!) matches nowhere
    pieces = [piece for text in texts for piece in at_names.split(text)]
    if not any(piece.strip() for piece in pieces):
        raise ValueError("expected texts to learn a vocabulary from, got no text in them")
    words = Counter(word for piece in pieces for word, _ in cut.pre_tokenize_str(piece))
    n_names = len(names)
    if kind in ("word", "character"):
        counts = words if kind == "word" else Counter(char for piece in pieces for char in piece)
        size = _size(kind, vocab_size, n_names + len(counts), n_names + 1, f"{n_names} special tokens and 1 entry")
        ranked = sorted(counts, key=lambda entry: (-counts[entry], entry))
        return listed_model(kind, ranked[: size - n_names], names, unknown)
    letters = sorted({char for word in words for char in word})
    model: Model
    trainer: Any
    if kind == "byte-bpe":
        size = _size(kind, vocab_size, 512, n_names + 256, f"{n_names} special tokens and 256 bytes")
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        model = models.BPE()
        trainer = trainers.BpeTrainer(
            vocab_size=size, special_tokens=list(names), initial_alphabet=alphabet, show_progress=False
        )
    elif kind == "wordpiece":
        # Handing all letters over as fixed entries pins their numbers, and with them every tie between merges.
        fixed = [*names, *letters, *sorted({PREFIX + char for word in words for char in word[1:]})]
        needs = f"{n_names} special tokens and {len(fixed) - n_names} letters, alone and continuing"
        size = _size(kind, vocab_size, 512, len(fixed), needs)
        model = models.WordPiece(unk_token=unknown or "")
        trainer = trainers.WordPieceTrainer(vocab_size=size, special_tokens=fixed, show_progress=False)
    else:
        size = _size(
            kind, vocab_size, 512, n_names + len(letters), f"{n_names} special tokens and {len(letters)} letters"
        )
        model = models.Unigram()
        trainer = trainers.UnigramTrainer(
            vocab_size=size, special_tokens=list(names), unk_token=unknown, show_progress=False
        )
    library = tokenizers.Tokenizer(model)
    library.pre_tokenizer = cut
    library.train_from_iterator(pieces, trainer)
    entries: dict[str, Any] = json.loads(library.to_str())["model"]
    return build_model(kind, _settled(entries, n_names, size) if kind == "unigram" else entries, unknown)


def _size(kind: str, asked: int | None, usual: int, least: int, parts: str) -> int:
    if asked is not None and asked < least:
        raise ValueError(f"expected a vocab_size of at least {least} for kind {kind!r} ({parts}), got {asked}")
    return max(usual, least) if asked is None else asked


def _settled(entries: dict[str, Any], n_names: int, size: int) -> dict[str, Any]:
    """Unigram entries in one fixed order: likeliest first, ties by spelling.

    Scores differ in the last bits from run to run (the order of a parallel sum), hence the rounding. Letters that no
    piece needed get the lowest score plus 0.0001, 0.0002, ... in hash order: the same scores, handed out by spelling.
    The library overshoots a size that is close to the number of letters: the unlikeliest longer pieces go.
    """
    scores = {str(entry): float(score) for entry, score in entries["vocab"][n_names:]}
    floor = min(scores.values())
    steps = {entry: (score - floor) * 1e4 for entry, score in scores.items() if len(entry) == 1}
    spare = sorted(entry for entry, step in steps.items() if step < len(steps) + 1 and abs(step - round(step)) < 1e-4)
    scores |= dict(zip(spare, sorted((scores[entry] for entry in spare), reverse=True), strict=True))
    ranked = sorted((-round(score, 6), entry) for entry, score in scores.items())
    longer = [entry for _, entry in ranked if len(entry) > 1]
    dropped = set(longer[max(0, len(longer) - max(0, n_names + len(ranked) - size)) :])
    kept = [(entry, -cost) for cost, entry in ranked if entry not in dropped]
    return {"vocab": [*entries["vocab"][:n_names], *kept]}
