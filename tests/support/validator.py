"""Runs a program before and after each pass on the same random numbers, and compares everything that outlives it: the
state, the losses, and the outputs of inference. The scratch is full of NaN before each run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from gradmote import Session
from gradmote.artifacts.artifacts import Artifacts
from gradmote.compiler import Options
from gradmote.compiler.compile import flatten
from gradmote.compiler.passes import limit_gradients, pipeline
from gradmote.compiler.passes.quantized_models import collect_gains
from gradmote.errors import RuntimeFault
from gradmote.formats.image import lay_out, write_image
from gradmote.ir.generated.instructions import ConvGradXS16
from gradmote.ir.program import GAINS, Compiled
from gradmote.plan import place

#: Passes that keep values but not bits -> the tolerance of parameters and losses, relative to a tensor's largest
#: element; and why.
ROUNDING = {
    "fuse_add": 2e-4,  # a sum adds its terms in another order
    "fuse_loss": 2e-4,  # the loss and its gradient share the logarithm
    "plain_losses": 2e-4,  # products and sums of the loss are rounded separately
    "saved_bf16": 0.05,  # gradients of rounded values
    "fuse_add_s16": 0.05,  # a sum of gradients is rounded once, which may decide a step of an int8 weight
}
#: The last stage: the same programs in the smallest arena found.
PLACED = "placement"
#: Until this pass, programs that keep gradients are incomplete.
KEEPS_GRADIENTS = "accumulate_gradients"


@dataclass(frozen=True)
class Outcome:
    """The result of some updates, and of an inference after them."""

    losses: tuple[float, ...]
    state: bytes
    outputs: tuple[bytes, ...]
    fault: str = ""  # the name of the error that ended it
    parameters: tuple[np.ndarray, ...] = ()
    changes: tuple[float, ...] = ()  # of each parameter, the largest: its gradients are rounded in relation to that

    def has_bits_of(self, other: Outcome) -> bool:
        mine, others = ((o.losses, o.state, o.outputs, o.fault) for o in (self, other))
        return repr(mine) == repr(others)  # NaN is NaN

    def is_close_to(self, other: Outcome, tolerance: float) -> bool:
        if self.fault or other.fault:
            return self.fault == other.fault
        if not is_close(np.array(self.losses), np.array(other.losses), tolerance):
            return False
        found = zip(self.parameters, other.parameters, self.changes, strict=True)
        return all(is_close(mine, others, tolerance, change) for mine, others, change in found)


@dataclass(frozen=True)
class Difference:
    """A pass that does not keep what it promises."""

    name: str
    before: Outcome
    after: Outcome

    def __str__(self) -> str:
        same = [
            what
            for what in ("losses", "state", "outputs", "fault")
            if getattr(self.before, what) == getattr(self.after, what)
        ]
        return f"{self.name} changes all but {', '.join(same)}" if same else f"{self.name} changes everything"


def is_close(a: np.ndarray, b: np.ndarray, tolerance: float, change: float = 0.0) -> bool:
    return bool(np.abs(a - b).max(initial=0.0) <= tolerance * max(np.abs(a).max(initial=0.0), change, 1e-3))


def stages(made: Artifacts, options: Options) -> Iterator[tuple[str, Compiled]]:
    """Yield the programs after lowering, and after each pass."""
    compiled = flatten(made, options)
    yield "lowering", compiled
    for run in pipeline.PROGRAMS:
        run(compiled)
        yield name_of(run), compiled
    yield PLACED, compiled


def name_of(run: Any) -> str:
    """Return the name of a pass: of its function, or of its file if that is called run."""
    return run.__module__.rpartition("passes.")[2] if run.__name__ == "run" else run.__name__


def finished(compiled: Compiled) -> Compiled:
    """Return the programs, or a copy in which 16-bit gradients have what the last passes add to them."""
    makes_gains = any(isinstance(i, ConvGradXS16) for program in compiled.programs for i in program.instructions)
    if not makes_gains or any(statistic.name == GAINS for statistic in compiled.statistics):
        return compiled
    compiled = deepcopy(compiled)
    limit_gradients.run(compiled)
    collect_gains(compiled)
    return compiled


def image_of(compiled: Compiled, search: bool = False) -> bytes:
    """Return the image of programs at any stage. search: look for the smallest arena too, like a compile."""
    compiled = finished(compiled)
    return write_image(compiled, lay_out(compiled, partial(place, search=search)))


def outcome(image: bytes, batches: Sequence[Sequence[Any]], accumulate: bool = False) -> Outcome:
    """Return the outcome of some updates."""
    session, losses = Session(image), []
    initial = parameters_of(session)
    try:
        for batch in batches:
            session.poison()
            losses.append(session.train_step(*batch) if accumulate else session.step(*batch))
            if accumulate:
                session.poison()
                session.optimizer_step()
                session.lazy_reset_grad()
        session.poison()
        outputs = tuple(bytes(output) for output in session.infer(batches[0][0]))
    except RuntimeFault as fault:
        return Outcome(tuple(losses), bytes(session.state()), (), fault.name)
    parameters = parameters_of(session)
    changes = tuple(float(np.abs(a - b).max(initial=0.0)) for a, b in zip(parameters, initial, strict=True))
    return Outcome(tuple(losses), bytes(session.state()), outputs, "", parameters, changes)


def parameters_of(session: Session) -> tuple[np.ndarray, ...]:
    return tuple(np.array(session.parameter(name)).astype(np.float64) for name in session.parameter_names())


def stages_of(made: Artifacts, options: Options) -> list[str]:
    """Return the names of the passes that change the image."""
    images = [(name, image_of(compiled)) for name, compiled in stages(made, options)]
    return [name for (_, before), (name, after) in pairwise(images) if after != before]


def validate(made: Artifacts, options: Options, batches: Sequence[Sequence[Any]]) -> Iterator[Difference]:
    """Yield the passes of a compile that change something that they promise to keep."""
    image, before, is_whole = b"", None, not options.accumulate
    for name, compiled in stages(made, options):
        is_whole |= name == KEEPS_GRADIENTS
        if not is_whole or (made_now := image_of(compiled, search=name == PLACED)) == image:
            continue
        image, after = made_now, outcome(made_now, batches, options.accumulate)
        if before is not None and not keeps(name, before, after):
            yield Difference(name, before, after)
        before = after


def keeps(name: str, before: Outcome, after: Outcome) -> bool:
    """Return whether a pass kept what it promises."""
    return after.has_bits_of(before) or (name in ROUNDING and after.is_close_to(before, ROUNDING[name]))
