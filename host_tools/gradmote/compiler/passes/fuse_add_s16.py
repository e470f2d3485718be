"""The pass that fuses an ADD_S16 into the ADD_S16 or CONV_GRAD_X_S16 that makes its operand.

A sum of gradients that is then masked and scaled becomes one instruction. If one summand is the
gradient of a convolution's input, that convolution adds, masks and scales its own result. The
gradient is then rounded to 16 bits once, and needs one buffer.
"""

from __future__ import annotations

from math import prod

import numpy as np

from ...ir.generated.instructions import AddS16, ConvGradXS16
from ...ir.instruction import Buffer, Instruction, Ref
from ...ir.program import Compiled, Program, Uses
from .share_in_place import is_dense


def run(compiled: Compiled) -> None:
    """Fuse each ADD_S16 that can be fused."""
    for program in compiled.programs:
        for add in [i for i in program.instructions if isinstance(i, AddS16)]:
            merge_sum(program, add)
            merge_share(program, add)
        for add in [i for i in program.instructions if isinstance(i, AddS16)]:
            merge_into_convolution(program, add)


# ---- A sum, and the ADD_S16 that masks or scales it


def merge_sum(program: Program, add: AddS16) -> None:
    """Let an ADD_S16 of one operand read the summands of that operand if it is the sum's only reader."""
    if add.b is not None or not is_whole(add, "a"):
        return
    total = sole_maker(program, program.uses(), add.a.buffer, add)
    if isinstance(total, AddS16) and is_plain_sum(total):
        step = 1
        for axis in (3, 2, 1, 0):
            for name in "ab":
                setattr(add, f"{name}{axis}", step)
            step *= add.number(f"d{axis}")
        add.a, add.a_exponent, add.b, add.b_exponent = total.a, total.a_exponent, total.b, total.b_exponent
        program.instructions.remove(total)


def is_plain_sum(add: AddS16) -> bool:
    """Return whether the instruction adds two whole buffers without masking or scaling."""
    return add.q is None and add.scale is None and add.b is not None and is_whole(add, "a") and is_whole(add, "b")


# ---- The gradient of a mean, and the ADD_S16 that masks or scales it


def merge_share(program: Program, add: AddS16) -> None:
    """Let an ADD_S16 of one operand read the source of a scaled operand if it is the only reader."""
    if add.b is not None or not is_whole(add, "a"):
        return
    share = sole_maker(program, program.uses(), add.a.buffer, add)
    if not isinstance(share, AddS16) or share.b is not None or share.q is not None or number(share, "s") is None:
        return
    scale = product(add, share)
    if scale is None:
        return
    for axis in range(4):
        setattr(add, f"d{axis}", share.number(f"d{axis}"))
        setattr(add, f"a{axis}", share.number(f"a{axis}"))
    add.a, add.a_exponent, add.scale = share.a, share.a_exponent, scale
    program.instructions.remove(share)


def number(add: AddS16, prefix: str) -> np.ndarray | None:
    """Return the one factor of all elements, or None if there is no single factor."""
    strides = [add.number(f"{prefix}{axis}") for axis in range(4)]
    if add.scale is None or any(strides) or add.scale.buffer.data is None:
        return None
    return np.frombuffer(add.scale.buffer.data, np.float32, 1, add.scale.offset)


def product(add: AddS16, share: AddS16) -> Ref | None:
    """Return the scales of both instructions as one operand of the first, or None if the dims do not allow it."""
    factor = number(share, "s")
    assert factor is not None
    if add.scale is None or add.scale.buffer.data is None or share.d3 != add.d3:
        return share.scale if add.scale is None else None
    strides = [add.number(f"s{axis}") for axis in range(4)]
    if any(strides[:3]) or strides[3] not in (0, 1):
        return None
    scales = np.frombuffer(add.scale.buffer.data, np.float32, add.d3 if strides[3] else 1, add.scale.offset)
    data = (scales * factor).astype(np.float32).tobytes()
    return Ref(Buffer(f"{add.scale.buffer.name}.share", len(data), "constant", data))


# ---- The gradient of a convolution's input, and the ADD_S16 after it


def merge_into_convolution(program: Program, add: AddS16) -> None:
    """Replace an ADD_S16 and the CONV_GRAD_X_S16 of one of its operands with one instruction."""
    uses, names = program.uses(), ["a"] if add.b is None else ["a", "b"]
    if not all(is_whole(add, name) for name in names):
        return
    for name, other in ((name, "ab".replace(name, "")) for name in reversed(names)):
        maker = sole_maker(program, uses, getattr(add, name).buffer, add)
        scale = channel_scale(add, maker) if isinstance(maker, ConvGradXS16) and is_plain(maker) else None
        if isinstance(maker, ConvGradXS16) and is_plain(maker) and (add.scale is None or scale is not None):
            fuse(program, add, maker, other, scale)
            return


def is_plain(maker: ConvGradXS16) -> bool:
    """Return whether the instruction fills a buffer with plain sums."""
    elements = maker.batch * maker.in_h * maker.in_w * maker.groups * maker.in_channels
    whole = maker.dx == Ref(maker.dx.buffer) and maker.dx.buffer.size == 2 * elements
    return whole and maker.addend is None and maker.q is None and maker.scale is None


def channel_scale(add: AddS16, maker: ConvGradXS16) -> Ref | None:
    """Return the scales, one per channel of the convolution's input, or None if they vary otherwise."""
    if add.scale is None:
        return None
    channels, strides = maker.groups * maker.in_channels, [add.number(f"s{axis}") for axis in range(4)]
    one = number(add, "s")
    if one is not None:
        data = np.full(channels, one, np.float32).tobytes()
        return Ref(Buffer(f"{add.scale.buffer.name}.channels", len(data), "constant", data))
    last = maker.x_channel == 1 and (maker.groups == 1 or maker.x_group == maker.in_channels)
    alike = strides == [0, 0, 0, 1] and add.d3 == channels
    return add.scale if last and alike else None


def fuse(program: Program, add: AddS16, maker: ConvGradXS16, other: str, scale: Ref | None) -> None:
    """Put one CONV_GRAD_X_S16 in the place of the ADD_S16."""
    known = {**maker.operands, **maker.params, "dx": add.y, "exponent": add.exponent}
    known |= {"q": add.q, "low": add.low, "high": add.high, "scale": scale}
    known |= {"addend": getattr(add, other), "addend_exponent": getattr(add, f"{other}_exponent")}
    fused = ConvGradXS16(**known).in_place_of(maker)
    program.instructions = [fused if i is add else i for i in program.instructions if i is not maker]


# ---- Shared by both


def is_whole(add: AddS16, name: str) -> bool:
    """Return whether an operand is a whole buffer, read in storage order."""
    ref: Ref = getattr(add, name)
    elements = prod(add.number(f"d{axis}") for axis in range(4))
    return not ref.offset and ref.buffer.size == 2 * elements and is_dense(add, name)


def sole_maker(program: Program, uses: dict[Buffer, Uses], buffer: Buffer, reader: Instruction) -> Instruction | None:
    """Return the only maker of a scratch buffer whose only reader is `reader`, or None."""
    used = uses[buffer]
    if buffer.region != "scratch" or len(used.writers) != 1 or buffer in program.bound():
        return None
    readers = [program.instructions[k] for k in used.readers]
    return program.instructions[used.writers[0]] if readers == [reader] else None
