"""Reports the results of the mutants: a table by room, and those that live."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from .mutant import Mutant, shown
from .results import Results

SETS = ("sample", "whole")


def report(mutants: Sequence[Mutant], results: Results) -> dict[str, Any]:
    """Return the counts of each room, and the mutants that all stages so far let live."""
    names = dict.fromkeys(mutant.room for mutant in mutants)
    rooms = {room: counts([mutant for mutant in mutants if mutant.room == room], results) for room in names}
    killed = results.killed("whole")
    living = [mutant for mutant in mutants if mutant.id not in killed and judged_in(mutant, results)]
    survivors = [{**asdict(mutant), "stages": judged_in(mutant, results)} for mutant in living]
    return {"rooms": rooms, "all": counts(mutants, results), "survivors": survivors}


def counts(mutants: Sequence[Mutant], results: Results) -> dict[str, int]:
    """Return how many mutants there are, and how many each set of tests tried and killed.

    The whole is taken to kill what the sample kills, so that these are not tried with it.
    """
    found = {"mutants": len(mutants)}
    for tests in SETS:
        killed = results.killed(tests)
        tried = killed | {line["mutant"] for line in results.lines if "mutant" in line and line["tests"] == tests}
        found |= {f"{tests} tried": sum(mutant.id in tried for mutant in mutants)}
        found |= {tests: sum(mutant.id in killed for mutant in mutants)}
    return found


def judged_in(mutant: Mutant, results: Results) -> list[str]:
    """Return the stages in which a mutant was judged, each with its set of tests."""
    lines = [line for line in results.lines if line.get("mutant") == mutant.id]
    return list(dict.fromkeys(f"{line['stage']} ({line['tests']})" for line in lines))


def table(found: dict[str, Any]) -> str:
    """Return a report as text: for each set of tests the mutants that it killed, of those that it tried."""
    head = f"{'room':12} {'mutants':>8} {'killed by sample':>20} {'killed by whole':>20}"
    rows = [row(room, counted) for room, counted in [*found["rooms"].items(), ("all", found["all"])]]
    living = [line_of(survivor) for survivor in found["survivors"]]
    return "\n".join([head, *rows, "", f"{len(living)} live after all stages so far:", *living])


def line_of(survivor: dict[str, Any]) -> str:
    change = f"{shown(survivor['before'])} -> {shown(survivor['after'])}"
    return f"{survivor['file']}:{survivor['line']}: {change}  [{survivor['id']}; {', '.join(survivor['stages'])}]"


def row(room: str, counted: dict[str, int]) -> str:
    return f"{room:12} {counted['mutants']:>8} {' '.join(share(counted, tests) for tests in SETS)}"


def share(counted: dict[str, int], tests: str) -> str:
    killed, tried = counted[tests], counted[f"{tests} tried"]
    return f"{f'{killed} of {tried}, {killed / tried:.0%}' if tried else '-':>20}"
