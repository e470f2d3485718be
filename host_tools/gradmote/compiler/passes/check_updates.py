"""The pass that checks, before use, every number that could make the state infinite or NaN.

The factors of a gradient get a bound, so that no sum of products reaches 2^63, and running
statistics must be finite. docs/NUMERICS.md ("Finite state") derives the largest learning rate with
which a finite state stays finite; the pass writes this rate into the update rule. If a rule's
hyper-parameters rule out such a rate, the word stays 0: the image does not promise a finite state.

The optimizer program checks all gradients first, so that it is applied as a whole or not at all.
Clipping by norm and steps with a loss scale ensure the same with checks of their own. In the step
program, earlier updates stay: the layers after the one whose gradient overflows are already
updated.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from ...ir.generated.instructions import (
    CheckBound,
    CheckFinite,
    Clamp,
    ClipScale,
    ConvGradWS16,
    ConvUpdate,
    ConvUpdateS8,
    ConvUpdateS16,
    Copy,
    GemmUpdate,
    Mul,
    ReduceSum,
    SumS16,
    Update,
    UpdateS8,
    UpdateS16,
    UpdateS32,
)
from ...ir.instruction import Buffer, Instruction, Ref
from ...ir.program import Compiled, Program
from ...ir.strides import collapse
from ...optimizers.limits import GRADIENT_LIMIT, largest_rate
from .quantized_updates import largest_factor

#: The bound for a factor of a weight gradient that comes from the forward pass.
ACTIVATION_LIMIT = 2.0**32

#: fused update -> its factors, and the parameters whose product is the number of terms of one sum
FACTORS: dict[type[Instruction], tuple[tuple[str, ...], tuple[str, ...]]] = {
    GemmUpdate: (("a", "b"), ("k",)),
    ConvUpdate: (("x", "dy"), ("batch", "out_h", "out_w")),
    ConvUpdateS8: (("dy",), ("batch", "out_h", "out_w")),
}

#: The instructions that update from a complete gradient.
UPDATES = (Update, UpdateS8, UpdateS16, UpdateS32)

#: The instructions that make the gradient row by row and update from each row.
FUSED_UPDATES = (GemmUpdate, ConvUpdate, ConvUpdateS8, ConvUpdateS16)

#: The instructions whose results are bounded because int16 gradients are: 2^23 times 2^8 times the terms.
FROM_INT16 = (ConvGradWS16, SumS16)

#: The largest distance of an int8 number from its zero point.
INT8_REACH = 255.0

#: Clipping by value multiplies gradients by a scale, then clamps them: instruction -> operand of the gradient.
CLIPPERS: dict[type[Instruction], str] = {Mul: "a", Clamp: "x"}


@dataclass(frozen=True)
class Block:
    """A block of rows of n elements each; rows start `step` elements apart."""

    ref: Ref
    rows: int
    n: int
    step: int


def run(compiled: Compiled) -> None:
    """Insert the checks into every program, and write the largest safe rate into each rule."""
    own: dict[tuple[Buffer, float], Ref] = {}
    for program in compiled.programs:
        checks = Checks(program)
        checks.insert()
        for instruction in program.instructions:
            rule = instruction.operands.get("rule")
            if rule is not None and isinstance(instruction, (*UPDATES, *FUSED_UPDATES)):
                factor = checks.rate_factor(instruction.operands["lr"])
                made = promised(rule, compiled.learning_rate, factor)
                instruction.rule = own.setdefault((rule.buffer, factor), made)


def promised(rule: Ref, learning_rate: float, factor: float) -> Ref:
    """Return the rule with the largest safe learning rate in its last word, in a buffer of its own.

    factor: how many times the learning rate the update's own is. The word stays 0 if the image starts above that
    rate. The rule needs its own buffer because constants with equal bytes share one, and other instructions may
    read those bytes as other numbers.
    """
    data = rule.buffer.data
    assert data is not None
    largest = largest_rate(data)
    if factor > 1:
        largest /= factor * (1 + 2.0**-22)  # the device rounds the product
    if learning_rate < largest:
        data = data[:-4] + np.float32(largest).tobytes()
    return Ref(Buffer(f"{rule.buffer.name}.promised", rule.buffer.size, rule.buffer.region, data), rule.offset)


def check(block: Block, limit: float, origin: str, phase: str) -> CheckFinite | CheckBound:
    """Return the instruction that checks a block: |x| < limit, or finite.

    CHECK_FINITE is used if the limit is infinite and the block has no gaps.
    """
    if math.isinf(limit) and block.rows == 1:
        return CheckFinite(x=block.ref, n=block.n, origin=origin, phase=phase)
    return CheckBound(x=block.ref, rows=block.rows, n=block.n, step=block.step, limit=limit, origin=origin, phase=phase)


class Checks:
    """The checks of one program.

    This pass runs last. A check reads what the next instruction reads, so that live ranges stay the
    same.
    """

    def __init__(self, program: Program) -> None:
        """Collect the backward pass's buffers, their writers, and the limits of summed terms."""
        self.program = program
        self.made = {r.buffer for i in program.instructions if i.phase == "backward" for r in i.writes}
        self.writer = {r.buffer: i for i in program.instructions for r in i.writes}
        self.term_limits = dict(self.summed_factors())
        self.first: list[Instruction] = []
        self.result: list[Instruction] = []
        self.known: dict[Buffer, dict[Block, tuple[list[Instruction], int]]] = {}

    def insert(self) -> None:
        """Insert each check in front of the instruction that needs it."""
        for instruction in self.program.instructions:
            for block, limit in self.needs(instruction):
                self.require(block, limit, instruction.origin)
            self.result.append(instruction)
            if isinstance(instruction, CheckFinite):
                self.note(instruction)
            self.forget(instruction)
        self.program.instructions = self.first + self.result

    def note(self, instruction: Instruction) -> None:
        """Record an existing check: of data, loss, a norm, or a scaled gradient."""
        (block,) = blocks(instruction, "x")
        self.known.setdefault(block.ref.buffer, {})[block] = (self.result, len(self.result) - 1)

    def forget(self, instruction: Instruction) -> None:
        """Forget the checks of the buffers that the instruction writes."""
        for ref in instruction.writes:
            self.known.pop(ref.buffer, None)

    def require(self, block: Block, limit: float, origin: str) -> None:
        """Insert a check of the block, or lower the limit of an existing one."""
        known = self.known.setdefault(block.ref.buffer, {})
        if block in known:
            into, index = known[block]
            old = into[index]
            limit = min(limit, old.limit if isinstance(old, CheckBound) else math.inf)
            into[index] = check(block, limit, old.origin, old.phase)
            return
        into = self.first if self.program.kind == "optimizer" else self.result
        into.append(check(block, limit, origin, "backward"))
        known[block] = (into, len(into) - 1)

    def needs(self, instruction: Instruction) -> Iterator[tuple[Block, float]]:
        """Yield the blocks that must be below a limit before the instruction runs."""
        if type(instruction) in FACTORS:
            yield from self.factors(instruction)
        elif instruction.phase == "update" and type(instruction) in CLIPPERS:
            source = CLIPPERS[type(instruction)]
            if self.is_made(instruction.operands[source]):
                yield from ((block, math.inf) for block in blocks(instruction, source))
        elif instruction in self.term_limits:
            yield from ((block, self.term_limits[instruction]) for block in blocks(instruction, "x"))
        elif isinstance(instruction, UPDATES) and not self.is_bounded(instruction.g):
            scale, is_clipped = self.largest_scale(instruction.scale)
            if not is_clipped:
                yield from ((block, float32(GRADIENT_LIMIT / scale)) for block in blocks(instruction, "g"))
        elif isinstance(instruction, ClipScale):
            scale, _ = self.largest_scale(instruction.scale)
            yield from ((p, float32((GRADIENT_LIMIT / scale) ** 2)) for p in blocks(instruction, "sum_squares"))
        elif isinstance(instruction, Copy) and any(ref.buffer.region == "statistic" for ref in instruction.writes):
            yield from ((block, math.inf) for block in blocks(instruction, "x"))

    def factors(self, update: Instruction) -> Iterator[tuple[Block, float]]:
        """Yield both factors of a fused update's gradient, whose products then have a bounded sum.

        The gradient itself cannot be checked: it exists only row by row.
        """
        names, terms = FACTORS[type(update)]
        products = math.prod(update.number(term) for term in terms)
        other = ACTIVATION_LIMIT
        if isinstance(update, ConvUpdateS8):
            other = INT8_REACH * max(largest_factor(update), 1.0)
        delta_limit = GRADIENT_LIMIT / other / growth(products)
        delta = next((name for name in reversed(names) if self.is_made(update.operands[name])), names[-1])
        for name in names:
            limit = delta_limit if name == delta else ACTIVATION_LIMIT
            yield from ((block, limit) for block in blocks(update, name))

    def summed_factors(self) -> Iterator[tuple[Instruction, float]]:
        """Yield each REDUCE_SUM whose terms are checked anyway, and their limit.

        A bias gradient is such a sum: a fused update checks its terms as a factor of the weight gradient.
        The bias gradient itself then needs no check.
        """
        factors = {block for i in self.program.instructions for block in factor_blocks(i)}
        writes = Counter(ref.buffer for i in self.program.instructions for ref in i.writes)
        for update in (i for i in self.program.instructions if isinstance(i, Update)):
            total = self.writer.get(update.g.buffer)
            if writes[update.g.buffer] != 1 or not isinstance(total, ReduceSum) or not makes(total, update.g, update.n):
                continue
            scale, is_clipped = self.largest_scale(update.scale)
            if not is_clipped and set(blocks(total, "x")) <= factors:
                scale *= abs(total.scale)
                yield total, GRADIENT_LIMIT / max(scale, 1.0) / growth(reduced(total))

    def is_bounded(self, gradient: Ref) -> bool:
        """Return whether a gradient needs no check because it was clipped or its terms were checked."""
        writer = self.writer.get(gradient.buffer)
        return writer in self.term_limits or isinstance(writer, FROM_INT16) or self.is_clipped(gradient)

    def is_clipped(self, gradient: Ref) -> bool:
        """Return whether each element was clipped to a bound below the limit (see Optimizer)."""
        writer = self.writer.get(gradient.buffer)
        return isinstance(writer, Clamp) and writer.phase == "update"

    def is_made(self, ref: Ref | None) -> bool:
        """Return whether the backward pass wrote the operand, or it is a kept gradient."""
        return ref is not None and (ref.buffer.region == "gradient" or ref.buffer in self.made)

    def rate_factor(self, ref: Ref | None) -> float:
        """Return how many times the learning rate an update's rate is."""
        assert ref is not None
        if ref.buffer.region == "control":
            return 1.0
        product = self.writer[ref.buffer]
        assert isinstance(product, Mul), product.opcode
        factors = [r for r in (product.a, product.b) if r.buffer.data is not None and r.buffer.region != "control"]
        assert len(factors) == 1
        return float(np.frombuffer(factors[0].buffer.data or b"", np.float32)[factors[0].offset // 4])

    def largest_scale(self, ref: Ref | None) -> tuple[float, bool]:
        """Return the largest factor applied to a gradient, and whether its norm has been checked with it."""
        if ref is None or ref.buffer.region == "control":
            return 1.0, False  # gradient_scale is 1 / (number of micro-batches)
        if ref.buffer.data is not None:
            return float(np.frombuffer(ref.buffer.data, np.float32)[ref.offset // 4]), False
        writer = self.writer[ref.buffer]
        if isinstance(writer, ClipScale):
            return self.largest_scale(writer.scale)[0], True
        assert isinstance(writer, Mul), writer.opcode
        return math.prod(self.largest_scale(factor)[0] for factor in (writer.a, writer.b)), False


def growth(terms: int) -> float:
    """Return how many times larger than its terms a sum may be.

    With more than 2^24 terms, every addition may round upwards.
    """
    return 2.0 ** math.ceil(math.log2(terms)) * (2.0 if terms > 2**24 else 1.0)


def factor_blocks(instruction: Instruction) -> Iterator[Block]:
    """Yield the blocks to check in front of a fused update."""
    for name in FACTORS.get(type(instruction), ((), ()))[0]:
        yield from blocks(instruction, name)


def makes(total: ReduceSum, gradient: Ref, n: int) -> bool:
    """Return whether the sums are exactly the n elements of the gradient, without accumulation."""
    return not total.accumulate and total.y == gradient and total.k0 * total.k1 * total.k2 * total.k3 == n


def reduced(total: ReduceSum) -> int:
    """Return how many terms each sum of a REDUCE_SUM has."""
    return total.r0 * total.r1 * total.r2 * total.r3


def float32(limit: float) -> float:
    """Return the limit, or infinity if no float32 reaches it."""
    return limit if limit <= float(np.finfo(np.float32).max) else math.inf


def blocks(instruction: Instruction, operand: str) -> list[Block]:
    """Return the blocks that hold an operand's elements, without the gaps."""
    ref = instruction.operands[operand]
    assert ref is not None
    dims, strides = sizes_and_strides(instruction, operand)
    n = dims.pop() if strides and strides[-1] == 1 else 1
    strides = strides[: len(dims)]
    if not dims:
        return [Block(ref, 1, n, 1)]
    longest = max(range(len(dims)), key=lambda axis: dims[axis])
    rows, step = dims.pop(longest), strides.pop(longest)
    offsets = [sum(i * s for i, s in zip(index, strides, strict=True)) for index in product(*map(range, dims))]
    return [Block(Ref(ref.buffer, ref.offset + 4 * offset), rows, n, step) for offset in offsets]


def sizes_and_strides(instruction: Instruction, operand: str) -> tuple[list[int], list[int]]:
    """Return an operand's sizes and strides, longest stride first, with adjacent dimensions merged."""
    terms, number = instruction.extents[operand], instruction.number
    if terms[0][1] is None:
        return [math.prod(number(dim) for dim, _ in terms)], [1]
    axes = [(number(dim), number(stride)) for dim, stride in terms if stride is not None]
    axes = sorted(((dim, stride) for dim, stride in axes if stride), key=lambda axis: -axis[1])
    dims, (strides,) = collapse([dim for dim, _ in axes], [stride for _, stride in axes])
    return dims, strides
