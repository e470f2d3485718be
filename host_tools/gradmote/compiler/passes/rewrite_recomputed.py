"""The pass that drops forward values and recomputes them as the options' Recomputation says."""

from __future__ import annotations

from ...ir.program import TRAINING, Compiled, Recomputation


def run(compiled: Compiled) -> None:
    """Rewrite the training programs once they are scheduled, before buffers share bytes."""
    if isinstance(compiled.recompute, Recomputation):
        for program in compiled.programs:
            if program.kind in TRAINING and program.instructions:
                program.instructions = compiled.recompute.rewrite(program)
