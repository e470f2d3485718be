"""The measurements of a benchmark, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from ...formats.image import Image
from ...terminal.printable import LINE, Bar, Row, Rows
from .counting import Counted, Counts
from .kernel_totals import Kernel, Total, totals
from .twin import Timed

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


@dataclass(frozen=True)
class Cycles:
    """The modelled cycles of one program on a board, of a run and of its kernels.

    `clock` is the board's, in Hz. Memory has no wait states.
    """

    whole: int
    kernels: dict[Kernel, int]
    clock: int

    def milliseconds(self, cycles: float) -> float:
        """Return how long `cycles` cycles take at the board's clock."""
        return 1e3 * cycles / self.clock


@dataclass(frozen=True)
class Instructions:
    """The machine instructions of one program on a board, of a run and of its kernels.

    `cycles` is None without a model.
    """

    whole: int
    kernels: dict[Kernel, Total]
    cycles: Cycles | None = None

    @classmethod
    def of(cls, image: Image, kind: str, counted: Counted, clock: int) -> Instructions:
        """Return the totals of a program counted on a board with this clock, in Hz.

        `whole` includes the work of gm_step() or gm_infer() around the kernels; for other programs it is the
        sum of the kernels.
        """
        program = next(program for program in image.programs if program["kind"] == kind)
        cycles = None
        if counted.cycles:
            each = {kernel: int(total.cost) for kernel, total in totals(image, program, counted.cycles).items()}
            cycles = Cycles(counted.whole_cycles or sum(counted.cycles), each, clock)
        return cls(counted.whole or sum(counted.each), totals(image, program, counted.each), cycles)


#: The figures of each program, by its kind.
Times = dict[str, Timed]
OnBoard = dict[str, Instructions]


# ---- Tables


def time_rows(times: Times) -> Rows:
    """Return one row for each timed program."""
    columns = ("program", "median#", "half of all#", "runs a second#", "samples a second#")
    return columns, [tuple(time_row(timed)) for timed in times.values()]


def time_row(timed: Timed) -> Iterator[str]:
    """Yield the cells of one program: median, quartiles, runs and samples per second."""
    seconds = timed.seconds
    yield timed.kind
    yield duration(seconds.median)
    yield f"{duration(seconds.low)} to {duration(seconds.high)}"
    yield rounded(1 / seconds.median)
    yield rounded(timed.batch / seconds.median)


def kernel_rows(timed: Timed) -> Rows:
    """Return one row for each kernel of a timed program.

    GMAC/s are billions of multiply-accumulates per second.
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
    """Return one row for each kernel of a program counted on a board.

    If cycles are modelled, shares refer to cycles, and milliseconds to the board's clock.
    """
    columns = ["kernel", "instructions#", "MAC#", "machine instructions#", "for a MAC#"]
    if found.cycles is not None:
        columns += ["cycles#", "for a MAC#", "ms#"]
    rows: list[Row] = []
    for kernel, total in found.kernels.items():
        cycles = found.cycles.kernels[kernel] if found.cycles is not None else 0
        share = shared(*((cycles, found.cycles.whole) if found.cycles is not None else (total.cost, found.whole)))
        rows.append((*named(kernel, total), *cost_cells(found, total.macs, total.cost, cycles), *share))
    macs_in_all = sum(total.macs for total in found.kernels.values())
    whole = cost_cells(found, macs_in_all, found.whole, found.cycles.whole if found.cycles is not None else 0)
    return [*columns, "share#", ""], [*rows, LINE, ("all", "", *whole, "", "")]


def cost_cells(found: Instructions, macs: int, instructions: float, cycles: int) -> Iterator[str]:
    """Yield the cells with MACs, and with their cost in machine instructions, cycles and time."""
    yield f"{macs:,}" if macs else ""
    for cost in (instructions, cycles) if found.cycles is not None else (instructions,):
        yield f"{cost:,.0f}"
        yield f"{cost / macs:.2f}" if macs else ""
    if found.cycles is not None:
        yield rounded(found.cycles.milliseconds(cycles))


def named(kernel: Kernel, total: Total) -> tuple[str, str]:
    """Return the first two cells of a kernel's row: its name, and how many instructions it has."""
    return str(kernel), str(total.instructions)


def shared(cost: float, whole: float) -> tuple[str, Bar]:
    """Return a cost's share of the whole, as a percentage and as a bar."""
    return f"{cost / whole:.1%}", Bar(round(1e6 * cost / whole), 10**6)


def macs(total: Total) -> tuple[str]:
    """Return the cell with the multiply-accumulates; empty if there are none."""
    return (f"{total.macs:,}" if total.macs else "",)


def rounded(number: float) -> str:
    """Return the number with four digits."""
    return f"{float(f'{number:.4g}'):,.0f}" if number >= 1000 else f"{number:.4g}"


def duration(seconds: float) -> str:
    """Return the time with four digits, in the largest unit in which it is at least 1."""
    size, unit = next((unit for unit in UNITS if seconds >= unit[0]), UNITS[-1])
    return f"{rounded(seconds / size)} {unit}"


# ---- JSON


def times_dict(times: Times) -> dict[str, Any]:
    """Return the times for JSON, in seconds.

    `around` is the part of a median run outside of kernels.
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
            **(cycles_dict(counted.cycles, counted.cycles.whole) if counted.cycles is not None else {}),
            "kernels": [
                {
                    **kernel_dict(kernel, total, "machine_instructions"),
                    **(cycles_dict(counted.cycles, counted.cycles.kernels[kernel]) if counted.cycles else {}),
                }
                for kernel, total in counted.kernels.items()
            ],
        }
        for kind, counted in found.items()
    }


def cycles_dict(found: Cycles, cycles: int) -> dict[str, Any]:
    """Return modelled cycles for JSON, and their time at the board's clock."""
    return {"cycles": cycles, "milliseconds": found.milliseconds(cycles)}


def kernel_dict(kernel: Kernel, total: Total, cost: str) -> dict[str, Any]:
    """Return the totals of one kernel for JSON; `cost` names its cost."""
    return {"kernel": str(kernel), "instructions": total.instructions, cost: total.cost, "macs": total.macs}


def counts_in(saved: dict[str, Any]) -> Counts:
    """Return the machine instructions by board and program, from the JSON of `gradmote bench`.

    Raises KeyError, TypeError or AttributeError if it is something else.
    """
    return {
        board: {kind: int(program["machine_instructions"]) for kind, program in programs.items()}
        for board, programs in saved["boards"].items()
    }
