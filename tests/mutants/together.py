"""Tries many mutants at once, with all tests that could notice one of them.

If a folder of tests passes with a group of mutants, all of them survive it. If tests fail, they are run with each
mutant of the group alone. Those that fail them are killed, and the folder is run again with the others, until it
passes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from . import scratch
from .concerned import all_folders, folders
from .mutant import ROOT, Mutant, function_of
from .quick import LONGEST, bound, judged
from .results import Results
from .runs import SCONS, Run, run

#: Failed tests that are run with each mutant alone.
MOST = 8


class Together:
    """A run of the folders of tests with a set of tests, "sample" or "whole"."""

    def __init__(self, mutants: Sequence[Mutant], seed: int, results: Results, tests: str) -> None:
        self._mutants, self._seed, self._results, self._tests = mutants, seed, results, tests

    def run(self) -> None:
        """Judge all mutants that are given, folder by folder, and go on where an earlier run stopped."""
        wanted = {mutant.id: folders(mutant.file) for mutant in self._mutants}
        checks = [*all_folders(), *sorted({c for found in wanted.values() for c in found if c.startswith(SCONS)})]
        for number, check in enumerate(checks, 1):
            concerned = [mutant for mutant in self._left() if check in wanted[mutant.id]]
            those = [mutant for mutant in concerned if not self._passed(mutant, check)]
            for group in apart(those):
                scratch.say(f"{number} of {len(checks)}: {check} with {len(group)} mutants")
                self._settle(group, check)
        for mutant in self._left():
            self._judge(mutant, "together", "survived")

    def _left(self) -> list[Mutant]:
        """Return the mutants that have no verdict with this set of tests."""
        judged = self._results.killed(self._tests) | self._results.verdicts("together", self._tests).keys()
        return [mutant for mutant in self._mutants if mutant.id not in judged]

    def _passed(self, mutant: Mutant, check: str) -> bool:
        lines = self._results.of("group", self._tests)
        return any(line["check"] == check and mutant.id in line["mutants"] for line in lines)

    def _settle(self, group: list[Mutant], check: str) -> None:
        """Run a check with a group until it passes, without those that it kills."""
        skipped, seconds = self._control(check), bound([check], self._results, self._tests)
        while group:
            found = judged(group, [check], self._tests, seconds, options(skipped))
            if found.how == "passed":
                self._results.add(stage="group", tests=self._tests, check=check, mutants=[m.id for m in group])
                return
            killed = self._killed_by(found, group, seconds)
            if not killed and len(group) > 1:
                scratch.say("  no mutant alone does this: each half of the group on its own")
                self._settle(group[::2], check)
                self._settle(group[1::2], check)
                return
            if not killed:
                scratch.say(f"  left out, they do not fail again: {' '.join(found.failed)}")
                skipped += found.failed
            group = [mutant for mutant in group if mutant not in killed]

    def _killed_by(self, found: Run, group: list[Mutant], seconds: float) -> list[Mutant]:
        """Return the mutants that fail the failed tests alone, and record them."""
        if found.how != "failed":
            if len(group) == 1:
                self._judge(group[0], "together", "killed", found)
            return group if len(group) == 1 else []
        tests, killed = spread(found.failed, MOST), []
        scratch.say(f"  {len(found.failed)} tests fail; {len(tests)} of them with each mutant alone")
        for mutant in group:
            alone = judged([mutant], tests, self._tests, seconds)
            if alone.how != "passed":
                self._judge(mutant, "alone", "killed", alone)
                killed.append(mutant)
        return killed

    def _control(self, check: str) -> list[str]:
        """Return the tests of a check that fail without mutants, which are left out. It is run once."""
        if check not in self._results.controls(self._tests):
            scratch.say(f"  without mutants: {check}")
            scratch.build_without_mutants()
            start = time.monotonic()
            found = run([check], self._tests == "whole", LONGEST, options(()))
            if found.how in ("timeout", "crash"):
                raise SystemExit(f"{check} ends with a {found.how} without mutants:\n{found.output}")
            seconds = round(time.monotonic() - start, 1)
            line = {"stage": "control", "tests": self._tests, "check": check}
            self._results.add(**line, failed=list(found.failed), seconds=seconds)
        failed = self._results.controls(self._tests)[check]["failed"]
        if failed:
            scratch.say(f"  left out, they fail without mutants too: {' '.join(failed)}")
        return list(failed)

    def _judge(self, mutant: Mutant, stage: str, verdict: str, found: Run | None = None) -> None:
        line = {"mutant": mutant.id, "stage": stage, "tests": self._tests, "seed": self._seed, "verdict": verdict}
        by = found.failed[0] if found and found.failed else ""
        self._results.add(**line, how=found.how if found else "passed", by=by)
        scratch.say(f"  {mutant.id} {verdict} {by}")


def options(skipped: Sequence[str]) -> list[str]:
    """Return the options of pytest: as many processes as `./run test` has, without these tests."""
    return [f"-n{(os.cpu_count() or 1) + 1}", *(f"--deselect={test}" for test in skipped)]


def apart(mutants: Sequence[Mutant]) -> list[list[Mutant]]:
    """Return groups of the mutants, in each of which every function has one mutant at the most."""
    groups: list[dict[tuple[str, int], Mutant]] = []
    for mutant in mutants:
        function = mutant.file, function_of(mutant.file, (ROOT / mutant.file).read_text(), mutant.line)
        free = next((group for group in groups if function not in group), None)
        if free is None:
            groups.append(free := {})
        free[function] = mutant
    return [list(group.values()) for group in groups]


def spread(tests: Sequence[str], most: int) -> list[str]:
    """Return some of the tests, of as many files as there are."""
    by_file: dict[str, list[str]] = {}
    for test in tests:
        by_file.setdefault(test.partition("::")[0], []).append(test)
    turns = [(turn, test) for those in by_file.values() for turn, test in enumerate(those)]
    return [test for _, test in sorted(turns, key=lambda pair: pair[0])[:most]]
