"""Timings of a core, derived from its micro-kernels' cycles on a real part.

The firmware of micro/ prints the section [measured] of a core's table: the cycles of a number of
turns of each micro-kernel. A table with this section is read with the timings derived from it,
instead of the published ones. Each rule here is the inverse of a kernel's cycle count, which
tests/bench/test_cycles.py derives by hand for each core.
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
#: Marks the section of an emulated board, whose figures are not timings.
EMULATED = "emulated"
MEASURED = "measured"


@dataclass(frozen=True)
class Measured:
    """The cycles of micro-kernels, as printed by a board.

    Attributes:
        board: The board's name.
        counter: The counter: DWT, SysTick, or the board's clock.
        turns: How often each kernel ran.
        cycles: The total cycles of these runs, by the kernel's name.
    """

    board: str
    counter: str
    turns: int
    cycles: dict[str, int]

    def turn(self, kernel: str) -> float:
        """Return the cycles of one turn. Raises KeyError if the kernel was not measured."""
        return self.cycles[kernel] / self.turns

    def body(self, kernel: str, count: int = 1) -> float:
        """Return the cycles of each of `count` equal parts of the body, without the loop."""
        return (self.turn(kernel) - self.turn("loop")) / count


def read_measured(text: str) -> Measured:
    """Return the content of the section [measured]. Raises DataError if it is something else."""
    try:
        return measured_of(tomllib.loads(text)["measured"])
    except (tomllib.TOMLDecodeError, KeyError) as error:
        raise DataError(f"this is not a section of measured cycles ({error})", "gradmote flash --calibrate") from error


def measured_of(section: Any) -> Measured:
    """Return the content of a parsed [measured] section.

    Raises DataError if it is something else, or from an emulated board.
    """
    try:
        rest = dict(section)
        if rest.pop(EMULATED, False):
            raise DataError("[measured] is from an emulated board, whose cycles mean nothing", "measure on a real part")
        board, counter, turns = (rest.pop(name) for name in ("board", "counter", "turns"))
        if turns <= 0 or any(not isinstance(value, int) or value < 0 for value in rest.values()):
            raise ValueError("a count is not an integer, or is too low")
        return Measured(str(board), str(counter), turns, rest)
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"[measured] is damaged ({error})", "paste what gradmote flash --calibrate printed") from error


def calibrated(core: Core, measured: Measured) -> Core:
    """Return the core with its timings replaced by the measured ones."""
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
    """Yield (kind, field, value) of each timing that follows from the measurements.

    For a core that issues two instructions per cycle, these are only the latencies, and the cycles for
    several registers.
    """
    for kind, field, step, rule in _LATENCIES if issue == "dual" else (*_LATENCIES, *_ISSUES):
        try:
            value = rule(measured)
        except KeyError:
            continue  # the core has no such instruction
        yield kind, field, _rounded(value, step)


def timings_table(core: Core) -> str:
    """Return the measured entries, as lines of the core's table."""
    rows = [f"{kind} = {_inline(timing)}" for kind, timing in core.kinds.items() if timing.source == MEASURED]
    return "\n".join(["[kinds]", *rows])


def _inline(timing: Timing) -> str:
    shown = [(field.name, getattr(timing, field.name), field.default) for field in fields(Timing)]
    parts = [f"{name} = {value:g}" for name, value, default in shown if name != "source" and value != default]
    return f"{{ {', '.join([*parts, f'source = {chr(34)}{MEASURED}{chr(34)}'])} }}"


def _rounded(value: float, step: float) -> float:
    """Return the nearest multiple of the step, at least 0; an int if it is whole."""
    found = max(0.0, round(value / step) * step)
    return int(found) if found == int(found) else found


# ---- The timings from each kernel

_Rule = tuple[str, str, float, Callable[[Measured], float]]


def _per_register(measured: Measured, few: str, many: str, more: int) -> float:
    """Return the cycles of each additional register in a load or store."""
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


#: Rules that hold for any number of instructions per cycle.
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

#: Rules that hold for one instruction per cycle.
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
