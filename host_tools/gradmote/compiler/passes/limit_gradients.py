"""The pass that chooses the limit of each 16-bit gradient so that no reader's sum overflows.

The gradient of a layer's input is a 32-bit sum of products dy (w - w_zero). Each product is at most
the limit of dy times the largest |w - w_zero|: at most 255, or 128 without a zero point. The limit
times this number times the terms of the largest sum stays below 2^31. Neither the order of a sum
nor the tiling can then change a bit. Weight and bias gradients are summed in 64 bits, which leave
room for 2^40 terms of the largest numbers.
"""

from __future__ import annotations

from collections import defaultdict

from ...errors import UnsupportedOperator
from ...ir.generated.instructions import (
    AddS16,
    ConvGradWS16,
    ConvGradXS16,
    ConvUpdateS16,
    MaxPoolGradS16,
    QuantizeGradS16,
)
from ...ir.instruction import Ref
from ...ir.program import Compiled, Program

#: The largest 16-bit and 32-bit integers.
MOST_16, MOST_32 = 2**15 - 1, 2**31 - 1

#: Instructions that make a 16-bit gradient under a limit.
Maker = QuantizeGradS16 | ConvGradXS16 | AddS16 | MaxPoolGradS16
#: Instructions that sum products of the gradient with an input in 64 bits.
Long = ConvGradWS16 | ConvUpdateS16


def run(compiled: Compiled) -> None:
    """Set the limit of every 16-bit gradient."""
    for program in compiled.programs:
        found = readers_of(program)
        for maker in (i for i in program.instructions if isinstance(i, Maker)):
            readers = found[maker.exponent]
            maker.limit = min([MOST_16, *(largest_limit(r) for r in readers if isinstance(r, ConvGradXS16))])
            for reader in readers:
                if isinstance(reader, Long):
                    reader.dy_limit = maker.limit


def readers_of(program: Program) -> dict[Ref, list[ConvGradXS16 | Long]]:
    """Return the instructions that read each gradient as dy, keyed by the gradient's exponent."""
    found: dict[Ref, list[ConvGradXS16 | Long]] = defaultdict(list)
    for instruction in program.instructions:
        if isinstance(instruction, ConvGradXS16 | Long) and instruction.dy_exponent is not None:
            found[instruction.dy_exponent].append(instruction)
    return found


def largest_limit(reader: ConvGradXS16) -> int:
    """Return the largest limit that keeps every sum of the reader within 32 bits.

    Raises:
        UnsupportedOperator: Even a limit of 1 overflows.
    """
    limit = MOST_32 // (most_terms(reader) * largest_weight(reader.w_zero))
    if limit < 1:
        raise UnsupportedOperator(
            f"the gradient of {most_terms(reader):,} quantized products", "use --gradients float", reader.origin
        )
    return limit


def largest_weight(zero: int) -> int:
    """Return the largest |w - zero| over all int8 w."""
    return max(127 - zero, zero + 128)


def most_terms(reader: ConvGradXS16) -> int:
    """Return the terms of the largest sum: the outputs that read one input, in all channels of a group."""
    return reader.out_channels * most_readers(reader, "h") * most_readers(reader, "w")


def most_readers(reader: ConvGradXS16, axis: str) -> int:
    """Return the most outputs along an axis whose windows contain the same input."""
    stride, dilation, pad = (reader.number(f"{name}_{axis}") for name in ("stride", "dilation", "pad"))
    taps, inputs, outputs = (reader.number(f"{name}_{axis}") for name in ("kernel", "in", "out"))
    reaches = ([i + pad - k * dilation for k in range(taps)] for i in range(inputs))
    return max(1, *(sum(r % stride == 0 and 0 <= r < outputs * stride for r in reach) for reach in reaches))
