"""The pass that gathers the gains of 16-bit gradients in one entry of the state.

CONV_GRAD_X_S16 must know the exponent of its result before computing it. It derives the exponent
from the largest number that it reads and from a gain that each step leaves to the next. Gains are
therefore state: a step after a restart of the board is bitwise equal to one without.
"""

from __future__ import annotations

from ...ir.generated.instructions import ConvGradXS16
from ...ir.instruction import Buffer, Ref
from ...ir.program import GAINS, Compiled, Statistic


def run(compiled: Compiled) -> None:
    """Give each instruction its word of one entry that starts as zeros: gain unknown.

    Words are sorted by name, not by instruction: the order of instructions depends on options, and
    checkpoints must not.
    """
    makers = [i for p in compiled.programs for i in p.instructions if isinstance(i, ConvGradXS16)]
    if makers:
        makers.sort(key=lambda maker: maker.gain.buffer.name)
        buffer = Buffer(GAINS, 4 * len(makers), "statistic")
        for index, maker in enumerate(makers):
            maker.gain = Ref(buffer, 4 * index)
        compiled.statistics.append(Statistic(GAINS, (len(makers),), buffer, dtype="i32"))
