"""The accuracies that were measured, in accuracy.json, and what was promised of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean, stdev

from bench.quantized.accuracy.methods import METHODS, Method

FILE = Path(__file__).with_name("accuracy.json")
#: With batches of one: how far below float32 int8 may be, and how far below it rounding to nearest has to be.
SMALL_ALLOWANCE, SMALL_LOSS = 2.5, 5.0


@dataclass(frozen=True)
class Row:
    """rate: the learning rate. accuracies: of the seeds, in percent, on test samples."""

    rate: float
    accuracies: list[float]

    @property
    def mean(self) -> float:
        return fmean(self.accuracies)

    @property
    def deviation(self) -> float:
        return stdev(self.accuracies)


@dataclass(frozen=True)
class Results:
    """before: task -> accuracy; transfer: task -> method -> row; one_by_one: rate -> method -> row."""

    before: dict[str, float]
    transfer: dict[str, dict[str, Row]]
    one_by_one: dict[str, dict[str, Row]]

    def mean(self, method: str) -> float:
        """Return the mean over the tasks."""
        return fmean(rows[method].mean for rows in self.transfer.values())

    def methods(self, known: Mapping[str, Method]) -> dict[str, Method]:
        """Return those of the methods that were measured."""
        rows = [*self.transfer.values(), *self.one_by_one.values()]
        return {name: method for name, method in known.items() if any(name in row for row in rows)}

    def write(self) -> None:
        FILE.write_text(json.dumps(asdict(self), indent=1) + "\n")


def read() -> Results:
    found = json.loads(FILE.read_text())

    def rows(table: Mapping[str, Mapping[str, Mapping[str, object]]]) -> dict[str, dict[str, Row]]:
        return {name: {key: Row(**row) for key, row in part.items()} for name, part in table.items()}

    return Results(found["before"], rows(found["transfer"]), rows(found["one_by_one"]))


def broken(results: Results) -> Iterator[str]:
    """Yield the promises that the results do not hold."""
    fp32 = results.mean("fp32")
    for name, method in results.methods(METHODS).items():
        found = results.mean(name)
        if method.allowance is not None and found < fp32 - method.allowance:
            yield f"{method.title}: {found:.1f} is more than {method.allowance} below {fp32:.1f}"
    for rate, rows in results.one_by_one.items():
        fp32, int8, nearest = (rows[name].mean for name in ("fp32", "int8", "nearest"))
        if int8 < fp32 - SMALL_ALLOWANCE:
            yield f"batch 1, rate {rate}: int8 has {int8:.1f}, float32 {fp32:.1f}"
        if nearest > fp32 - SMALL_LOSS:
            yield f"batch 1, rate {rate}: rounding to nearest has {nearest:.1f}, float32 {fp32:.1f}"
