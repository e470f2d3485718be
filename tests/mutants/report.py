"""Reports what came of the mutants: a table by room, and those that live."""

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
    """Return how many mutants there are, were tried, and were killed by each set of tests."""
    killed = {tests: sum(mutant.id in results.killed(tests) for mutant in mutants) for tests in SETS}
    return {"mutants": len(mutants), "tried": sum(bool(judged_in(m, results)) for m in mutants), **killed}


def judged_in(mutant: Mutant, results: Results) -> list[str]:
    """Return the stages in which a mutant was judged, each with its set of tests."""
    lines = [line for line in results.lines if line.get("mutant") == mutant.id]
    return list(dict.fromkeys(f"{line['stage']} ({line['tests']})" for line in lines))


def table(found: dict[str, Any]) -> str:
    """Return a report as text."""
    head = f"{'room':12} {'mutants':>8} {'tried':>6} {'sample':>7} {'whole':>6} {'of sample':>10} {'of whole':>9}"
    rows = [row(room, counted) for room, counted in [*found["rooms"].items(), ("all", found["all"])]]
    living = [line_of(survivor) for survivor in found["survivors"]]
    return "\n".join([head, *rows, "", f"{len(living)} live after all stages so far:", *living])


def line_of(survivor: dict[str, Any]) -> str:
    change = f"{shown(survivor['before'])} -> {shown(survivor['after'])}"
    return f"{survivor['file']}:{survivor['line']}: {change}  [{survivor['id']}; {', '.join(survivor['stages'])}]"


def row(room: str, counted: dict[str, int]) -> str:
    shares = [f"{counted[tests] / counted['tried']:.0%}" if counted["tried"] else "-" for tests in SETS]
    numbers = f"{counted['mutants']:>8} {counted['tried']:>6} {counted['sample']:>7} {counted['whole']:>6}"
    return f"{room:12} {numbers} {shares[0]:>10} {shares[1]:>9}"
