"""The pass that gives panels to the instructions that pack their operands, once no pass changes these any more."""

from __future__ import annotations

from ...generated.instructions import ConvGradWS16, ConvGradXS16
from ..panels import with_panel
from ..program import Compiled


def run(compiled: Compiled) -> None:
    """Give each gradient of a convolution the panel that compiler/panels.py decides on."""
    for program in compiled.programs:
        for instruction in program.instructions:
            if isinstance(instruction, (ConvGradXS16, ConvGradWS16)) and instruction.panel is None:
                with_panel(instruction)
