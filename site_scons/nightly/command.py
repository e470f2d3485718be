"""The command line of `.ci/nightly`."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence

from .bounds import BOUNDED, WHOLE, Refused, bounds_in
from .night import ROOT, Night, Record, Records, checked, go_through
from .stages import STAGES

RECORDS = ROOT / "build" / "nightly"


def main(description: str) -> int:
    """Return the exit status: 0 if all stages passed, 1 if one failed, 2 if nothing ran."""
    arguments = parse(description)
    try:
        if arguments.list:
            print("\n".join(line for name in checked(arguments.stages or STAGES) for line in lines(name)))
            return 0
        return spend(arguments.stages, arguments.resume)
    except Refused as error:
        print(f".ci/nightly: {error}", file=sys.stderr)
        return 2


def parse(description: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=".ci/nightly", description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("stages", nargs="*", metavar="STAGE", help="by default all of them, in the order of --list")
    parser.add_argument("--list", action="store_true", help="name the stages, what each shows, and its sizes")
    parser.add_argument("--resume", action="store_true", help="go on with the night before, after what ended")
    return parser.parse_args()


def new_night(stages: Sequence[str]) -> Night:
    """Return a night with the environment's bounds."""
    names = tuple(checked(stages or STAGES))
    bounds = bounds_in(os.environ)
    values = {size: value for name in names for size, value in STAGES[name].values(bounds, os.environ).items()}
    return Night(names, seed(), values)


def seed() -> int:
    """Return GRADMOTE_SEED, or the date, so that each night draws different numbers."""
    text = os.environ.get("GRADMOTE_SEED", time.strftime("%Y%m%d"))
    if not text.isdecimal():
        raise Refused(f"GRADMOTE_SEED={text} is not a whole number, such as {time.strftime('%Y%m%d')}")
    return int(text)


def lines(name: str) -> Iterator[str]:
    """Yield what a stage shows, and the sizes of a whole night and of a bounded one."""
    yield f"{name}: {STAGES[name].shows}"
    bounded = bounds_in({**{bound: str(value) for bound, value in BOUNDED.items()}, **os.environ})
    for title, bounds in {"whole": WHOLE, "bounded": bounded}.items():
        sizes = STAGES[name].values(bounds, {} if bounds is WHOLE else os.environ)
        if sizes:
            yield f"    {title:8} {' '.join(f'{size}={value}' for size, value in sizes.items())}"


def spend(stages: Sequence[str], resumes: bool) -> int:
    """Run the chosen stages, and print the result of each."""
    if not (ROOT / ".venv" / "bin" / "python").exists():
        raise Refused("there is no .venv, in which the stages run: ./run setup makes it")
    records = Records(RECORDS)
    night = resumed(records, stages) if resumes else new_night(stages)
    if not resumes:
        records.begin(night)
    print(f"GRADMOTE_SEED={night.seed} .ci/nightly {' '.join(night.stages)}", flush=True)
    ended = go_through(night, records)
    print("\n".join(summary(ended)))
    return int(any(record.status for record in ended))


def resumed(records: Records, stages: Sequence[str]) -> Night:
    """Return the night to resume, with its stages, seed and sizes."""
    night = records.night()
    given = [*stages, *(name for name in (*WHOLE, "GRADMOTE_SEED", *night.values) if name in os.environ)]
    if given:
        raise Refused(f"--resume has the stages, sizes and seed of the night before: leave out {', '.join(given)}")
    return night


def summary(records: Sequence[Record]) -> list[str]:
    width = max(len(record.stage) for record in records)
    results = ["passed" if record.status == 0 else f"FAILED ({record.status})" for record in records]
    rows = zip(records, results, strict=True)
    return [f"{record.stage:{width}}  {record.seconds:6} s  {result}" for record, result in rows]
