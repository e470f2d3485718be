"""The problem that checkpointing solves: which values a program can recompute, who reads them, and what they cost.

Instructions and buffers are numbered. The walk (walk.py) goes through these lists thousands of times, so they only
hold numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from ...ir.instruction import Buffer, Instruction
from ...ir.program import Program, Uses
from ...plan.lifetimes import aligned, lifetimes, lower_bound
from ..passes import share_in_place
from ..passes.schedule import edges_of

#: A buffer is small if it has less than this fraction of the peak.
SMALL = 0.004
#: The machine instructions that an instruction takes; None if unknown.
Cost = Callable[[Instruction], float | None]


@dataclass(frozen=True)
class Maker:
    """The instructions that make some values, in order, and their inputs.

    `values` are all buffers that they write. `sources` are the scratch buffers of other makers that they read, in
    the order in which these are made. `overwrites` are the instructions that update a weight which they read: after
    those, the makers would not give the same bits again.
    """

    instructions: tuple[int, ...]
    values: tuple[int, ...]
    sources: tuple[int, ...]
    overwrites: tuple[int, ...]
    cost: float


@dataclass(frozen=True)
class Problem:
    """The instructions of a program with the scratch buffers that they use, by number.

    `touched` has the buffers of each instruction, each once, without small ones that are never recomputed: these
    stay as they are, and `rest` has their bytes live at each instruction. `shares` has the pairs of an output and
    an input whose bytes it may reuse. `sizes` are bytes. `maker` is None for values that cannot be recomputed.
    `lasting` are the buffers that the caller reads at the end. `turn` is the first instruction after the forward
    pass. `edges` are the pairs of instructions whose order must stay, and `costs` the machine instructions of each.
    """

    program: Program
    buffers: list[Buffer]
    sizes: list[int]
    touched: list[tuple[int, ...]]
    rest: list[int]
    shares: list[tuple[tuple[int, int], ...]]
    maker: list[Maker | None]
    lasting: frozenset[int]
    turn: int
    edges: frozenset[tuple[int, int]] = field(repr=False)
    costs: list[float | None] = field(repr=False)

    @cached_property
    def uses(self) -> list[list[int]]:
        """Return the instructions that touch each buffer, in order."""
        found: list[list[int]] = [[] for _ in self.buffers]
        for index, touched in enumerate(self.touched):
            for value in touched:
                found[value].append(index)
        return found


def problem_of(program: Program, cost: Cost) -> Problem:
    """Return the problem of a program whose order is final except for what the search moves."""
    number = {b: k for k, b in enumerate(b for b in program.uses() if b.region == "scratch")}
    costs = [cost(instruction) for instruction in program.instructions]
    made = makers(program, number, costs)
    small = small_buffers(program, number, made)
    touched = [tuple(b for b in numbers(number, i) if b not in small) for i in program.instructions]
    shares = [tuple(shares_of(i, number)) for i in program.instructions]
    bound = program.bound()
    return Problem(
        program,
        list(number),
        [aligned(buffer.size) for buffer in number],
        touched,
        rest_of(program, number, small),
        [tuple(pair for pair in pairs if not small & {*pair}) for pairs in shares],
        made,
        frozenset(number[b] for b in bound if b in number),
        next((k for k, i in enumerate(program.instructions) if i.phase != "forward"), len(program.instructions)),
        frozenset(edges_of(program.instructions)),
        costs,
    )


def numbers(number: dict[Buffer, int], instruction: Instruction) -> tuple[int, ...]:
    """Return the numbers of the scratch buffers that an instruction uses, each once, in order."""
    used = (ref.buffer for ref in (*instruction.reads, *instruction.writes))
    return tuple(dict.fromkeys(number[buffer] for buffer in used if buffer in number))


def small_buffers(program: Program, number: dict[Buffer, int], made: Sequence[Maker | None]) -> frozenset[int]:
    """Return the buffers that are small, and that no recomputation makes or reads."""
    least = SMALL * lower_bound(program)
    needed = {b for maker in made if maker for b in (*maker.values, *maker.sources)}
    return frozenset(k for buffer, k in number.items() if buffer.size < least and k not in needed)


def rest_of(program: Program, number: dict[Buffer, int], small: frozenset[int]) -> list[int]:
    """Return the bytes of small buffers live at each instruction."""
    change = [0] * (len(program.instructions) + 1)
    for span in lifetimes(program):
        if number[span.buffer] in small:
            change[span.start] += aligned(span.buffer.size)
            change[span.end] -= aligned(span.buffer.size)
    return list(accumulate(change))[:-1]


def shares_of(instruction: Instruction, number: dict[Buffer, int]) -> Iterable[tuple[int, int]]:
    """Yield the output and each input whose bytes it may reuse because nothing else needs them."""
    for old, new in share_in_place.pairs(instruction):
        if old not in (None, new):
            yield number[old], number[new]


# ---- Makers


def makers(program: Program, number: dict[Buffer, int], costs: Sequence[float | None]) -> list[Maker | None]:
    """Return the maker of each scratch buffer; None if it cannot be recomputed."""
    uses = program.uses()
    writers = {buffer: tuple(uses[buffer].writers) for buffer in number}
    found: list[Maker | None] = [None] * len(number)
    for group in groups(program, number):
        own = sorted({k for buffer in group for k in writers[buffer]})
        if all(is_repeatable(program.instructions[k], costs[k]) for k in own) and is_written_first(group, uses, own):
            made = maker_of(program, number, uses, group, own, costs)
            for buffer in group:
                found[number[buffer]] = made
    return found


def groups(program: Program, number: dict[Buffer, int]) -> list[list[Buffer]]:
    """Return the scratch buffers, grouped if one instruction writes several."""
    group_of: dict[Buffer, list[Buffer]] = {buffer: [buffer] for buffer in number}
    for instruction in program.instructions:
        written = [r.buffer for r in instruction.writes if r.buffer in number]
        for other in written[1:]:
            first, second = group_of[written[0]], group_of[other]
            if first is not second:
                first += second
                group_of |= dict.fromkeys(second, first)
    return list({id(group): group for group in group_of.values()}.values())


def is_repeatable(instruction: Instruction, cost: float | None) -> bool:
    """Return whether the instruction can run again: same bits, only scratch written, cost known."""
    writes_scratch = all(ref.buffer.region == "scratch" for ref in instruction.writes)
    return instruction.phase == "forward" and writes_scratch and bool(instruction.writes) and cost is not None


def is_written_first(group: list[Buffer], uses: dict[Buffer, Uses], own: Sequence[int]) -> bool:
    """Return whether only their makers read the buffers before all their values are written."""
    readers = {k for buffer in group for k in uses[buffer].readers} - set(own)
    return bool(own) and all(k > own[-1] for k in readers) and not any(uses[b].is_given for b in group)


def maker_of(
    program: Program,
    number: dict[Buffer, int],
    uses: dict[Buffer, Uses],
    group: list[Buffer],
    own: Sequence[int],
    costs: Sequence[float | None],
) -> Maker:
    """Return the maker of a group of buffers."""
    read = dict.fromkeys(ref.buffer for k in own for ref in program.instructions[k].reads)
    sources = sorted(number[b] for b in read if b in number and b not in group)
    later = [k for b in read if b not in number and b in uses for k in uses[b].writers if k > own[0]]
    return Maker(
        tuple(own), tuple(number[b] for b in group), tuple(sources), tuple(later), sum(costs[k] or 0.0 for k in own)
    )
