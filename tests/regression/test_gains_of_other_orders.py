"""The gains of gradients are in the state in one order, whatever order of instructions the options cause.

They were in that of the instructions: a checkpoint of an image with one plan gave another image of the same model each
gain at the place of another one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from unit.passes.test_every_pass import Case, case

from gradmote.compiler.compile import flatten
from gradmote.compiler.passes import pipeline
from gradmote.ir.generated.instructions import ConvGradXS16
from gradmote.ir.program import GAINS, Compiled

#: A drawn network with two gains, whose instructions some plans exchange.
SEED = 223


def places(compiled: Compiled) -> dict[str, int]:
    """The gradient -> the place of its gain in the state."""
    makers = (i for program in compiled.programs for i in program.instructions if isinstance(i, ConvGradXS16))
    return {maker.origin: maker.gain.offset for maker in makers if maker.gain.buffer.name == GAINS}


def orders(one: Case) -> Iterator[Compiled]:
    """The programs with all passes, and without those that exchange instructions."""
    for left_out in ((), ("schedule",), ("mask_activations", "schedule")):
        compiled = flatten(one.made, replace(one.options, gradients=None))
        for run in pipeline.PROGRAMS:
            if run.__module__.rpartition(".")[2] not in left_out:
                run(compiled)
        yield compiled


def test_each_gain_has_its_place_in_any_order() -> None:
    found = [places(compiled) for compiled in orders(case(SEED))]
    assert len(found[0]) > 1 and all(each == found[0] for each in found)
