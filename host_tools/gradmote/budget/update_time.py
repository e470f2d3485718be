"""An estimate of how long an update takes, from its image."""

from __future__ import annotations

from ..compiler.compile import Result
from ..formats.image import read_image
from ..report.analyze.cost import machine_instructions
from .choice import Choice


def update_instructions(result: Result, choice: Choice) -> float | None:
    """Return the estimated machine instructions of one update on a Cortex-M4F.

    Includes all its micro-batches. None means that the image has an instruction that was never
    measured.
    """
    image = read_image(result.image)
    times = {"step": 1, "train": choice.micro_batches, "optimizer": 1}
    costs = [
        (times[program["kind"]], machine_instructions(instruction, image.constants))
        for program in image.programs
        if program["kind"] in times
        for instruction in program["instructions"]
    ]
    known = [count * cost for count, cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None
