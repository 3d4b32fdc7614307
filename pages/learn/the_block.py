"""The block: its diagram with live tensors, the residual stream, the norm, the neurons, and the gradient by depth."""

from pages.learn.parts import the_block_choice as choice
from pages.ui import chrome

words = chrome.prose("the_block")
chrome.head("The block", words["idea"])

part = choice.part()
lesson = choice.choose() if part in choice.OF_THE_MODEL else None
chrome.notes()

if lesson is None:
    from pages.learn.parts import the_block_depth as depth

    depth.show(part, words)
elif part == "diagram":
    from pages.learn.parts import the_block_diagram as diagram

    diagram.show(lesson, words)
elif part == "neurons":
    from pages.learn.parts import the_block_neurons as neurons

    neurons.show(lesson, words)
else:
    from pages.learn.parts import the_block_stream as stream

    (stream.show if part == "stream" else stream.show_norm)(lesson, words)

choice.equation(part, lesson, words)
chrome.experiments(choice.EXPERIMENTS)
chrome.question(words["question"], choice.CHOICES, lambda: choice.does_it_learn(words), key="predict_block")
