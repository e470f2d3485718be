"""Whatever could bring a number into the state that is not finite is looked at in front of what writes it.

What a gradient is made of gets a bound, so that no sum of products reaches 2^63, and running statistics must be finite.
docs/NUMERICS.md ("Finite state") shows up to which learning rate a finite state then stays finite: it is written into
the rule. Where a rule's hyper-parameters do not allow this, 0 stays there, by which an image tells that it does not
promise it.

The program optimizer checks all gradients first, so it is applied whole or not at all; so do clipping, by its norm, and
a step with a loss scale, by checks of their own.
In the program step, updates that are made earlier stay: layers behind the one whose gradient overflows have learnt.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from ...generated.opcodes import COUNTS, OPCODES
from ...optimizers.limits import GRADIENT_LIMIT, largest_rate
from ..program import Buffer, Compiled, Instruction, Program, Ref
from ..strides import collapse

#: What a forward pass made, as a factor of a weight's gradient, is below this.
ACTIVATION_LIMIT = 2.0**32

#: opcode of a fused update -> its factors, and the parameters whose product is how many products one sum has
FACTORS = {"GEMM_UPDATE": (("a", "b"), ("k",)), "CONV_UPDATE": (("x", "dy"), ("batch", "out_h", "out_w"))}

#: opcode -> operand that is the gradient, where gradients are clipped by value: times a scale, then between two limits
CLIPPERS = {"MUL": "a", "CLAMP": "x"}


@dataclass(frozen=True)
class Place:
    """Rows of n elements, `step` elements apart."""

    ref: Ref
    rows: int
    n: int
    step: int

    @property
    def key(self) -> tuple[int, int, int, int, int]:
        return id(self.ref.buffer), self.ref.offset, self.rows, self.n, self.step


def run(compiled: Compiled) -> None:
    own: dict[int, Ref] = {}
    for program in compiled.programs:
        Checks(program).insert()
        for instruction in program.instructions:
            rule = instruction.operands.get("rule")
            if rule is not None:
                made = own.setdefault(id(rule.buffer), promised(rule, compiled.learning_rate))
                instruction.operands["rule"] = made


def promised(rule: Ref, learning_rate: float) -> Ref:
    """The rule with the largest rate in its last word, unless the image starts above. Its buffer is its own,
    as constants with equal bytes are one: other instructions may read the rule's bytes as numbers of theirs."""
    data = rule.buffer.data
    assert data is not None
    largest = largest_rate(data)
    if learning_rate < largest:
        data = data[:-4] + np.float32(largest).tobytes()
    return Ref(Buffer(f"{rule.buffer.name}.promised", rule.buffer.size, rule.buffer.region, data), rule.offset)


def check(place: Place, limit: float, origin: str, phase: str) -> Instruction:
    """CHECK_FINITE where any finite number will do and none lies between."""
    if math.isinf(limit) and place.rows == 1:
        return Instruction("CHECK_FINITE", {"x": place.ref}, {"n": place.n}, origin, phase=phase)
    params = {"rows": place.rows, "n": place.n, "step": place.step, "limit": limit}
    return Instruction("CHECK_BOUND", {"x": place.ref}, params, origin, phase=phase)


