"""Tries one mutant after another with the tests that concern its file."""

from __future__ import annotations

import time
from collections.abc import Sequence

from . import scratch
from .concerned import likely_checks
from .mutant import Mutant
from .results import Results
from .runs import SCONS, Run, run

#: A mutant's tests are stopped after so many times the seconds that they take without it, and these besides.
PATIENCE, BESIDES = 5.0, 120.0
#: Seconds after which tests without mutants are stopped.
LONGEST = 3600.0


def quick(mutants: Sequence[Mutant], seed: int, results: Results, tests: str) -> None:
    """Judge those of the mutants that have not been judged with this set of tests."""
    known = results.verdicts("quick", tests).keys() | results.killed(tests)
    left = [mutant for mutant in mutants if mutant.id not in known]
    for number, mutant in enumerate(left, 1):
        scratch.say(f"{number} of {len(left)}: {mutant.id}  {mutant}")
        start = time.monotonic()
        found = tried(mutant, results, tests)
        verdict = "survived" if found.how == "passed" else "killed"
        seconds = round(time.monotonic() - start, 1)
        line = {"mutant": mutant.id, "stage": "quick", "tests": tests, "seed": seed, "verdict": verdict}
        results.add(**line, how=found.how, by=next(iter(found.failed), ""), seconds=seconds)
        scratch.say(f"  {verdict} in {seconds} s {found.how} {' '.join(found.failed[:1])}")


def tried(mutant: Mutant, results: Results, tests: str) -> Run:
    """Return what a mutant's tests come to and, if these pass, the targets of SCons, which take longer to build."""
    checks = likely_checks(mutant.file)
    parts = [[c for c in checks if not c.startswith(SCONS)], *([c] for c in checks if c.startswith(SCONS))]
    found = Run("passed")
    for part in parts:
        if found.how == "passed" and part:
            require_control(part, results, tests)
            found = judged([mutant], part, tests, bound(part, results, tests))
    return found


def judged(
    mutants: Sequence[Mutant], checks: Sequence[str], tests: str, seconds: float, options: Sequence[str] = ("-x",)
) -> Run:
    """Return what the checks come to with mutants in the checkout, by default up to the first failure."""
    try:
        built = scratch.put_and_build(mutants)
        if built.status != 0:
            return Run("build", (f"{SCONS}python",), output=built.output)
        return run(checks, tests == "whole", seconds, options)
    finally:
        scratch.put([])


def bound(checks: Sequence[str], results: Results, tests: str) -> float:
    """Return the seconds after which checks are stopped: many times what they take without mutants."""
    controls = results.controls(tests)
    usual = (controls[check].get("seconds", 0.0) for check in checks if check in controls)
    return BESIDES + PATIENCE * sum(usual)


def require_control(checks: Sequence[str], results: Results, tests: str) -> None:
    """Run those of the checks without mutants that have not been run so. Ends the program if one fails."""
    missing = [check for check in checks if check not in results.controls(tests)]
    if not missing:
        return
    scratch.say(f"without mutants: {' '.join(missing)}")
    scratch.build_without_mutants()
    start = time.monotonic()
    found = run(missing, tests == "whole", LONGEST)
    if found.how != "passed":
        raise SystemExit(f"these fail without mutants: {' '.join(found.failed)}\n{found.output}")
    for check in missing:  # the start of pytest's process does not count for any file
        seconds = time.monotonic() - start if check.startswith(SCONS) else found.seconds.get(check, 0.0)
        results.add(stage="control", tests=tests, check=check, failed=[], seconds=round(seconds, 1))
