"""Ctrl-C and SIGTERM end a training after the step under way, and what was learnt is saved as at its end."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import typer

from .options import tell

#: How each is called.
SIGNALS = {signal.SIGINT: "Ctrl-C", signal.SIGTERM: "SIGTERM"}


@dataclass
class Stop:
    """Whether a signal asked for the end. waits: the signal is noted, for who asks; otherwise it interrupts at once, as
    a second Ctrl-C always does. A second SIGTERM does not, since `timeout` sends two."""

    number: int | None = None
    waits: bool = False

    def __bool__(self) -> bool:
        return self.number is not None

    @property
    def name(self) -> str:
        return "" if self.number is None else SIGNALS[signal.Signals(self.number)]

    def note(self, number: int, frame: object) -> None:
        interrupts = number == signal.SIGINT if self else not self.waits
        self.number = self.number or number
        if interrupts:
            raise KeyboardInterrupt

    def leave(self) -> None:
        """Ends the command, where a signal asked for it, with the status that shells expect."""
        if self.number is not None:
            raise typer.Exit(128 + self.number)


@contextmanager
def stopping() -> Iterator[Stop]:
    """Within it, both signals do as Stop says."""
    stop = Stop()
    before = {number: signal.signal(number, stop.note) for number in SIGNALS}
    try:
        yield stop
    except KeyboardInterrupt:
        when = "within a step: what was learnt since the last save is not kept" if stop.waits else "before the training"
        tell(f"stopped by {stop.name} {when}")
        stop.leave()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
