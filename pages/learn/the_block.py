"""The block: its diagram with live tensors, the residual stream, the norm, the neurons, and the gradient by depth."""

from importlib import import_module

from pages.learn.parts import the_block_choice as choice
from pages.ui import chrome

words = chrome.prose("the_block")
chrome.head("The block", words["idea"])

part = choice.part()
lesson = choice.choose() if part in choice.OF_THE_MODEL else None
chrome.notes()

# Imported when it is looked at: some parts bring a plotting library, or the trainer.
import_module(f"pages.learn.parts.the_block_{part}").show(lesson, words)

choice.equation(part, lesson, words)
chrome.experiments(choice.EXPERIMENTS)
chrome.question(words["question"], choice.CHOICES, lambda: choice.does_it_learn(words), key="predict_block")
