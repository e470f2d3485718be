"""Measure examples/keyboard.py: three writers, three seeds, each way to learn, and more and more typed words.

    cd tests && ../.venv/bin/python -m bench.keyboard         # prints the tables of docs/guides/keyboard.md, and draws
    cd tests && ../.venv/bin/python -m bench.keyboard rates   # each learning rate, on the book left out for that

All on the twin. Each result is a line of build/keyboard/measured.jsonl, so a run that was stopped continues; delete
the file to measure again.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[2] / "examples"))

import keyboard

from gradmote.compiler import Result
from gradmote.device import TwinTarget

from data import bible
from next_word.network import SIZE, Size, general_model
from next_word.owner import LEARNINGS, compile_for
from next_word.vocabulary import Vocabulary

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "keyboard.svg"
MEASURED = ROOT / "build" / "keyboard" / "measured.jsonl"
SEEDS = (0, 1, 2)
RATES = (0.005, 0.01, 0.02, 0.03)
#: Of the picture: words typed, and all of a book (None).
TYPED = (1000, 2000, 4000, 8000, None)
CHOSEN = "lora8"
Run = dict[str, Any]


def run(seed: int, book: str, name: str, typed: int | None = None, spare: int = SIZE.spare, rate: float = 0) -> Run:
    """Return the result of one run, measured now or earlier. rate: another one than that of the learning."""
    rate = rate or LEARNINGS[name].rate
    key = {"seed": seed, "book": book, "name": name, "typed": typed, "spare": spare, "rate": rate}
    for line in MEASURED.read_text().splitlines() if MEASURED.exists() else ():
        found: Run = json.loads(line)
        if key.items() <= found.items():
            return found
    compiled, vocabulary = compiled_for(seed, name, spare, rate)
    with TwinTarget("strict") as twin:
        shares = keyboard.personalize(twin, compiled, vocabulary, book, typed, keyboard.PASSES)
    done = {
        **key,
        "before": shares[0],
        "after": shares[1],
        "own": len(vocabulary.own),
        "ram": compiled.layout.arena_size,
    }
    MEASURED.parent.mkdir(parents=True, exist_ok=True)
    with MEASURED.open("a") as file:
        file.write(json.dumps(done) + "\n")
    return done


@cache
def general(seed: int) -> tuple[Any, list[str]]:
    """Return the pre-trained model, and its words."""
    return general_model(seed)


def compiled_for(seed: int, name: str, spare: int, rate: float) -> tuple[Result, Vocabulary]:
    """Return the image, and the vocabulary of an owner who has typed nothing."""
    model, words = general(seed)
    size = Size(spare=spare)
    return compile_for(model, LEARNINGS[name]._replace(rate=rate), size), Vocabulary(words, spare)


# ---- Tables -------------------------------------------------------------------------------------------------------


def rates() -> Iterable[str]:
    """Yield the share reached on the trial book with each rate, and the best one."""
    (book,) = bible.TRIAL
    yield f"| on {book} | {' | '.join(f'{rate:g}' for rate in RATES)} | best |"
    yield "| --- |" + " ---: |" * (len(RATES) + 1)
    for name, learning in LEARNINGS.items():
        shares = [run(0, book, name, rate=rate)["after"] for rate in RATES]
        best = RATES[int(np.argmax(shares))]
        yield f"| {learning.title} | {' | '.join(f'{share:.1%}' for share in shares)} | {best:g} |"


def writers() -> Iterable[str]:
    """Yield a row for each writer: before, after, and what rows for own words contribute."""
    yield "| writer | words typed | before | after | gain, each seed | without rows for own words |"
    yield "| --- | ---: | ---: | ---: | --- | ---: |"
    for book in bible.WRITERS:
        runs = [run(seed, book, CHOSEN) for seed in SEEDS]
        bare = [run(seed, book, CHOSEN, spare=0) for seed in SEEDS]
        typed = sum(len(verse) for verse in keyboard.split(bible.load().own[book])[0])
        gains = ", ".join(f"{100 * (found['after'] - found['before']):+.1f}" for found in runs)
        yield (
            f"| {book} | {typed:,} | {mean(runs, 'before'):.1%} | {mean(runs, 'after'):.1%} | {gains} | "
            f"{mean(bare, 'after'):.1%} |"
        )


def learnings() -> Iterable[str]:
    """Yield a row for each way to learn: its RAM, the share reached, and points gained per 10 KB."""
    yield f"| trains | RAM | {' | '.join(bible.WRITERS)} | mean gain | per 10 KB of RAM |"
    yield "| --- | ---: |" + " ---: |" * (len(bible.WRITERS) + 2)
    for name, learning in LEARNINGS.items():
        runs = {book: [run(seed, book, name) for seed in SEEDS] for book in bible.WRITERS}
        every = [found for of_one in runs.values() for found in of_one]
        gain, ram = 100 * (mean(every, "after") - mean(every, "before")), every[0]["ram"]
        shares = " | ".join(f"{mean(of_one, 'after'):.1%}" for of_one in runs.values())
        yield f"| {learning.title} | {ram:,} B | {shares} | {gain:+.1f} | {gain / ram * 1e4:.2f} |"


def mean(runs: list[Run], figure: str) -> float:
    return float(np.mean([found[figure] for found in runs]))


# ---- The picture --------------------------------------------------------------------------------------------------


def draw() -> None:
    """Draw the share over the words typed; a band from the lowest to the highest seed."""
    mpl.use("Agg")
    from bench.front_page import STYLE
    from matplotlib import pyplot

    with mpl.rc_context(STYLE):
        figure, axes = pyplot.subplots(figsize=(6, 4), constrained_layout=True)
        for number, book in enumerate(bible.WRITERS):
            typed, shares = curve(book)
            axes.fill_between(typed, shares.min(axis=1), shares.max(axis=1), color=f"C{number}", alpha=0.2, linewidth=0)
            axes.plot(typed, shares.mean(axis=1), color=f"C{number}", marker="o", markersize=4)
            axes.annotate(book.title(), (typed[-1], shares[-1].mean()), (6, -3), textcoords="offset points")
        axes.set(xlabel="words typed", ylabel="held-out words among 3 suggestions (%)")
        axes.set_title(f"The keyboard learns its writer, in {run(0, book, CHOSEN)['ram'] / 1e3:.0f} KB of RAM")
        axes.set_xlim(0, 1.2 * max(curve(book)[0][-1] for book in bible.WRITERS))
        axes.xaxis.set_major_formatter("{x:,.0f}")
        figure.savefig(PICTURE, metadata={"Date": None})


def curve(book: str) -> tuple[list[int], np.ndarray]:
    """Return the numbers of words typed, and the shares in percent (numbers, seeds)."""
    whole = sum(len(verse) for verse in keyboard.split(bible.load().own[book])[0])
    counts = [count for count in TYPED if count is None or count < whole]
    shares = [[run(seed, book, CHOSEN, count)["after"] for seed in SEEDS] for count in counts]
    before = [run(seed, book, CHOSEN)["before"] for seed in SEEDS]
    return [0, *(count or whole for count in counts)], 100 * np.array([before, *shares])


def main() -> None:
    """Print what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=["all", "rates"], default="all")
    if parser.parse_args().what == "rates":
        print(*rates(), sep="\n")
        return
    print(*writers(), "", *learnings(), sep="\n")
    draw()
    print(f"\nwrote {PICTURE}")


if __name__ == "__main__":
    main()
