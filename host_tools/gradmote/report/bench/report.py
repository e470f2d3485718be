"""The measurements of a benchmark, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from ...formats.image import Image
from ..tables import LINE, Bar, Row, Rows
from .count_changes import Counts
from .counting import Counted
from .kernel_totals import Kernel, Total, totals
from .twin import Timed

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


@dataclass(frozen=True)
class Instructions:
    """The machine instructions of one program on a board, of a run and of its kernels."""

    whole: int
    kernels: dict[Kernel, Total]

    @classmethod
    def of(cls, image: Image, kind: str, counted: Counted) -> Instructions:
        """Return the totals of a program that was counted.

        `whole` includes what gm_step() or gm_infer() does around the kernels; for other programs it
        is the sum of the kernels.
        """
        program = next(program for program in image.programs if program["kind"] == kind)
        return cls(counted.whole or sum(counted.each), totals(image, program, counted.each))


#: The figures of each program, by its kind.
Times = dict[str, Timed]
OnBoard = dict[str, Instructions]


# ---- Tables


def time_rows(times: Times) -> Rows:
    """Return one row for each program that was timed."""
    columns = ("program", "median#", "half of all#", "runs a second#", "samples a second#")
    return columns, [tuple(time_row(timed)) for timed in times.values()]


def time_row(timed: Timed) -> Iterator[str]:
    """Yield the cells of one program: median, quartiles, runs and samples a second."""
    seconds = timed.seconds
    yield timed.kind
    yield duration(seconds.median)
    yield f"{duration(seconds.low)} to {duration(seconds.high)}"
    yield rounded(1 / seconds.median)
    yield rounded(timed.batch / seconds.median)


def kernel_rows(timed: Timed) -> Rows:
    """Return one row for each kernel of a program that was timed.

    GMAC/s are billions of multiply-accumulates a second.
    """
    columns = ("kernel", "instructions#", "time#", "share#", "", "MAC#", "GMAC/s#")
    whole = timed.around + sum(total.cost for total in timed.kernels.values())
    rows: list[Row] = []
    for kernel, total in timed.kernels.items():
        rate = f"{total.macs / total.cost * 1e-9:.2f}" if total.macs else ""
        times = (duration(total.cost), *shared(total.cost, whole))
        rows.append((*named(kernel, total), *times, *macs(total), rate))
    around = ("call from Python, copies", "", duration(timed.around), *shared(timed.around, whole), "", "")
    return columns, [*rows, *([LINE, around] if timed.around else [])]


def board_rows(found: Instructions) -> Rows:
    """Return one row for each kernel of a program that was counted on a board."""
    columns = ("kernel", "instructions#", "machine instructions#", "share#", "", "MAC#", "for a MAC#")
    rows: list[Row] = []
    for kernel, total in found.kernels.items():
        each = f"{total.cost / total.macs:.2f}" if total.macs else ""
        rows.append((*named(kernel, total), f"{total.cost:,.0f}", *shared(total.cost, found.whole), *macs(total), each))
    macs_in_all = sum(total.macs for total in found.kernels.values())
    each = f"{found.whole / macs_in_all:.2f}" if macs_in_all else ""
    return columns, [*rows, LINE, ("all", "", f"{found.whole:,}", "", "", f"{macs_in_all:,}", each)]


def named(kernel: Kernel, total: Total) -> tuple[str, str]:
    """Return the first two cells of a kernel's row: its name, and how many instructions it has."""
    return str(kernel), str(total.instructions)


def shared(cost: float, whole: float) -> tuple[str, Bar]:
    """Return a cost's share of the whole, as a percentage and as a bar."""
    return f"{cost / whole:.1%}", Bar(round(1e6 * cost / whole), 10**6)


def macs(total: Total) -> tuple[str]:
    """Return the cell with the multiply-accumulates; it is empty where there are none."""
    return (f"{total.macs:,}" if total.macs else "",)


def rounded(number: float) -> str:
    """Return the number with four digits."""
    return f"{float(f'{number:.4g}'):,.0f}" if number >= 1000 else f"{number:.4g}"


def duration(seconds: float) -> str:
    """Return the time with four digits, in the largest unit in which it is 1 or more."""
    size, unit = next((unit for unit in UNITS if seconds >= unit[0]), UNITS[-1])
    return f"{rounded(seconds / size)} {unit}"


# ---- JSON


def times_dict(times: Times) -> dict[str, Any]:
    """Return the times for JSON, in seconds.

    `around` is the part of a median run that no kernel takes.
    """
    return {
        kind: {
            "batch": timed.batch,
            "seconds": asdict(timed.seconds),
            "around": timed.around,
            "kernels": [kernel_dict(kernel, total, "seconds") for kernel, total in timed.kernels.items()],
        }
        for kind, timed in times.items()
    }


def board_dict(found: OnBoard) -> dict[str, Any]:
    """Return the counts of a board for JSON."""
    return {
        kind: {
            "machine_instructions": counted.whole,
            "kernels": [kernel_dict(k, total, "machine_instructions") for k, total in counted.kernels.items()],
        }
        for kind, counted in found.items()
    }


def kernel_dict(kernel: Kernel, total: Total, cost: str) -> dict[str, Any]:
    """Return the totals of one kernel for JSON; `cost` names its cost."""
    return {"kernel": str(kernel), "instructions": total.instructions, cost: total.cost, "macs": total.macs}


def counts_in(saved: dict[str, Any]) -> Counts:
    """Return the machine instructions by board and program, from the JSON of `gradmote bench`.

    Raises KeyError, TypeError or AttributeError if it is anything else.
    """
    return {
        board: {kind: int(program["machine_instructions"]) for kind, program in programs.items()}
        for board, programs in saved["boards"].items()
    }
