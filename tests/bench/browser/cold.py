"""Time from the navigation to a page until its first step is done: a fresh profile, nothing in any cache."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bench.browser.cases import Case, Contestant
from bench.browser.chromium import Chromium, PageError

BATCH = 1


def measure(network: str, contestants: Sequence[Contestant], browser: Chromium, rounds: int) -> dict[str, Any]:
    """Return the seconds of each round, and what was loaded: {"samples": {name: [...]}, "bytes": {name: n}, "files":
    {name: n}}. Who cannot train the network is missing."""
    case = Case(network, BATCH)
    found: dict[str, Any] = {"samples": {}, "bytes": {}, "files": {}}
    for _ in range(rounds):
        for contestant in contestants:
            add(found, contestant.name, first_step(case, contestant, browser))
    return found


def first_step(case: Case, contestant: Contestant, browser: Chromium) -> dict[str, Any] | None:
    try:
        return browser.open(contestant.address(case), contestant.name)
    except PageError:
        return None
    finally:
        browser.ask(close=contestant.name)


def add(found: dict[str, Any], name: str, opened: dict[str, Any] | None) -> None:
    if opened is None:
        return
    found["samples"].setdefault(name, []).append(round(opened["seconds"], 4))
    found["bytes"][name], found["files"][name] = opened["bytes"], opened["files"]
