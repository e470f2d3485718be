"""The results of mutants so far: results.jsonl, a line for each judgement, which runs add to and go on from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).with_name("results.jsonl")
Line = dict[str, Any]


class Results:
    """The lines of a file. A line has a `stage`: control, quick, together, alone (after a group failed), validator."""

    def __init__(self, path: Path = RESULTS) -> None:
        self._path = path
        read = path.read_text().splitlines() if path.exists() else []
        self.lines: list[Line] = [json.loads(line) for line in read]

    def add(self, **line: Any) -> None:
        """Add a line, and write it to the file at once."""
        self.lines.append(line)
        with self._path.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def of(self, stage: str, tests: str) -> list[Line]:
        """Return the lines of a stage with this set of tests, "sample" or "whole"."""
        return [line for line in self.lines if line["stage"] == stage and line["tests"] == tests]

    def verdicts(self, stage: str, tests: str) -> dict[str, str]:
        """Return mutant -> killed or survived."""
        return {line["mutant"]: line["verdict"] for line in self.of(stage, tests) if "mutant" in line}

    def killed(self, tests: str) -> set[str]:
        """Return the mutants that a set of tests killed. The whole has all that the sample has."""
        sets = ("sample", "whole") if tests == "whole" else ("sample",)
        lines = [line for line in self.lines if line["tests"] in sets and line.get("verdict") == "killed"]
        return {line["mutant"] for line in lines if "mutant" in line}

    def controls(self, tests: str) -> dict[str, Line]:
        """Return the check -> what it gave without mutants."""
        return {line["check"]: line for line in self.of("control", tests)}
