"""How a keyboard learns from what its owner types, on any target, and how often its suggestions are right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import onnx
from rich.progress import track

from gradmote import losses, optimizers
from gradmote.compiler import Options, Result, compile_model
from gradmote.device import Target, TwinTarget
from gradmote.errors import ModelError

from data.bible import Verse
from next_word.network import SIZE, Size, personal_model
from next_word.vocabulary import CONTEXT, START, Vocabulary, samples
from shared import report

#: How often the keyboard goes over the typed text.
PASSES = 3
#: Chapter 5, 10, 15, ... of a book is held out.
HELD_OUT = 5


class Learning(NamedTuple):
    """A way to learn on the device: what trains (docs/SCHEMES.md), beside an adapter of this rank."""

    title: str
    scheme: str
    rank: int
    rate: float  #: chosen on the book of bible.TRIAL, from a general model that had read the text four times


LEARNINGS = {
    "full": Learning("everything", "full", 0, 0.01),
    "last": Learning("the last layer", "named:head_*", 0, 0.02),
    "sparse": Learning(
        "a quarter of the last layer's rows, and all biases", "sparse:0.25:named:head_weight+bias", 0, 0.02
    ),
    "bias": Learning("the biases", "bias", 0, 0.02),
    "hidden": Learning("the hidden layer, and all biases", "named:hidden_weight+bias", 0, 0.01),
    "lora": Learning("LoRA of rank 8 on the last layer, and all biases", "named:lora_*+bias", 8, 0.02),
    "lora4": Learning("LoRA of rank 4, the hidden layer, all biases", "named:lora_*,hidden_weight+bias", 4, 0.01),
    "lora8": Learning("LoRA of rank 8, the hidden layer, all biases", "named:lora_*,hidden_weight+bias", 8, 0.01),
}


def learning(name: str) -> Learning:
    """Return one of LEARNINGS. Raises ModelError for any other name."""
    if name not in LEARNINGS:
        raise ModelError(f"there is no learning '{name}'", f"choose one of {', '.join(LEARNINGS)}")
    return LEARNINGS[name]


def compile_for(general: onnx.ModelProto, chosen: Learning, size: Size = SIZE) -> Result:
    """Return the image that learns one word a step, by SGD."""
    model = personal_model(general, size.spare, chosen.rank)
    rule = optimizers.sgd(chosen.rate)
    return compile_model(model, losses.cross_entropy(), rule, Options(batch=1), scheme=chosen.scheme)


def split(chapters: Sequence[Sequence[Verse]]) -> tuple[list[Verse], list[Verse]]:
    """Return the verses that the owner types, in their order, and those that are held out."""
    parts: tuple[list[Verse], list[Verse]] = ([], [])
    for number, chapter in enumerate(chapters, start=1):
        parts[number % HELD_OUT == 0].extend(chapter)
    return parts


def first_words(verses: Sequence[Verse], count: int | None) -> list[Verse]:
    """Return the first `count` words, in their verses; None returns all."""
    left = count if count is not None else sum(map(len, verses))
    found = []
    for verse in verses:
        found.append(verse[:left])
        left -= len(found[-1])
    return [verse for verse in found if verse]


def type_text(verses: Sequence[Verse], vocabulary: Vocabulary) -> tuple[np.ndarray, np.ndarray]:
    """Return contexts (words, CONTEXT) and words of typed verses; new words get their rows as they are typed."""
    contexts, following = [], []
    for verse in verses:
        rows = [START] * CONTEXT
        for word in verse:
            contexts.append(rows[-CONTEXT:])
            rows.append(vocabulary.type(word))
        following += rows[CONTEXT:]
    return np.array(contexts, np.int32).reshape(-1, CONTEXT), np.array(following, np.int32)


def learn(target: Target, contexts: np.ndarray, following: np.ndarray, rate: float, passes: int = PASSES) -> None:
    """Go over the typed words in their order, one word a step, at a rate that falls to 0."""
    if not len(following) or not passes:
        return
    target.set_linear_schedule(rate, warmup_steps=0, total_steps=passes * len(following))
    step = step_on(target)
    for at in track(
        list(range(len(following))) * passes, f"{target.name} learns", console=report.console, transient=True
    ):
        step(contexts[at : at + 1], following[at : at + 1])


def step_on(target: Target) -> Callable[[np.ndarray, np.ndarray], object]:
    """Return a function that trains on one context and the word after it.

    The twin's session is called directly: its step takes 50 us, that of a Target 200 us.
    """
    if isinstance(target, TwinTarget):
        return target.session.step

    def step(context: np.ndarray, word: np.ndarray) -> object:
        target.write("input", 0, context)
        target.write("label", 0, word)
        return target.run("step")

    return step


def scores_on(target: Target) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function from one context to the scores of all rows."""
    if isinstance(target, TwinTarget):
        session = target.session
        return lambda context: np.array(session.infer(context)[0]).ravel()

    def scores(context: np.ndarray) -> np.ndarray:
        target.write("input", 0, context)
        target.run("infer")
        return target.output(0).ravel()

    return scores


def top_three(target: Target, verses: Sequence[Verse], vocabulary: Vocabulary) -> float:
    """Return the share of words that were among the three suggestions before they were typed.

    A word without a row is never among them, so it counts as a miss.
    """
    contexts, following = samples(verses, vocabulary)
    scores_of, right = scores_on(target), 0
    wordless = np.flatnonzero([word is None for word in vocabulary.words])
    for context, row in zip(track(contexts, "testing", console=report.console, transient=True), following):
        scores = scores_of(context[None])
        scores[wordless] = -np.inf
        right += vocabulary.words[row] is not None and np.count_nonzero(scores > scores[row]) < 3
    return right / len(following)
