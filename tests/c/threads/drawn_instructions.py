"""Instructions of any opcode, drawn from its spec: small dims, nested strides, operands apart or in place."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gradmote.generated.records import MOMENTS_BF16, NONE
from render.spec import COUNTS, Opcode, Operand

HYPER = np.array([0.01, 0.9, 0.1, 0.999, 0.001, 1e-8], np.float32).tobytes()
#: AdamW with moments of float32, and of bfloat16, which are half of the bytes that are drawn for them.
RULES = [np.array([kind], np.uint32).tobytes() + HYPER for kind in (3, 3 + MOMENTS_BF16)]
#: The operands that a rule needs, but in which kernels do not look.
NEVER_ABSENT = ("slot1", "slot2", "aux")
#: Bytes of an element, times 8.
BITS = {"f32": 32, "i32": 32, "u32": 32, "rule": 32, "u8": 8, "bit": 1}
MOST_ELEMENTS = 20_000


@dataclass
class Drawn:
    """An instruction, the memory that it works on, and the place of its scratch operand. unchanged: whether
    the instruction stops before it writes."""

    instruction: np.ndarray
    memory: bytes
    own: slice = field(default_factory=lambda: slice(0, 0))
    unchanged: bool = False

    def encoded(self) -> bytes:
        head = np.array([len(self.instruction), len(self.memory)], np.uint32)
        return head.tobytes() + self.instruction.tobytes() + self.memory


def draw(op: Opcode, rng: np.random.Generator) -> Drawn:
    params = draw_params(op, rng)
    while max(elements(o, params) for o in op.operands) > MOST_ELEMENTS:
        params = draw_params(op, rng)
    memory, offsets = place_all(op, params, rng)
    words = [offsets[o.name] for o in op.operands] + [params[p.name] for p in op.params]
    instruction = np.array([(len(words) + 1) << 16 | op.code, *words], np.uint32)
    drawn = Drawn(instruction, memory)
    for operand in (o for o in op.operands if o.name in op.own):
        start = offsets[operand.name]
        drawn.own = slice(start, start + 4 * elements(operand, params))
    return drawn


# ---- Parameters


def draw_params(op: Opcode, rng: np.random.Generator) -> dict[str, int]:
    dims = [p.name for p in op.params if p.kind == "dim"]
    found = {name: int(rng.choice([1, 1, 2, 3, 5])) for name in dims}
    if len(dims) > 4:
        found |= {name: 1 for name in dims if rng.random() < 0.4}
    found[str(rng.choice([name for name, _ in op.cut]))] = int(rng.choice([2, 3, 7, 16, 24, 33, 40, 5000]))
    for axis in "hw":
        if f"in_{axis}" in dims:
            found |= draw_window(axis, rng)
    found |= {p.name: draw_other(p.kind, p.choices, rng) for p in op.params if p.kind != "dim"}
    for operand in op.operands:
        found |= draw_strides(operand, found, {*dims, *COUNTS}, rng)
    return found


def draw_window(axis: str, rng: np.random.Generator) -> dict[str, int]:
    kernel, stride, dilation, pad = (int(rng.integers(low, high)) for low, high in ((1, 4), (1, 3), (1, 3), (0, 3)))
    size = int(rng.integers(1, 8))
    outputs = max(1, (size + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1)
    return {f"in_{axis}": size, f"out_{axis}": outputs, f"kernel_{axis}": kernel, f"stride_{axis}": stride,
            f"dilation_{axis}": dilation, f"pad_{axis}": pad}  # fmt: skip


def draw_other(kind: str, choices: tuple[str, ...], rng: np.random.Generator) -> int:
    if kind == "f32":
        return int(np.float32(rng.normal()).view(np.uint32))
    return int(rng.integers(0, len(choices) or 2))


def draw_strides(operand: Operand, params: dict[str, int], fixed: set[str],
                 rng: np.random.Generator) -> dict[str, int]:  # fmt: skip
    """Draw the strides of an operand: axes in any order, now and then with room between neighbours. If it is only read,
    strides may also be 0 or overlap. fixed: terms in the place of a stride that are not drawn."""
    found: dict[str, int] = {}
    kind = rng.random()
    step = int(np.prod([size_of(dim, params) for dim, stride in operand.terms if stride in fixed]))
    for at in rng.permutation(len(operand.terms)) if kind < 0.5 else reversed(range(len(operand.terms))):
        dim, stride = operand.terms[at]
        if stride is None or stride in fixed | found.keys() or "loss" in stride or stride == "pos_stride":
            continue
        found[stride] = int(rng.choice([0, step, 3])) if operand.access == "r" and kind > 0.8 else step
        step = step * size_of(dim, params) + int(rng.choice([0, 0, 0, 1, 5]))
    return found


# ---- Memory


def size_of(name: str, params: dict[str, int]) -> int:
    return COUNTS[name] if name in COUNTS else params[name]


def elements(operand: Operand, params: dict[str, int]) -> int:
    sizes = [size_of(dim, params) for dim, _ in operand.terms]
    if not operand.strided:
        return int(np.prod(sizes))
    steps = [size_of(stride, params) for _, stride in operand.terms if stride is not None]
    return 1 + sum((size - 1) * step for size, step in zip(sizes, steps, strict=True))


def place_all(op: Opcode, params: dict[str, int], rng: np.random.Generator) -> tuple[bytes, dict[str, int]]:
    """The memory, a multiple of 16 bytes, and the operands' offsets."""
    memory, offsets = bytearray(), {}
    for operand in sorted(op.operands, key=lambda o: "w" in o.access):
        may_be_absent = operand.optional and operand.name not in NEVER_ABSENT
        if may_be_absent and (rng.random() < 0.3 or (operand.access == "w" and not lies_apart(operand, params))):
            offsets[operand.name] = NONE
            continue
        data = contents(operand, params, rng)
        offsets[operand.name] = place(op, operand, params, len(memory), offsets, rng)
        if offsets[operand.name] == len(memory):
            memory += data + bytes(-len(data) % 16 + 16)
    return bytes(memory), offsets


