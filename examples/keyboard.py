"""Keyboard: a network that suggests the next word learns how its owner writes, on the keyboard itself.

A book of the King James Version is what one owner writes; the network has seen 62 other books. The owner types four
chapters of five; then its three suggestions are tested on the others. Words that it did not know get rows of their
own when they are typed twice (docs/guides/keyboard.md).

    ./run example keyboard                                # three writers; pre-training takes a minute, once
    ./run example keyboard --book revelation --train last
    ./run example keyboard --book revelation --typed 500 --on qemu:mps2-an386
"""

from __future__ import annotations

import hashlib

from gradmote.compiler import Result
from gradmote.device import Target, load_with_progress, open_target
from gradmote.errors import DataError

from data import bible
from next_word.network import PRETRAINING_EPOCHS, SIZE, general_model
from next_word.owner import PASSES, compile_for, first_words, learn, learning, split, top_three, type_text
from next_word.vocabulary import Vocabulary
from shared import report


def personalize(
    target: Target, compiled: Result, vocabulary: Vocabulary, book: str, typed: int | None, passes: int
) -> tuple[float, float]:
    """Return the share of held-out words among three suggestions, before and after the owner typed the book."""
    own, held_out = split(bible.load().own[book])
    load_with_progress(target, compiled.image)
    before = top_three(target, held_out, vocabulary)
    contexts, following = type_text(first_words(own, typed), vocabulary)
    learn(target, contexts, following, compiled.compiled.learning_rate, passes)
    return before, top_three(target, held_out, vocabulary)


def main(
    book: str = "all",
    train: str = "lora8",
    seed: int = 0,
    passes: int = PASSES,
    typed: int | None = None,
    pretraining_epochs: int = PRETRAINING_EPOCHS,
    on: str = "twin:strict",
) -> float:
    """Learn from the writer of BOOK: proverbs, ezekiel, revelation, or all. TYPED: only so many words of each.
    TRAIN: full, last, sparse, bias, hidden, lora, lora4 or lora8. Returns the share reached, mean over the books."""
    if book not in ("all", *bible.WRITERS):
        raise DataError(f"there is no writer '{book}'", f"choose one of {', '.join(bible.WRITERS)}, all")
    chosen, (general, words) = learning(train), general_model(seed, pretraining_epochs)
    compiled = compile_for(general, chosen)
    reached: dict[str, tuple[float, float]] = {}
    with open_target(on) as target:
        for name in bible.WRITERS if book == "all" else [book]:
            vocabulary = Vocabulary(words, SIZE.spare)
            reached[name] = personalize(target, compiled, vocabulary, name, typed, passes)
            report.say(f"{name}: own words such as {', '.join(vocabulary.own[:12])}")
            report.say(f"{name}: checkpoint on {target.name}, sha256 {hashlib.sha256(target.save()).hexdigest()}")
    report.before_after(f"Words among 3 suggestions; {chosen.title} trained, on {target.name}", reached)
    report.on_the_board(compiled)
    return sum(after for _, after in reached.values()) / len(reached)


if __name__ == "__main__":
    report.run(main)
