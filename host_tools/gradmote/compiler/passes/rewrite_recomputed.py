"""The pass that drops values of the forward pass and makes them again, as the options' Recomputation says."""

from __future__ import annotations

from ...ir.program import TRAINING, Compiled, Recomputation


def run(compiled: Compiled) -> None:
    """Rewrite the training programs, whose instructions are in their order but do not share bytes yet."""
    if isinstance(compiled.recompute, Recomputation):
        for program in compiled.programs:
            if program.kind in TRAINING and program.instructions:
                program.instructions = compiled.recompute.rewrite(program)
