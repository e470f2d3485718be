"""Tries many mutants at once, with all tests that could notice one of them.

If a folder of tests passes with a group of mutants, all of them survive it. If tests fail, they are run without
mutants, and those that pass then with each mutant of the group alone. Mutants that fail them are killed, and the folder
is run again with the others, until it passes.

What the sample kills, the whole kills too. So the whole is tried after the sample, with those files of a folder alone
of whose tests a plain run takes a sample.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from . import scratch
from .concerned import all_folders, folders, sampled_files, seconds_of
from .mutant import ROOT, Mutant, function_of
from .quick import BESIDES, LONGEST, PATIENCE, judged
from .results import Results
from .runs import SCONS, Run

#: Failed tests that are run with each mutant alone.
MOST = 8


class Together:
    """A run of the folders of tests with a set of tests, "sample" or "whole"."""

    def __init__(self, mutants: Sequence[Mutant], seed: int, results: Results, tests: str) -> None:
        self._mutants, self._seed, self._results, self._tests = mutants, seed, results, tests

    def run(self) -> None:
        """Judge all given mutants, folder by folder, and go on from the point at which an earlier run stopped."""
        wanted = {mutant.id: folders(mutant.file) for mutant in self._mutants}
        targets = {check for found in wanted.values() for check in found if check.startswith(SCONS)}
        checks = sorted({*all_folders(), *targets}, key=seconds_of)
        for number, check in enumerate(checks, 1):
            concerned = [mutant for mutant in self._left() if check in wanted[mutant.id]]
            those = [mutant for mutant in concerned if not self._passed(mutant, check)]
            for group in apart(those) if self._places(check) else ():
                scratch.say(f"{number} of {len(checks)}: {check} with {len(group)} mutants")
                self._settle(group, check)
        for mutant in self._left():
            self._judge(mutant, "together", "survived")

    def _places(self, check: str) -> list[str]:
        """Return what is run of a check: of the whole, what the sample has not run."""
        return [check] if self._tests == "sample" else sampled_files(check)

    def _left(self) -> list[Mutant]:
        """Return the mutants that have no verdict with this set of tests."""
        judged = self._results.killed(self._tests) | self._results.verdicts("together", self._tests).keys()
        return [mutant for mutant in self._mutants if mutant.id not in judged]

    def _passed(self, mutant: Mutant, check: str) -> bool:
        lines = self._results.of("group", self._tests)
        return any(line["check"] == check and mutant.id in line["mutants"] for line in lines)

    def _settle(self, group: list[Mutant], check: str, skipped: Sequence[str] = ()) -> None:
        """Run a check, without tests that are skipped, with a group until it passes, without those that it kills."""
        left_out = list(skipped)
        while group:
            found = judged(group, self._places(check), self._tests, self._bound(check), options(left_out))
            if found.how == "passed":
                self._results.add(stage="group", tests=self._tests, check=check, mutants=[m.id for m in group])
                return
            tests = spread(found.failed, MOST) if found.how == "failed" else []
            broken = self._fail_without_mutants(tests)
            left_out += broken
            killed = self._killed_by(found, [test for test in tests if test not in broken], group)
            if not killed and not broken and len(group) > 1:
                scratch.say("  no mutant alone does this: each half of the group on its own")
                self._settle(group[::2], check, left_out)
                self._settle(group[1::2], check, left_out)
                return
            if not killed and not broken:
                scratch.say(f"  left out, they do not fail again: {' '.join(tests)}")
                left_out += tests
            group = [mutant for mutant in group if mutant not in killed]

    def _killed_by(self, found: Run, tests: Sequence[str], group: list[Mutant]) -> list[Mutant]:
        """Return the mutants that fail the failed tests alone, and record them.

        If the run did not come to its end, that is the only mutant of a group.
        """
        if found.how != "failed" and len(group) == 1:
            self._judge(group[0], "together", "killed", found)
            return group
        killed = []
        if tests:
            scratch.say(f"  {len(found.failed)} tests fail; {len(tests)} of them with each mutant alone")
        for mutant in group if tests else ():
            alone = judged([mutant], tests, self._tests, LONGEST)
            if alone.how != "passed":
                self._judge(mutant, "alone", "killed", alone)
                killed.append(mutant)
        return killed

    def _fail_without_mutants(self, tests: Sequence[str]) -> list[str]:
        """Return which of the tests fail without mutants too. Ends the program if that is a target of SCons."""
        unknown = [test for test in tests if test not in self._results.controls(self._tests)]
        failed = judged([], unknown, self._tests, LONGEST, ()).failed if unknown else ()
        if targets := [test for test in failed if test.startswith(SCONS)]:
            raise SystemExit(f"{' '.join(targets)} fails without mutants")
        for test in unknown:
            own = [test] if test in failed else []
            self._results.add(stage="control", tests=self._tests, check=test, failed=own)
        controls = self._results.controls(self._tests)
        broken = [test for test in tests if controls[test]["failed"]]
        if broken:
            scratch.say(f"  left out, they fail without mutants too: {' '.join(broken)}")
        return broken

    def _bound(self, check: str) -> float:
        """Return the seconds after which a check is stopped: many times what the sample takes."""
        return LONGEST if self._tests == "whole" else BESIDES + PATIENCE * seconds_of(check)

    def _judge(self, mutant: Mutant, stage: str, verdict: str, found: Run | None = None) -> None:
        line = {"mutant": mutant.id, "stage": stage, "tests": self._tests, "seed": self._seed, "verdict": verdict}
        by = found.failed[0] if found and found.failed else ""
        self._results.add(**line, how=found.how if found else "passed", by=by)
        scratch.say(f"  {mutant.id} {verdict} {by}")


def options(skipped: Sequence[str]) -> list[str]:
    """Return the options of pytest: as many processes as `./run test` has, without these tests."""
    return [f"-n{(os.cpu_count() or 1) + 1}", *(f"--deselect={test}" for test in skipped)]


def apart(mutants: Sequence[Mutant]) -> list[list[Mutant]]:
    """Return groups of the mutants; in each group every function has one mutant at the most."""
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