class Checks:
    """The checks of one program. Last of all passes: a check reads what the instruction behind it reads, so lifetimes
    stay."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.made = {id(r.buffer) for i in program.instructions if i.phase == "backward" for r in i.writes}
        self.writer = {id(r.buffer): i for i in program.instructions for r in i.writes}
        self.term_limits = dict(self.summed_factors())
        self.first: list[Instruction] = []
        self.result: list[Instruction] = []
        self.known: dict[tuple[int, int, int, int, int], tuple[list[Instruction], int]] = {}

    def insert(self) -> None:
        for instruction in self.program.instructions:
            for place, limit in self.needs(instruction):
                self.require(place, limit, instruction.origin)
            self.result.append(instruction)
            if instruction.opcode == "CHECK_FINITE":
                self.note(instruction)
            self.forget(instruction)
        self.program.instructions = self.first + self.result

    def note(self, instruction: Instruction) -> None:
        """A check that is there by itself: of data, loss, a norm, or a gradient with a loss scale."""
        (place,) = places(instruction, "x")
        self.known[place.key] = (self.result, len(self.result) - 1)

    def forget(self, instruction: Instruction) -> None:
        """What was written to is no longer what was checked."""
        written = {id(ref.buffer) for ref in instruction.writes}
        if written:
            self.known = {key: where for key, where in self.known.items() if key[0] not in written}

    def require(self, place: Place, limit: float, origin: str) -> None:
        """A check of the place, or a lower limit in the one that is there."""
        if place.key in self.known:
            into, index = self.known[place.key]
            old = into[index]
            limit = min(limit, float(old.params.get("limit", math.inf)))
            into[index] = check(place, limit, old.origin, old.phase)
            return
        into = self.first if self.program.kind == "optimizer" else self.result
        into.append(check(place, limit, origin, "backward"))
        self.known[place.key] = (into, len(into) - 1)

    def needs(self, instruction: Instruction) -> Iterator[tuple[Place, float]]:
        """Places that must be below a limit before the instruction runs."""
        if instruction.opcode in FACTORS:
            yield from self.factors(instruction)
        elif instruction.phase == "update" and instruction.opcode in CLIPPERS:
            source = CLIPPERS[instruction.opcode]
            if self.is_made(instruction.operands[source]):
                yield from ((place, math.inf) for place in places(instruction, source))
        elif id(instruction) in self.term_limits:
            yield from ((place, self.term_limits[id(instruction)]) for place in places(instruction, "x"))
        elif instruction.opcode == "UPDATE" and not self.is_bounded(instruction.operands["g"]):
            scale, is_clipped = self.largest_scale(instruction.operands["scale"])
            if not is_clipped:
                yield from ((place, float32(GRADIENT_LIMIT / scale)) for place in places(instruction, "g"))
        elif instruction.opcode == "CLIP_SCALE":
            scale, _ = self.largest_scale(instruction.operands["scale"])
            yield from ((p, float32((GRADIENT_LIMIT / scale) ** 2)) for p in places(instruction, "sum_squares"))
        elif any(ref.buffer.region == "statistic" for ref in instruction.writes):
            yield from ((place, math.inf) for place in places(instruction, "x"))

    def factors(self, update: Instruction) -> Iterator[tuple[Place, float]]:
        """Both factors of a gradient that is only made row by row: the sum of their products stays below the limit."""
        names, terms = FACTORS[update.opcode]
        products = math.prod(int(update.params[term]) for term in terms)
        delta_limit = GRADIENT_LIMIT / ACTIVATION_LIMIT / growth(products)
        delta = next((name for name in reversed(names) if self.is_made(update.operands[name])), names[-1])
        for name in names:
            limit = delta_limit if name == delta else ACTIVATION_LIMIT
            yield from ((place, limit) for place in places(update, name))

    def summed_factors(self) -> Iterator[tuple[int, float]]:
        """Yield each REDUCE_SUM that makes a gradient from what a fused update checks anyway, as a bias's gradient is
        made, and the limit of its terms. With its terms checked, the gradient needs no check of its own."""
        factors = {place.key for i in self.program.instructions for place in factor_places(i)}
        writes = Counter(id(ref.buffer) for i in self.program.instructions for ref in i.writes)
        for update in (i for i in self.program.instructions if i.opcode == "UPDATE"):
            gradient = update.operands["g"]
            assert gradient is not None
            total = self.writer.get(id(gradient.buffer))
            if total is None or writes[id(gradient.buffer)] != 1 or not is_sum_of(total, gradient, update.params["n"]):
                continue
            scale, is_clipped = self.largest_scale(update.operands["scale"])
            if not is_clipped and {place.key for place in places(total, "x")} <= factors:
                scale *= abs(float(total.params["scale"]))
                yield id(total), GRADIENT_LIMIT / max(scale, 1.0) / growth(reduced(total))

    def is_bounded(self, gradient: Ref | None) -> bool:
        """Whether a gradient needs no check: it was clipped, or is a sum of terms that were checked."""
        writer = self.writer.get(id(gradient.buffer)) if gradient is not None else None
        return id(writer) in self.term_limits or self.is_clipped(gradient)

    def is_clipped(self, gradient: Ref | None) -> bool:
        """Whether each element has been clipped, which leaves it as far below the limit as Optimizer asks."""
        writer = self.writer.get(id(gradient.buffer)) if gradient is not None else None
        return writer is not None and writer.opcode == "CLAMP" and writer.phase == "update"

    def is_made(self, ref: Ref | None) -> bool:
        return ref is not None and (ref.buffer.region == "gradient" or id(ref.buffer) in self.made)

    def largest_scale(self, ref: Ref | None) -> tuple[float, bool]:
        """What a gradient's factor is at most, and whether its norm has been checked with it."""
        if ref is None or ref.buffer.region == "control":
            return 1.0, False  # gradient_scale is 1 / (how many micro-batches)
        if ref.buffer.data is not None:
            return float(np.frombuffer(ref.buffer.data, np.float32)[ref.offset // 4]), False
        writer = self.writer[id(ref.buffer)]
        if writer.opcode == "CLIP_SCALE":
            return self.largest_scale(writer.operands["scale"])[0], True
        assert writer.opcode == "MUL", writer.opcode
        return math.prod(self.largest_scale(writer.operands[name])[0] for name in "ab"), False


def growth(terms: int) -> float:
    """How many times larger than its terms a sum may be. More than 2^24 of them can all round upwards."""
    return 2.0 ** math.ceil(math.log2(terms)) * (2.0 if terms > 2**24 else 1.0)


def factor_places(instruction: Instruction) -> Iterator[Place]:
    """Yield what is checked in front of a fused update."""
    for name in FACTORS.get(instruction.opcode, ((), ()))[0]:
        yield from places(instruction, name)


def is_sum_of(instruction: Instruction, gradient: Ref, n: int | float) -> bool:
    """Whether the instruction is a REDUCE_SUM that makes all n elements of the gradient, and adds them to nothing."""
    params = instruction.params
    return (
        instruction.opcode == "REDUCE_SUM"
        and not params["accumulate"]
        and instruction.operands["y"] == gradient
        and math.prod(int(params[f"k{axis}"]) for axis in range(4)) == n
    )


def reduced(total: Instruction) -> int:
    """Return how many terms each sum of a REDUCE_SUM has."""
    return math.prod(int(total.params[f"r{axis}"]) for axis in range(4))


def float32(limit: float) -> float:
    """The limit, or infinity where no float32 reaches it."""
    return limit if limit <= float(np.finfo(np.float32).max) else math.inf


def places(instruction: Instruction, operand: str) -> list[Place]:
    """Where the elements of an operand lie; what lies between them is nobody's business."""
    ref = instruction.operands[operand]
    assert ref is not None
    dims, strides = walk(instruction, operand)
    n = dims.pop() if strides and strides[-1] == 1 else 1
    strides = strides[: len(dims)]
    if not dims:
        return [Place(ref, 1, n, 1)]
    longest = max(range(len(dims)), key=lambda axis: dims[axis])
    rows, step = dims.pop(longest), strides.pop(longest)
    offsets = [sum(i * s for i, s in zip(index, strides, strict=True)) for index in product(*map(range, dims))]
    return [Place(Ref(ref.buffer, ref.offset + 4 * offset), rows, n, step) for offset in offsets]


def walk(instruction: Instruction, operand: str) -> tuple[list[int], list[int]]:
    """Dimensions and strides of an operand's elements, neighbours joined, the longest stride first."""
    terms = OPCODES[instruction.opcode]["operands"][operand][2]
    if terms[0][1] is None:
        return [math.prod(number(instruction, dim) for dim, _ in terms)], [1]
    axes = [(number(instruction, dim), number(instruction, stride)) for dim, stride in terms]
    axes = sorted(((dim, stride) for dim, stride in axes if stride), key=lambda axis: -axis[1])
    dims, (strides,) = collapse([dim for dim, _ in axes], [stride for _, stride in axes])
    return dims, strides


def number(instruction: Instruction, name: str) -> int:
    return COUNTS.get(name) or int(instruction.params[name])
