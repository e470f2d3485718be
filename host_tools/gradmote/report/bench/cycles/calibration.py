"""Timings of a core from what its micro-kernels take on a real part.

The firmware of micro/ prints the section [measured] of a core's table: the cycles of so many turns of
each micro-kernel. A table that has this section is read with the timings that follow from it, in place
of those that were published. Each rule here is the inverse of what the kernel takes by hand:
tests/bench/test_cycles.py has that for each core.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

from ....errors import DataError
from .timings import Core, Timing

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SECTION = "[measured]"
END = "# end"
#: What marks the section of an emulated board, whose figures are no timings.
EMULATED = "emulated"
MEASURED = "measured"


@dataclass(frozen=True)
class Measured:
    """The cycles of micro-kernels that a board printed.

    Attributes:
        board: The board's name.
        counter: What counted: DWT, SysTick, or the board's clock.
        turns: The turns of each kernel.
        cycles: The cycles of all turns, by the kernel's name.
    """

    board: str
    counter: str
    turns: int
    cycles: dict[str, int]

    def turn(self, kernel: str) -> float:
        """Return the cycles of one turn. Raises KeyError where the kernel was not measured."""
        return self.cycles[kernel] / self.turns

    def body(self, kernel: str, count: int = 1) -> float:
        """Return what each of `count` equal parts of the body takes: without the loop."""
        return (self.turn(kernel) - self.turn("loop")) / count


def read_measured(text: str) -> Measured:
    """Return what is in the section [measured]. Raises DataError where it is anything else."""
    try:
        return measured_of(tomllib.loads(text)["measured"])
    except (tomllib.TOMLDecodeError, KeyError) as error:
        raise DataError(f"this is no section of measured cycles ({error})", "gradmote flash --calibrate") from error


def measured_of(section: Any) -> Measured:
    """Return the section of a table that was read.

    Raises DataError where it is anything else, or of an emulated board.
    """
    try:
        rest = dict(section)
        if rest.pop(EMULATED, False):
            raise DataError("[measured] is of an emulated board, which tells no cycles", "measure on a real part")
        board, counter, turns = (rest.pop(name) for name in ("board", "counter", "turns"))
        if turns <= 0 or any(not isinstance(value, int) or value < 0 for value in rest.values()):
            raise ValueError("a number of cycles is none")
        return Measured(str(board), str(counter), turns, rest)
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"[measured] is damaged ({error})", "paste what gradmote flash --calibrate printed") from error


def calibrated(core: Core, measured: Measured) -> Core:
    """Return the core with the timings that were measured in place of those it had."""
    kinds, branch, memory = dict(core.kinds), core.branch, core.memory
    for kind, field, value in timings_from(measured, core.issue):
        change: dict[str, Any] = {field: value, "source": MEASURED}
        if kind == "branch":
            branch = replace(branch, **change)
        elif kind == "memory":
            memory = replace(memory, **change)
        elif kind in kinds:
            kinds[kind] = replace(kinds[kind], **change)
    sources = {**core.sources, MEASURED: f"the micro-kernels on {measured.board}, by {measured.counter}"}
    return replace(core, kinds=kinds, branch=branch, memory=memory, sources=sources)


def timings_from(measured: Measured, issue: str) -> Iterator[tuple[str, str, float]]:
    """Yield (kind, field, value) of each timing that follows from what was measured.

    Of a core that issues two instructions in a cycle, that is only how long results take, and how
    long several registers.
    """
    for kind, field, step, rule in _LATENCIES if issue == "dual" else (*_LATENCIES, *_ISSUES):
        try:
            value = rule(measured)
        except KeyError:
            continue  # the core has no such instruction
        yield kind, field, _rounded(value, step)


def timings_table(core: Core) -> str:
    """Return the entries that were measured, as lines of the core's table."""
    rows = [f"{kind} = {_inline(timing)}" for kind, timing in core.kinds.items() if timing.source == MEASURED]
    return "\n".join(["[kinds]", *rows])


def _inline(timing: Timing) -> str:
    shown = [(field.name, getattr(timing, field.name), field.default) for field in fields(Timing)]
    parts = [f"{name} = {value:g}" for name, value, default in shown if name != "source" and value != default]
    return f"{{ {', '.join([*parts, f'source = {chr(34)}{MEASURED}{chr(34)}'])} }}"


def _rounded(value: float, step: float) -> float:
    """Return the nearest multiple of the step, not below 0, as an int where it is one."""
    found = max(0.0, round(value / step) * step)
    return int(found) if found == int(found) else found


