"""The table of all that a link carries: key, default, and how its value is read and written.

And the words that values may have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pages.ui.link_locks import HIDEABLE, LOCKABLE
from pages.ui.link_values import (
    cut_to_link,
    flag,
    free_text,
    model_name,
    number,
    one_of,
    one_of_numbers,
    selected_cell,
    whole,
    words,
    write_flag,
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One value of the state. `parse` reads a link's text and raises ValueError; `write` is its inverse.

    `known`: of a list, the words that it may hold. What else a link says is named in a note and left out, the others
    stay. (A list without `known` is read where it is used, word by word, since only there it is known what fits.)
    """

    default: Any
    parse: Callable[[str], Any]
    write: Callable[[Any], str] = str
    known: tuple[str, ...] = ()


def on_off(default: bool) -> Entry:
    return Entry(default, flag, write_flag)


def some_words(*known: str, default: tuple[str, ...] = ()) -> Entry:
    return Entry(default, words, "~".join, known)


MODELS = (
    *("english-causal", "english-masked", "untrained"),
    *("sentiment", "code", "induction", "copy", "reverse", "sort", "addition", "brackets"),
)
VIEWS = ("map", "arcs")
PANELS = ("query-key", "lens", "rollout", "values", "attribution", "generate", "tokens")
TASKS = (
    *("induction", "copy", "reverse", "sort", "addition", "brackets", "english-causal", "english-masked"),
    *("english-french", "sentiment", "question-answering", "summarising", "digits", "code", "own-text"),
)
SOURCES = ("topics", "source", "yours")
OBJECTIVES = ("causal", "masked", "prefix", "denoising")
TOKENIZERS = ("character", "byte-bpe", "wordpiece", "unigram", "word")
STEPS = ("tokens", "ids", "embedding", "positions", "norm", "qkv", "dots", "scale", "mask", "softmax", "heads", "out")
RELATIONS = (
    *("determiner-noun", "subject-verb", "verb-object", "head-preposition", "preposition-noun", "adjective-noun"),
    *("auxiliary-verb", "adverb-verb", "verb-predicate", "verb-complement", "verb-recipient"),
)
READINGS = ("back", "due", "ahead")
SCORED = ("best", "shown")
WIDTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
SCALE_PANELS = ("widths", "trained", "training")
SCALE_MEASURES = ("variance", "entropy", "gradient")
HEADS_PANELS = ("reads", "without", "adds", "budget")
KEPT = ("without", "only")
BLOCK_PARTS = ("diagram", "stream", "norm", "neurons", "start", "training")
BLOCK_LAYOUTS = ("own", "other")
BLOCK_ARROWS = (
    *("resid_pre", "normed_attention", "attention.out", "resid_mid"),
    *("normed_feed_forward", "feed_forward.out", "resid_post"),
)
BLOCK_NORMS = ("norm_attention", "norm_feed_forward", "final_norm")
BLOCK_NEURONS = ("here", "strongest", "word", "context")
BLOCK_VARIANTS = ("pre-norm", "post-norm", "pre-norm, no residual", "neither", "no norm")
POSITIONS_PARTS = ("picture", "properties", "further", "order")
ORDER_MASKS = ("full", "own")
COMPARISONS = ("recall", "first", "gradient", "costs", "steps", "field", "bottleneck")
DISTANCES = ("20", "50")
COUNTED = ("8", "16", "32", "64", "128", "256")
STEPPED = ("8", "16", "32")
PROBED = ("numbers", "names")
TRANSLATION_PARTS = ("writing", "beam", "forcing", "cheating", "components")
TRANSLATION_KINDS = ("cross", "decoder", "encoder")
APPLICATIONS = ("answers", "feeling", "summary", "translation", "code")
TUNED_WITH = (8, 16, 32, 64, 128, 256, 512)

