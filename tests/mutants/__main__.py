"""Put small faults into the project, and see which tests find them: `cd tests && ../.venv/bin/python -m mutants`."""

from __future__ import annotations

import argparse
import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager

from . import scratch
from .mutant import ROOT, Mutant, read_drawn, write_drawn
from .quick import quick
from .report import report, table
from .results import Results
from .together import Together
from .validator import Validator


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m mutants", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw", help="draw mutants by a seed, and write mutants.json")
    drawing.add_argument("--seed", type=int, required=True)
    drawing.add_argument("--count", type=int, default=96)
    for name, text in (("quick", "try each, with tests that name its file"), ("together", "try the others at once")):
        command = commands.add_parser(name, help=text)
        command.add_argument("--whole", action="store_true", help="the whole of the tests, and no samples")
        command.add_argument("--only", default="", help="mutants whose id begins so: a room, or one mutant")
    commands.add_parser("report", help="what came of them").add_argument("--json", action="store_true")
    validating = commands.add_parser("validator", help="faults in the passes on programs, for their validator alone")
    validating.add_argument("--seed", type=int, help="draw them by this seed first, and write validator.json")
    validating.add_argument("--count", type=int, default=50, help="how many are drawn")
    options = parser.parse_args()
    {"draw": draw, "quick": try_out, "together": try_out, "report": show, "validator": validate}[options.command](
        options
    )


def draw(options: argparse.Namespace) -> None:
    from .draw import draw  # compilers and cosmic-ray are needed for this alone

    write_drawn(options.seed, draw(options.seed, options.count))


def try_out(options: argparse.Namespace) -> None:
    seed, mutants = read_drawn()
    chosen = [mutant for mutant in mutants if mutant.id.startswith(options.only)]
    with locked():
        scratch.prepare()
        tests = "whole" if options.whole or not scratch.samples() else "sample"
        scratch.say("with the whole of the tests" if tests == "whole" else "with samples of the tests")
        if options.command == "quick":
            quick(chosen, seed, Results(), tests)
        else:
            before = "quick" if tests == "sample" else "together"
            Together(tried(chosen, before), seed, Results(), tests).run()


def tried(mutants: list[Mutant], command: str) -> list[Mutant]:
    """Return the mutants that a command has tried with the sample of tests, and say how many it has not."""
    results = Results()
    known = results.verdicts(command, "sample").keys() | results.killed("sample")
    if missing := sum(mutant.id not in known for mutant in mutants):
        scratch.say(f"{missing} mutants are left out until `{command}` has tried them with samples")
    return [mutant for mutant in mutants if mutant.id in known]


@contextmanager
def locked() -> Iterator[None]:
    """Keep the scratch checkout for this process. Ends the program if another one has it."""
    path = ROOT / "build" / "mutants" / "lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise SystemExit(f"another `python -m mutants` uses {path.parent}") from error
        yield


def validate(options: argparse.Namespace) -> None:
    if options.seed is not None:
        Validator.draw(options.seed, options.count)
    with locked():
        scratch.prepare()
        Validator(Results()).run()


def show(options: argparse.Namespace) -> None:
    found = report(read_drawn()[1], Results())
    print(json.dumps(found, indent=2) if options.json else table(found))


if __name__ == "__main__":
    main()