def place(op: Opcode, operand: Operand, params: dict[str, int], end: int, offsets: dict[str, int],
          rng: np.random.Generator) -> int:  # fmt: skip
    """Return an offset after all others; for outputs now and then that of an operand with the same layout."""
    alike = [o.name for o in op.operands if o.name in op.inplace and axes(o, params) == axes(operand, params)]
    if "w" in operand.access and alike and rng.random() < 0.5:
        return offsets[str(rng.choice(alike))]
    return end


def lies_apart(operand: Operand, params: dict[str, int]) -> bool:
    """Return whether each element has a place of its own: strides that another output has too may not suit this one."""
    extent = 1
    for dim, stride in sorted(axes(operand, params), key=lambda axis: axis[1]):
        if stride < extent:
            return False
        extent += (size_of(dim, params) - 1) * stride
    return True


def axes(operand: Operand, params: dict[str, int]) -> list[tuple[str, int]]:
    """Dims of more than one element, and the elements from one to the next."""
    found, step = [], 1
    for dim, stride in reversed(operand.terms):
        found.append((dim, size_of(stride, params) if stride else step))
        step *= size_of(dim, params)
    return [(dim, stride) for dim, stride in found if size_of(dim, params) > 1]


def contents(operand: Operand, params: dict[str, int], rng: np.random.Generator) -> bytes:
    count = elements(operand, params)
    if operand.dtype == "rule":
        return RULES[int(rng.integers(len(RULES)))]
    if operand.dtype == "i32":  # what counts from either end
        size = params.get("size", 1 << 30)
        return rng.integers(-size, size, count).astype(np.int32).tobytes()
    if operand.dtype in ("u8", "bit"):
        return rng.integers(0, 10, (count * BITS[operand.dtype] + 7) // 8).astype(np.uint8).tobytes()
    values = rng.normal(size=count).astype(np.float32)
    return (np.abs(values) if operand.name in ("slot2", "aux") else values).tobytes()
