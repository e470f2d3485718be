"""The pass that gathers the gains of gradients of 16 bits in one entry of the state.

CONV_GRAD_X_S16 has to know the exponent of what it makes before it makes it. It takes it from the
largest number that it reads and from a gain, which each step leaves to the next. So gains are state:
a step on the board after a restart has the bits of one without.
"""

from __future__ import annotations

from ...ir.generated.instructions import ConvGradXS16
from ...ir.instruction import Buffer, Ref
from ...ir.program import GAINS, Compiled, Statistic


def run(compiled: Compiled) -> None:
    """Give each instruction its word of one entry, which begins as zeros: no gain is known.

    The words are in the order of names: that of the instructions depends on options, and a checkpoint does not.
    """
    makers = [i for p in compiled.programs for i in p.instructions if isinstance(i, ConvGradXS16)]
    if makers:
        makers.sort(key=lambda maker: maker.gain.buffer.name)
        buffer = Buffer(GAINS, 4 * len(makers), "statistic")
        for index, maker in enumerate(makers):
            maker.gain = Ref(buffer, 4 * index)
        compiled.statistics.append(Statistic(GAINS, (len(makers),), buffer, dtype="i32"))