TABLE: dict[str, Entry] = {
    # what is looked at, on every page
    "text": Entry("The cat sat on the mat", free_text, cut_to_link),
    "text_b": Entry("", free_text, cut_to_link),
    "model": Entry("english-causal", model_name(*MODELS)),
    "layer": Entry(0, whole(0, 63)),
    "head": Entry(0, whole(0, 63)),
    "query": Entry(2, whole(0, 4095)),
    "key": Entry(1, whole(0, 4095)),
    "edits": some_words(),
    # learn: the cat sat
    "mode": Entry("textbook", one_of("textbook", "sentence")),
    "step": Entry("tokens", one_of(*STEPS)),
    "word": Entry(1, whole(0, 4095)),
    "cell": Entry("", selected_cell),
    "changes": some_words(),
    "scaled": on_off(True),
    "causal": on_off(False),
    "softmax_temperature": Entry(1.0, number(0.1, 10.0)),
    # learn: self-attention on a sentence
    "relation": Entry("subject-verb", one_of(*RELATIONS)),
    "reading": Entry("back", one_of(*READINGS)),
    "follow": on_off(True),  # the head on show is the relation's best
    "scored": Entry("best", one_of(*SCORED)),
    "drawn": Entry(0, whole(0, 999)),  # the held-out sentence that comes next
    # learn: why scale
    "d_k": Entry(64, one_of_numbers(*WIDTHS)),
    # What is drawn: of 1,000 seeds, 56 has the rows that are nearest to the average at every width.
    "scale_seed": Entry(56, whole(0, 999)),
    "scale_panel": Entry("widths", one_of(*SCALE_PANELS)),
    "scale_measure": Entry("entropy", one_of(*SCALE_MEASURES)),
    # learn: heads
    "heads_panel": Entry("reads", one_of(*HEADS_PANELS)),
    "kept": Entry("without", one_of(*KEPT)),
    "measured_now": on_off(False),  # the ablations, on this server, beside the recorded ones
    # learn: positions
    "positions_part": Entry("picture", one_of(*POSITIONS_PARTS)),
    "pe_position": Entry(20, whole(0, 63)),
    "pe_width": Entry(32, whole(2, 96)),
    "pe_offset": Entry(5, whole(1, 50)),
    "pe_pair": Entry(0, whole(0, 47)),
    "order_first": Entry("cat sat dog", free_text, cut_to_link),
    "order_second": Entry("dog cat sat", free_text, cut_to_link),
    "order_mask": Entry("full", one_of(*ORDER_MASKS)),
    # learn: the block
    "block_part": Entry("diagram", one_of(*BLOCK_PARTS)),
    "block_layout": Entry("own", one_of(*BLOCK_LAYOUTS)),
    "block_arrow": Entry("resid_mid", one_of(*BLOCK_ARROWS)),
    "block_norm": Entry("norm_attention", one_of(*BLOCK_NORMS)),
    "block_neurons": Entry("here", one_of(*BLOCK_NEURONS)),
    "block_depth": Entry(12, whole(2, 24)),
    "block_variants": some_words(*BLOCK_VARIANTS, default=BLOCK_VARIANTS),
    "block_small": on_off(True),  # what enters the stream starts the smaller, the deeper the stack
    "block_step": Entry(150, whole(0, 150)),
    # learn: why not RNNs or CNNs
    "comparison": Entry("recall", one_of(*COMPARISONS)),
    "distance": Entry("50", one_of(*DISTANCES)),
    "forgets": on_off(False),  # the LSTM has a forget bias
    "wide": on_off(True),  # the CNN's layers read ever farther apart
    "far": Entry(50, whole(0, 63)),
    "counted": Entry("64", one_of(*COUNTED)),
    "stepped": Entry("16", one_of(*STEPPED)),
    "tick": Entry(2, whole(0, 32)),
    "field_layers": Entry(3, whole(1, 4)),
    "field_dilation": Entry(2, whole(1, 3)),
    "probed": Entry("numbers", one_of(*PROBED)),
    # learn: encoder and decoder
    "english": Entry("the black cat sees the old horse", free_text, cut_to_link),
    "translation_part": Entry("writing", one_of(*TRANSLATION_PARTS)),
    "by_word": on_off(False),  # the French grows: only what is written up to `written_to` is shown
    "written_to": Entry(3, whole(1, 64)),
    "translation_kind": Entry("cross", one_of(*TRANSLATION_KINDS)),
    "translation_layer": Entry(0, whole(0, 63)),
    "translation_head": Entry(0, whole(0, 63)),
    "best_head": on_off(True),  # of cross-attention, the head that was measured as the best
    "beam_width": Entry(3, whole(1, 5)),
    "beam_penalty": Entry(0.0, number(0.0, 3.0)),
    "beam_pruned": on_off(True),
    "encoder_depth": Entry(1, whole(1, 6)),
    "decoder_depth": Entry(1, whole(1, 6)),
    # explore: the workbench
    "view": Entry("map", one_of(*VIEWS)),
    "share": Entry(1.0, number(0.0, 1.0)),
    "panel": Entry("query-key", one_of(*PANELS)),
    "hide_specials": on_off(False),
    "renormalise": on_off(False),
    "merge_words": on_off(False),
    "first": Entry(0, whole(0, 4095)),
    "last": Entry(0, whole(0, 4095)),  # 0: to the end
    "temperature": Entry(1.0, number(0.0, 5.0)),
    "top_k": Entry(0, whole(0, 1000)),
    "top_p": Entry(1.0, number(0.05, 1.0)),
    "n_new": Entry(8, whole(1, 64)),
    "seed": Entry(0, whole(0, 2**31 - 1)),
    # train: live
    "task": Entry("induction", one_of(*TASKS)),
    "recipe": some_words(),  # what is not as the task's own recipe says
    "source": Entry("topics", one_of(*SOURCES)),
    "objective": Entry("causal", one_of(*OBJECTIVES)),
    "tokenizer": Entry("character", one_of(*TOKENIZERS)),
    "film": Entry("", one_of("", "self", "encoder", "decoder", "cross")),
    # families: applications
    "application": Entry("answers", one_of(*APPLICATIONS)),
    "app_layer": Entry(-1, whole(-1, 63)),  # -1: the head that was measured to be the best
    "app_head": Entry(-1, whole(-1, 63)),
    "qa_context": Entry(
        "Ben has a red hat. Anna is in the garden. The key is under the table. Clara has a blue bag.",
        free_text,
        cut_to_link,
    ),
    "qa_question": Entry("Where is Anna?", free_text, cut_to_link),
    "feeling_text": Entry("The music was lovely, but I did not like the film.", free_text, cut_to_link),
    "summary_text": Entry(
        "The tall nurse waited near the station. Above all, the old farmer quietly sold the brown horse on Monday. "
        "Later, Emma danced in the garden.",
        free_text,
        cut_to_link,
    ),
    "english_text": Entry("the black cat sees the old horse", free_text, cut_to_link),
    "code_text": Entry(
        "def add(self, value):\n    if value is None:\n        raise ValueError(", free_text, cut_to_link
    ),
    # families: fine-tuning
    "tuned_with": Entry(64, one_of_numbers(*TUNED_WITH)),
    "tuned_layer": Entry(2, whole(0, 63)),
    "tuned_head": Entry(0, whole(0, 63)),
    # how a teacher shares it
    "present": on_off(False),
    "hide": some_words(*HIDEABLE),
    "lock": some_words(*LOCKABLE),
}
