"""Trains four small networks in float32 and in int8, and writes the accuracies to docs/QUANTIZATION.md.

The networks are pre-trained once, and the result of each training is kept, both below build/; so a second run takes up
the work at the point that the first one reached. It ends with an error if the results do not keep what is promised.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bench.quantized import page
from bench.quantized.accuracy import results
from bench.quantized.accuracy.methods import METHODS, Method
from bench.quantized.accuracy.results import Results, Row
from bench.quantized.accuracy.study import SEEDS, SMALL_METHODS, SMALL_RATES, Study
from bench.quantized.accuracy.tasks import TASKS


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.quantized accuracy", description=__doc__)
    parser.add_argument("--seeds", type=int, help=f"measure with so many, and write nothing (default: {len(SEEDS)})")
    parser.add_argument("--page", action="store_true", help="only write the tables again")
    parser.add_argument("--fresh", action="store_true", help="run again what was run before")
    given = parser.parse_args(arguments)
    seeds = tuple(range(given.seeds)) if given.seeds else SEEDS
    found = results.read() if given.page else measured(Study(seeds, given.fresh))
    if not given.seeds:
        found.write()
        page.write("accuracy", *transfer_table(found))
        page.write("accuracy, batch 1", *one_by_one_table(found))
    raise SystemExit("\n".join(results.broken(found)) or 0)


def measured(study: Study) -> Results:
    before, transfer, one_by_one = {}, {}, {}
    for task in TASKS:
        before[task] = study.before(task)
        print(f"{task}: before {before[task]:.1f}", flush=True)
        transfer[task] = {name: shown(method, study.transfer(task, method)) for name, method in METHODS.items()}
    for rate in SMALL_RATES:
        print(f"batch 1, rate {rate}")
        one_by_one[str(rate)] = {
            n: shown(method, study.one_by_one(method, rate)) for n, method in SMALL_METHODS.items()
        }
    return Results(before, transfer, one_by_one)


def shown(method: Method, row: Row) -> Row:
    print(f"  {method.title:<42} {row.mean:5.1f} ± {row.deviation:.1f} at {row.rate}", flush=True)
    return row


def transfer_table(found: Results) -> tuple[list[str], list[list[str]]]:
    """Return columns and rows: the accuracy of each method on each task."""
    columns = ["method", *(task.title for task in TASKS.values()), "mean"]
    before = [found.before[task] for task in TASKS]
    rows = [["before", *(f"{value:.1f}" for value in before), f"{sum(before) / len(before):.1f}"]]
    for name, method in found.methods(METHODS).items():
        cells = [found.transfer[task][name] for task in TASKS]
        rows.append([method.title, *(f"{c.mean:.1f} ± {c.deviation:.1f}" for c in cells), f"{found.mean(name):.1f}"])
    return columns, rows


def one_by_one_table(found: Results) -> tuple[list[str], list[list[str]]]:
    """Return columns and rows: the accuracy of each method at each rate."""
    columns = ["method", *(f"rate {rate}" for rate in found.one_by_one)]
    rows = []
    for name, method in found.methods(SMALL_METHODS).items():
        cells = [row[name] for row in found.one_by_one.values()]
        rows.append([method.title, *(f"{c.mean:.1f} ± {c.deviation:.1f}" for c in cells)])
    return columns, rows