# ---- What follows from each kernel

_Rule = tuple[str, str, float, Callable[[Measured], float]]


def _per_register(measured: Measured, few: str, many: str, more: int) -> float:
    """Return what each register more of a load or store takes."""
    return (measured.turn(many) - measured.turn(few)) / more


def _pushed(measured: Measured) -> float:
    return _per_register(measured, "push_pop2", "push_pop4", 16)  # 4 times 2 more, stored and loaded


def _loaded(measured: Measured) -> float:
    return _per_register(measured, "vldm2", "vldm8", 48)


def _stored(measured: Measured) -> float:
    return _per_register(measured, "vstm2", "vstm8", 48)


def _integer(measured: Measured) -> float:
    return measured.body("adds_dependent", 16)


def _load(measured: Measured) -> float:
    return measured.body("load_apart", 8) - _integer(measured)


def _accumulate(measured: Measured) -> float:
    return measured.body("vfma_adds", 8) - 2 * _integer(measured)


#: What holds however many instructions begin in a cycle.
_LATENCIES: tuple[_Rule, ...] = (
    ("load_many", "per_register", 0.5, _pushed),
    ("store_many", "per_register", 0.5, _pushed),
    ("fp_load_many", "per_register", 0.5, _loaded),
    ("fp_store_many", "per_register", 0.5, _stored),
    ("fp_add", "latency", 1, lambda m: m.body("vadd_dependent", 16)),
    ("fp_multiply", "latency", 1, lambda m: m.body("vmul_dependent", 16)),
    ("fp_fused", "latency", 1, lambda m: m.body("vfma_read", 8) - 1),
    ("fp_fused", "addend", 1, lambda m: m.body("vfma_dependent", 16)),
    ("fp_chained", "addend", 1, lambda m: m.body("vmla_dependent", 16)),
)

#: What holds where one instruction begins in a cycle.
_ISSUES: tuple[_Rule, ...] = (
    ("nop", "issue", 1, lambda m: m.body("nops", 16)),
    ("integer", "issue", 1, _integer),
    ("multiply_flags", "issue", 1, lambda m: m.body("multiply", 16)),
    ("multiply_add", "issue", 1, lambda m: m.body("multiply_add", 16)),
    ("multiply_long", "issue", 1, lambda m: m.body("multiply_long", 16)),
    ("load", "issue", 1, _load),
    ("load", "latency", 1, lambda m: m.body("load_dependent", 16)),
    ("memory", "pipelined", 1, lambda m: _load(m) - m.body("load_run", 16)),
    ("store", "issue", 1, lambda m: m.body("store_run", 16)),
    ("load_many", "issue", 1, lambda m: m.body("push_pop2", 8) - 2 * _pushed(m)),
    ("store_many", "issue", 1, lambda m: m.body("push_pop2", 8) - 2 * _pushed(m)),
    ("load_double", "issue", 1, lambda m: m.body("load_double", 16)),
    ("branch", "taken", 1, lambda m: m.body("branch_taken", 8)),
    ("fp_add", "issue", 1, lambda m: m.body("vadd_independent", 16)),
    ("fp_fused", "issue", 1, _accumulate),
    ("fp_chained", "issue", 1, _accumulate),
    ("fp_fused", "busy", 1, lambda m: m.turn("vfma_independent") / 16),
    ("fp_chained", "busy", 1, lambda m: m.turn("vmla_independent") / 16),
    ("fp_divide", "busy", 1, lambda m: m.turn("vdiv") / 4),
    ("fp_load", "per_register", 0.5, _loaded),
    ("fp_load", "issue", 1, lambda m: m.body("vldr_apart", 8) - _integer(m) - _loaded(m)),
    ("fp_store", "per_register", 0.5, _stored),
    ("fp_store", "issue", 1, lambda m: m.body("vstr", 16) - _stored(m)),
    ("fp_load_many", "issue", 1, lambda m: m.body("vldm2", 8) - 2 * _loaded(m)),
    ("fp_store_many", "issue", 1, lambda m: m.body("vstm2", 8) - 2 * _stored(m)),
    ("fp_to_core", "per_register", 1, lambda m: m.body("vmov_to_core", 16)),
    ("vector_fused", "busy", 1, lambda m: m.turn("vector_fused_independent") / 16),
    ("vector_fused", "addend", 1, lambda m: m.turn("vector_fused_dependent") / 16),
    ("vector_load", "busy", 1, lambda m: m.turn("vector_load") / 16),
)
