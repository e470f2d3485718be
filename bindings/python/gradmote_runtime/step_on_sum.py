"""The update of onnxruntime's classes: with the sum of the accumulated gradients, of which a device takes the mean."""

from __future__ import annotations

from gradmote.errors import RuntimeFault

from .session import Session


def optimizer_step_on_sum(session: Session) -> None:
    """Apply the sum of the accumulated gradients, and advance the schedule by one step.

    Raises RuntimeFault where Session.optimizer_step() would.
    """
    status = session._lib.gm_host_optimizer_step_on_sum(session._ready("optimizer", [], ()))
    if status < 0:
        raise RuntimeFault(status, "optimizer_step")
