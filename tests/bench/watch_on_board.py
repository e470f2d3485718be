"""How much of ten people's shoulder exercises an emulated Cortex-M4F recognizes, before and after it has learned each
of them: with the pre-trained network, after training the last layer, after training all. See examples/watch.py.

    python tests/bench/watch_on_board.py [--on qemu:mps2-an386] [--json FILE]

The twin does the same on this computer; its accuracy and its state must be those of the board.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "examples"))

from watch import personalise

from gradmote.compiler import Result
from gradmote.device import Dataset, Target, TwinTarget, open_target

from demo.watch_data import SUBJECTS, leave_out
from demo.watch_model import EPOCHS, TRAININGS, compile_for, pretrained


@dataclass(frozen=True)
class Row:
    """One person, one training, one target. Accuracies on what the person did later. seconds: of image, tests, epochs
    and the line to the board. learned, tested: windows. state: SHA-256."""

    subject: int
    train: str
    before: float
    after: float
    learned: int
    tested: int
    seconds: float
    arena: int
    image: int
    state: str


def rows(on: str, epochs: int) -> Iterator[Row]:
    """Both trainings of all ten people, each beside its twin."""
    for subject in SUBJECTS:
        person = leave_out(subject)
        model = pretrained(person.others)
        for train in TRAININGS:
            compiled = compile_for(model, TRAININGS[train])
            with TwinTarget() as twin:
                expected = measured(twin, compiled, person.own, epochs)
            start = time.perf_counter()
            with open_target(on) as target:
                found = measured(target, compiled, person.own, epochs)
            seconds = time.perf_counter() - start
            if found != expected:
                raise SystemExit(f"person {subject}, {train}: {target.name} {found}, the twin {expected}")
            before, after, state = found
            sizes = (len(person.own.x), len(person.own.x_test), seconds, compiled.layout.arena_size)
            yield Row(subject, train, before, after, *sizes, len(compiled.image), state)


def measured(target: Target, compiled: Result, own: Dataset, epochs: int) -> tuple[float, float, str]:
    """Accuracy before and after, and the SHA-256 of the state."""
    before, after = personalise(target, compiled, own, epochs)
    return before, after, hashlib.sha256(target.state()).hexdigest()


def show(row: Row) -> None:
    print(
        f"{row.subject:>6}  {row.train:<5}{row.learned:>8}{row.tested:>8}{row.before:>9.1%}{row.after:>8.1%}"
        f"{row.seconds:>8.0f} s  {row.state[:16]}",
        flush=True,
    )


def summary(found: list[Row]) -> str:
    """Means over the people."""
    lines = []
    for train in TRAININGS:
        mine = [row for row in found if row.train == train]
        before, after = (sum(getattr(row, name) for row in mine) / len(mine) for name in ("before", "after"))
        lines.append(
            f"  mean  {train:<5}{'':16}{before:>9.1%}{after:>8.1%}{sum(r.seconds for r in mine):>8.0f} s  "
            f"arena {mine[0].arena:,} B, image {mine[0].image:,} B"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--on", default="qemu:mps2-an386", help="an emulated board, or a board's port")
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all rows there")
    arguments = parser.parse_args()
    print("person  train learned  tested   before   after   board    state, equal to the twin's")
    found = []
    for row in rows(arguments.on, arguments.epochs):
        found.append(row)
        show(row)
    print(summary(found))
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(row) for row in found], indent=1) + "\n")


if __name__ == "__main__":
    main()
