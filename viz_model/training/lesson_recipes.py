"""The runs of the lesson 'Why not RNNs or CNNs': one task, and bodies of equal size."""

from __future__ import annotations

from dataclasses import replace

from viz_model.analysis.equal_size import parameter_count, with_parameters
from viz_model.body_configs import ConvolutionalConfig
from viz_model.tasks.names import make_task
from viz_model.training.build import body_shape, build
from viz_model.training.recipe import Recipe

# Two layers of one head, attention alone, as for induction: the first carries each name to the number after it, the
# second looks it up.
# Batches of 32: half the time of 64, and no more steps are needed. At a rate of 4e-3 and above some seeds are late.
ATTENTION = Recipe(
    task="", position="rotary", n_heads=1, feed_forward=False, context_length=256, batch_size=32, steps=300
)
RNN = replace(ATTENTION, body="rnn", n_layers=1)
LSTM = replace(ATTENTION, body="lstm", n_layers=1)
CNN = replace(ATTENTION, body="cnn", n_layers=5, kernel=3, dilation=2)  # it sees 63 positions
FORGET_BIAS = 3.0  # a forget gate of .95: half of a cell is left after 14 tokens


def recall_recipes(n_pairs: int = 16) -> dict[str, Recipe]:
    """Associative recall: body -> recipe. The LSTM has a forget bias, the CNN the layers that see all of the text."""
    task_name = f"associative-recall-{n_pairs}"
    n = make_task(task_name).held_out().ids.shape[1]
    whole = replace(CNN, n_layers=ConvolutionalConfig(vocab_size=1, kernel=3, dilation=2).layers_to_span(n))
    return _equal(task_name, {"attention": ATTENTION, "rnn": RNN, "lstm": replace(LSTM, forget_bias=2.0), "cnn": whole})


def first_token_recipes(distance: int = 20, *, forget_bias: float = FORGET_BIAS) -> dict[str, Recipe]:
    """The first token at a distance: body -> recipe.

    The LSTM without and with a forget bias, the CNN with a receptive field of 63 and, undilated, of 11 positions.
    """
    bodies = {
        "attention": ATTENTION,
        "rnn": RNN,
        "lstm": LSTM,
        "lstm-forget": replace(LSTM, forget_bias=forget_bias),
        "cnn": CNN,
        "cnn-narrow": replace(CNN, dilation=1),
    }
    return _equal(f"first-token-{distance}", {name: replace(body, steps=200) for name, body in bodies.items()})


def _equal(task_name: str, bodies: dict[str, Recipe]) -> dict[str, Recipe]:
    """The bodies for one task, as wide as it takes to have attention's number of parameters, to 5 %."""
    task = make_task(task_name)
    found = {name: replace(body, task=task_name) for name, body in bodies.items()}
    target = parameter_count(build(found["attention"], task, seed=0))
    for name, recipe in found.items():
        if recipe.body != "transformer":
            shape = with_parameters(body_shape(recipe, task.tokenizer.vocab_size), target)
            found[name] = replace(recipe, d_model=shape.d_model)
    return found


lesson_recipes: dict[str, Recipe] = {
    **{f"recall-16-{body}": recipe for body, recipe in recall_recipes(16).items()},
    **{f"first-token-20-{body}": recipe for body, recipe in first_token_recipes(20).items()},
    **{f"first-token-50-{body}": recipe for body, recipe in first_token_recipes(50).items()},
}
