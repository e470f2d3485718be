"""CPU time of a training step, of each contestant, in turns."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from bench.browser import cases
from bench.browser.cases import Case, Contestant
from bench.browser.chromium import Chromium, PageError
from bench.speed.cases import samples, training
from bench.speed.host import TIMED_RATE, calls_for
from bench.speed.peers import Child

TWIN = "twin"
CHECKED_STEPS = 3
#: A contestant that takes so many seconds for a step is timed in one round.
SLOW = 2.0

#: Takes so many steps, and returns the CPU seconds that they took.
Timer = Callable[[int], float]


@dataclass(frozen=True)
class Effort:
    """How long to measure. Each contestant first works for `warm_up` seconds. Then it is timed `rounds` times, in turns
    with the others, for `seconds` of CPU time each, which Chromium counts in hundredths."""

    rounds: int = 9
    seconds: float = 0.5
    warm_up: float = 1.5


QUICK = Effort(rounds=3, seconds=0.2, warm_up=0.5)


def measure(case: Case, contestants: Sequence[Contestant], browser: Chromium, effort: Effort) -> dict[str, Any]:
    """Return the seconds of a step in each round, and why a contestant is not among them:
    {"samples": {name: [...]}, "failed": {name: text}}."""
    losses, failed = first_losses(case, contestants, browser)
    failed |= strangers(losses)
    able = [contestant for contestant in contestants if contestant.name not in failed]
    for contestant in able:
        browser.open(contestant.address(case, is_timed=True), contestant.name)
    with twin_timer(case) as timer:
        timers = {contestant.name: page_timer(browser, contestant.name) for contestant in able}
        found = in_turns({**timers, TWIN: timer}, effort)
    for contestant in able:
        browser.ask(close=contestant.name)
    return {"samples": found, "failed": failed}


def first_losses(
    case: Case, contestants: Sequence[Contestant], browser: Chromium
) -> tuple[dict[str, list[float]], dict[str, str]]:
    """Return the losses of the first steps of those that can train the network, and the words of those that cannot."""
    losses: dict[str, list[float]] = {}
    failed: dict[str, str] = {}
    for contestant in contestants:
        try:
            browser.open(contestant.address(case), contestant.name)
            losses[contestant.name] = browser.ask(call=[contestant.name, "losses", CHECKED_STEPS])
        except PageError as error:
            failed[contestant.name] = str(error)
        browser.ask(close=contestant.name)
    return losses, failed


def strangers(losses: dict[str, list[float]]) -> dict[str, str]:
    """Return the contestants that compute something other than the first one, and what."""
    first, *_ = losses.values()
    expected = np.array(first)
    return {
        name: f"its losses are {found}, not {first}: it does other work"
        for name, found in losses.items()
        if not np.allclose(found, expected, rtol=cases.TOLERANCE)
    }


def page_timer(browser: Chromium, name: str) -> Timer:
    return lambda steps: float(browser.ask(time=[name, steps]))


@contextmanager
def twin_timer(case: Case) -> Iterator[Timer]:
    """The strict twin from Python, which hands over its arrays in each step as the pages do."""
    child = Child("twin.py")
    try:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "image.mote").write_bytes(training(case.network, cases.RULE, case.batch, "batch").image)
            for name, array in zip("xy", samples(case.network, case.batch)):
                np.save(Path(folder, f"{name}.npy"), array)
            opened = {"folder": folder, "image": "image.mote", "program": "train", "rate": TIMED_RATE}
            child.ask(open={**opened, "calls": "python", "profile": "strict"})
        yield lambda steps: float(child.ask(time=steps))
    finally:
        child.close()


def in_turns(timers: dict[str, Timer], effort: Effort) -> dict[str, list[float]]:
    """Return the seconds of a step, of each, in each round."""
    steps = {name: warmed_up(timer, effort) for name, timer in timers.items()}
    found: dict[str, list[float]] = {name: [] for name in timers}
    for _ in range(effort.rounds):
        for name, timer in timers.items():
            if not (found[name] and found[name][0] > SLOW):
                found[name].append(float(f"{timer(steps[name]) / steps[name]:.4g}"))
    return found


def warmed_up(timer: Timer, effort: Effort) -> int:
    """Let a contestant work until its engine has compiled what is hot, and return how many steps make a round."""
    steps = calls_for(timer, effort.warm_up)
    if steps == 1:
        return 1
    taken = max(timer(steps), effort.warm_up / 4)  # a clock of 10 ms may say that it was nothing
    return max(1, round(steps * effort.seconds / taken))
