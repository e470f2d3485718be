"""The part of the verifier that reads instructions: V14 to V22 and V25 to V27 of docs/SPEC.md."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import prod

from .read_image import NONE, Image, Record
from .read_tables import NUMBERS, Opcode, Operand, constants, enums, opcodes, rules, size_of
from .regions import LIMIT, lies_in, overlap, store_size

OK = "OK"
MAX_WORK = 1 << 34
MOST_DIM = (1 << 31) - 1
CONSTANT_BIT = constants()["CONSTANT_BIT"]
BITS = {"u8": 8, "i8": 8, "i16": 16, "bit": 1}
KINDS = enums()["program"]
#: Opcodes that the executor itself does.
LOOPS = ("LOOP", "GUARD")


def element_size(operand: Operand) -> int:
    """Return the bytes of one element; bits are as words here."""
    return {8: 1, 16: 2}.get(BITS.get(operand.type, 32), 4)


def alignment(operand: Operand) -> int:
    """Return the number of bytes that divides an operand's address."""
    return 4 if operand.type == "u8" else element_size(operand)


class Refused(Exception):
    """The refusal of an instruction, with the name of the error."""


@dataclass(frozen=True)
class Instruction:
    """An instruction with its operands and parameters by name."""

    opcode: Opcode
    operands: dict[str, int]
    params: dict[str, int]
    steps: dict[str, int] = field(default_factory=dict)  # bytes by which a GUARD moves operands on each time
    turns: int = 1  # how often
    short: bool = False  # whether its rule says that moments are bfloat16

    def value(self, term: str) -> int:
        """Return what a parameter, or a word that stands for a number, means."""
        return NUMBERS[term] if term in NUMBERS else self.params[term]

    def extent(self, axes: tuple[tuple[str, str | None], ...]) -> int:
        """Return how many elements a kernel may touch."""
        if axes[0][1] is None:
            return prod(self.value(dim) for dim, _ in axes)
        return 1 + sum((self.value(dim) - 1) * self.value(str(stride)) for dim, stride in axes)

    def size(self, operand: Operand) -> int:
        """Return the bytes that a kernel may touch of an operand; 0 if it is absent."""
        if self.operands[operand.name] == NONE or operand.type == "rule":
            return 0
        moved = self.steps.get(operand.name, 0) * (self.turns - 1)
        bits = 16 if operand.type == "moment" and self.short else BITS.get(operand.type, 32)
        return -(-self.extent(operand.axes) * bits // 8) + moved

    def alignment(self, operand: Operand) -> int:
        """Return the number of bytes that divides the operand's address."""
        return 2 if operand.type == "moment" and self.short else alignment(operand)

    def knowing(self, data: bytes) -> Instruction:
        """Return the instruction with what its rule says of moments; data: the constants."""
        words = [self.operands[operand.name] for operand in self.opcode.operands if operand.type == "rule"]
        kind = rule_kind(data, words[0]) if words else None
        return replace(self, short=kind is not None and bool(kind & constants()["MOMENTS_BF16"]))

    def long_axes(self, operand: Operand) -> list[tuple[str, int]]:
        """Return the axes of an operand that have more than one index, each with its stride."""
        found, dense = [], 1
        for dim, stride in reversed(operand.axes):
            if self.value(dim) > 1:
                found.append((dim, dense if stride is None else self.value(stride)))
            dense *= self.value(dim)
        return found


def rule_kind(data: bytes, place: int) -> int | None:
    """Return the first word of a rule, None if it is not in the constants."""
    offset = place & ~CONSTANT_BIT
    if place < CONSTANT_BIT or not lies_in(offset, 4 * constants()["RULE_WORDS"], 0, len(data)):
        return None
    return int(struct.unpack_from("<I", data, offset)[0])


def decode(words: list[int], at: int) -> Instruction:
    """Return the instruction at a word: V14."""
    opcode, length = opcodes().get(words[at] & 0xFFFF), words[at] >> 16
    if opcode is None:
        raise Refused("BAD_OPCODE")
    if length != 1 + len(opcode.operands) + len(opcode.params) or at + length > len(words):
        raise Refused("BAD_INSTRUCTION")
    first = at + 1 + len(opcode.operands)
    operands = {operand.name: word for operand, word in zip(opcode.operands, words[at + 1 : first])}
    return Instruction(opcode, operands, dict(zip(opcode.params, words[first:])))


def instructions(image: Image, kind: str) -> Iterator[Instruction]:
    """Yield the instructions of a program, or nothing if the image does not have it."""
    for program in image.programs:
        words, at = image.code(program) if program.kind_name == kind else [], 0
        while at < len(words):
            yield decode(words, at)
            at += words[at] >> 16


def executed(image: Image, kind: str) -> Iterator[Instruction]:
    """Yield what a program runs: the instructions of loops in each iteration, with operands moved on."""
    for program in image.programs:
        words, at = image.code(program) if program.kind_name == kind else [], 0
        while at < len(words):
            instruction = decode(words, at)
            at += words[at] >> 16
            if instruction.opcode.name != "LOOP":
                yield instruction
                continue
            body = words[at : at + instruction.params["body"]]
            for iteration in range(instruction.params["iterations"]):
                yield from _iteration(body, iteration)
            at += len(body)


def _iteration(body: list[int], iteration: int) -> Iterator[Instruction]:
    """Yield what one iteration of a loop runs."""
    at, guard = 0, None
    while at < len(body):
        instruction = decode(body, at)
        at += body[at] >> 16
        if instruction.opcode.name == "GUARD":
            guard = instruction
            continue
        if guard is None:
            yield instruction
        elif runs_in(guard, iteration):
            turn = (iteration - guard.params["first"]) // guard.params["period"]
            yield _moved(_guarded(instruction, guard), turn)
        guard = None


def runs_in(guard: Instruction, iteration: int) -> bool:
    """Return whether a guarded instruction runs in an iteration."""
    since = iteration - guard.params["first"]
    return 0 <= since <= last_iteration(guard) - guard.params["first"] and since % guard.params["period"] == 0


def _moved(instruction: Instruction, turn: int) -> Instruction:
    """Return a guarded instruction as it runs when it ran so often before."""
    places = instruction.operands.items()
    operands = {name: place + turn * instruction.steps.get(name, 0) for name, place in places}
    return replace(instruction, operands=operands, steps={}, turns=1)


def check_programs(image: Image) -> str:
    """Check each program whole before the next one: V21, then its instructions, then V22."""
    seen: set[int] = set()
    for program in image.programs:
        inside = lies_in(program.code_offset, program.code_size, 0, len(image.section("CODE")))
        known = program.kind_name is not None and program.kind not in seen
        if not (known and inside and program.code_size % 4 == 0 and program.arena_size <= image.header.arena_size):
            return "BAD_PROGRAM"
        seen.add(program.kind)
        try:
            count, work = _check_code(image, program)
        except Refused as refused:
            return str(refused)
        if (count, work) != (program.instructions, program.work_high << 32 | program.work_low):
            return "BAD_PROGRAM"
    return OK


def _check_code(image: Image, program: Record) -> tuple[int, int]:
    words = image.code(program)
    count = work = 0
    for instruction, times in with_loops(words):
        _check_params(instruction)
        _check_operands(image, program, instruction)
        work += times * prod(map(instruction.value, instruction.opcode.work))
        if work > MAX_WORK:  # V20
            raise Refused("TOO_MUCH_WORK")
        count += 1
    return count, work


def with_loops(words: list[int]) -> Iterator[tuple[Instruction, int]]:
    """Yield each instruction and how often it runs: V14, V29 and V30.

    What V29 and V30 refuse of a LOOP or GUARD is refused when its caller has looked at all else.
    """
    at, end, iterations, guard = 0, 0, 1, None
    while at < len(words):
        in_loop = at < end
        instruction = decode(words[:end] if in_loop else words, at)
        guarded = _guarded(instruction, guard)
        yield guarded, guarded.turns if guard else iterations if in_loop else 1
        at += words[at] >> 16
        guard = None
        if instruction.opcode.name == "LOOP":
            if in_loop or at + instruction.params["body"] > len(words):
                raise Refused("BAD_INSTRUCTION")
            end, iterations = at + instruction.params["body"], instruction.params["iterations"]
        if instruction.opcode.name == "GUARD":
            guard = instruction
            if not in_loop or at == end or last_iteration(guard) >= iterations:
                raise Refused("BAD_INSTRUCTION")


def last_iteration(guard: Instruction) -> int:
    """Return the last iteration in which a guarded instruction runs."""
    return guard.params["first"] + (guard.params["count"] - 1) * guard.params["period"]


def _guarded(instruction: Instruction, guard: Instruction | None) -> Instruction:
    """Return the instruction with the steps of its operands: V30."""
    if guard is None:
        return instruction
    steps: dict[str, int] = {}
    names = [operand.name for operand in instruction.opcode.operands]
    for letter in "abc":
        index = guard.params[f"operand_{letter}"]
        if index >= len(names):
            raise Refused("BAD_INSTRUCTION")
        steps[names[index]] = steps.get(names[index], 0) + guard.params[f"step_{letter}"]
    return replace(instruction, steps=steps, turns=guard.params["count"])


def _check_params(instruction: Instruction) -> None:
    """V15, then V25."""
    for name, kind in instruction.opcode.params.items():
        if not _allows(kind, instruction.params[name]):
            raise Refused("BAD_INSTRUCTION")
    if any(instruction.extent(window) > MOST_DIM for window in instruction.opcode.windows):
        raise Refused("BAD_INSTRUCTION")


def _allows(kind: str, value: int) -> bool:
    if kind.startswith("enum("):
        return value < len(kind.split(","))
    least, most = {"dim": (1, MOST_DIM), "stride": (0, MOST_DIM), "flag": (0, 1)}.get(kind, (0, NONE))
    return least <= value <= most


def _check_operands(image: Image, program: Record, instruction: Instruction) -> None:
    """V16, V17, V19 and V27 of each operand; then V26 and V18 of each that is written."""
    instruction = instruction.knowing(image.section("CONSTANTS"))
    for operand in instruction.opcode.operands:
        _check_operand(image, program, instruction, operand)
    for operand in instruction.opcode.operands:
        is_written = operand.written and instruction.operands[operand.name] != NONE
        if is_written and not (_is_one_to_one(instruction, operand) and _is_apart(instruction, operand)):
            raise Refused("BAD_OPERAND")


def _check_operand(image: Image, program: Record, instruction: Instruction, operand: Operand) -> None:
    place, step = instruction.operands[operand.name], instruction.steps.get(operand.name, 0)
    if (
        (place == NONE and not operand.optional)
        or step % instruction.alignment(operand)
        or (step and (place == NONE or operand.type == "rule"))
    ):
        raise Refused("BAD_OPERAND")
    if place == NONE:
        return
    if operand.type == "rule":
        _check_rule(image, instruction, place)
    else:
        _check_place(image, program, instruction, operand)


def _check_place(image: Image, program: Record, instruction: Instruction, operand: Operand) -> None:
    """V16, V27 and V17."""
    place = instruction.operands[operand.name]
    in_constants = place >= CONSTANT_BIT
    end = len(image.section("CONSTANTS")) if in_constants else program.arena_size
    offset, size = place & ~CONSTANT_BIT, instruction.size(operand)
    counts = prod(instruction.value(dim) for dim, _ in operand.axes) <= MOST_DIM
    element = element_size(operand)
    steps = all(stride is None or instruction.value(stride) <= end // element for _, stride in operand.axes)  # V27
    if not (
        size <= LIMIT and counts and steps and offset % instruction.alignment(operand) == 0 and offset + size <= end
    ):
        raise Refused("BAD_OPERAND")
    if operand.written and (in_constants or not _may_write(image, program, offset, size)):
        raise Refused("BAD_OPERAND")


def _check_rule(image: Image, instruction: Instruction, place: int) -> None:
    """V19, V31."""
    kind = rule_kind(image.section("CONSTANTS"), place)
    if kind is None:
        raise Refused("BAD_OPERAND")
    short = bool(kind & constants()["MOMENTS_BF16"])
    if short and instruction.operands["slot1"] == NONE:
        raise Refused("BAD_OPERAND")
    rule = rules().get(kind - constants()["MOMENTS_BF16"] if short else kind)
    if rule is None:
        raise Refused("BAD_OPCODE")
    has = [instruction.operands[name] != NONE for name in ("slot1", "slot2", "aux")]
    if has != [rule["slots"] >= 1, rule["slots"] >= 2, rule["aux"]]:
        raise Refused("BAD_OPERAND")


def _may_write(image: Image, program: Record, offset: int, size: int) -> bool:
    """V17."""
    h, kind = image.header, program.kind_name
    floor = {"TRAIN": h.gradients_offset, "OPTIMIZER": 0, "STEP": 0}.get(kind, h.scratch_offset)
    allowed = offset >= floor or (kind == "TRAIN" and _is_statistic(image, offset, size))
    inputs = h.gradients_offset + h.gradients_size
    kept = [(h.control_offset, size_of("control")), (h.properties_offset, size_of("property") * h.properties_count)]
    kept += [(inputs, h.scratch_offset - inputs)]
    kept += [(image.store.offset, store_size(image.store))] if image.store else []
    return allowed and not any(overlap(offset, size, *place) for place in kept)


def _is_statistic(image: Image, offset: int, size: int) -> bool:
    return any(e.role_name == "STATISTIC" and lies_in(offset, size, e.offset, e.offset + e.size) for e in image.state)


def _is_one_to_one(instruction: Instruction, operand: Operand) -> bool:
    """V26."""
    if not operand.strided:
        return True
    axes = [(instruction.value(dim), stride, instruction.value(str(stride))) for dim, stride in operand.axes]
    for dim, name, step in axes:
        reach = sum((d - 1) * s for d, other, s in axes if other != name and s <= step)
        folded = step == 0 and operand.name in instruction.opcode.folds
        if dim > 1 and not folded and step <= reach:
            return False
    return True


def _is_apart(instruction: Instruction, written: Operand) -> bool:
    """V18."""
    at, size = instruction.operands[written.name], instruction.size(written)
    for other in instruction.opcode.operands:
        place = instruction.operands[other.name]
        in_place = other.name in instruction.opcode.inplace and place == at
        in_place = in_place and BITS.get(other.type, 32) == BITS.get(written.type, 32)
        alike = in_place and instruction.long_axes(other) == instruction.long_axes(written)
        alike = alike and instruction.steps.get(other.name, 0) == instruction.steps.get(written.name, 0)
        if other.name != written.name and overlap(at, size, place, instruction.size(other)) and not alike:
            return False
    return True
