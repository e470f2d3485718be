"""Tries faults in the passes on programs with the validator alone, which runs each pass on drawn graphs.

validator.json has the faults. One is killed if a pass changes what it says it keeps, or cannot run. One that lives may
leave an optimization out or make a larger arena, which does not make the program wrong, or be in what the graphs do not
reach.
"""

from __future__ import annotations

import os
from pathlib import Path

from . import scratch
from .mutant import DRAWN, ROOT, Mutant, read_drawn, write_drawn
from .quick import BESIDES, judged
from .results import Results

CHECK = "tests/unit/passes/test_every_pass.py"
FAULTS = DRAWN.with_name("validator.json")
#: The variable that says how many graphs are drawn, and how many are by default.
GRAPHS, COUNT = "GRADMOTE_VALIDATED", "64"
#: What results of this command name as their set of tests.
TESTS = "validator"


class Validator:
    """The command. Mutants that results name are not tried again."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._seed, self._mutants = read_drawn(FAULTS)

    @staticmethod
    def draw(seed: int, count: int) -> None:
        """Draw faults in the passes, some of each, and write validator.json."""
        from .draw import of_files

        write_drawn(seed, of_files("passes", files(), count, seed, str(seed)), FAULTS)

    def run(self) -> None:
        """Judge the faults, and say which of them live."""
        os.environ.setdefault(GRAPHS, COUNT)
        known = self._results.verdicts(TESTS, TESTS)
        left = [mutant for mutant in self._mutants if mutant.id not in known]
        for number, mutant in enumerate(left, 1):
            scratch.say(f"{number} of {len(left)}: {mutant.id}  {mutant}")
            self._judge(mutant)
        verdicts = self._results.verdicts(TESTS, TESTS)
        living = [mutant for mutant in self._mutants if verdicts[mutant.id] == "survived"]
        scratch.say(f"{len(self._mutants) - len(living)} of {len(self._mutants)} killed by the validator alone; live:")
        for mutant in living:
            scratch.say(f"  {mutant.id}  {mutant}")

    def _judge(self, mutant: Mutant) -> None:
        found = judged([mutant], [CHECK], "sample", 10 * BESIDES)
        verdict, by = "survived" if found.how == "passed" else "killed", next(iter(found.failed), "")
        line = {"mutant": mutant.id, "stage": TESTS, "tests": TESTS, "seed": self._seed, "verdict": verdict}
        self._results.add(**line, how=found.how, by=by)
        scratch.say(f"  {verdict} {found.how} {by}")


def files() -> list[str]:
    """Return the files of the passes on programs, by their paths from the root."""
    from gradmote.compiler.passes import pipeline

    modules = dict.fromkeys(run.__module__ for run in pipeline.PROGRAMS)
    paths = (ROOT / "host_tools" / module.replace(".", "/") for module in modules)
    return [file.relative_to(ROOT).as_posix() for path in paths for file in sorted(python_files(path))]


def python_files(module: Path) -> list[Path]:
    """Return the file of a module, or all files of a package."""
    return list(module.glob("*.py")) if module.is_dir() else [module.with_suffix(".py")]
