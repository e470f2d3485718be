"""Ctrl-C, SIGTERM and a terminal that closes end a command without leaving anything half done. A training ends after
the step under way, and what was learnt is saved as at its end."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import typer

from .options import tell

#: How each is called, where the system has it.
NAMES = {"SIGINT": "Ctrl-C", "SIGTERM": "SIGTERM", "SIGHUP": "SIGHUP"}
SIGNALS = {signal.Signals[key]: name for key, name in NAMES.items() if key in signal.Signals.__members__}

Handler = Callable[[int, object], None]


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
    """Within it, all of SIGNALS do as Stop says."""
    stop = Stop()
    with _handled(dict.fromkeys(SIGNALS, stop.note)):
        try:
            yield stop
        except KeyboardInterrupt:
            when = "within a step: what was learnt since the last save is not kept"
            tell(f"stopped by {stop.name} {when if stop.waits else 'before the training'}")
            stop.leave()


@contextmanager
def cleaning_up() -> Iterator[None]:
    """Within it, signals other than Ctrl-C end the process as sys.exit() does: what is open is closed, temporary files
    go, and emulated boards are stopped."""
    with _handled({number: _exit for number in SIGNALS if number != signal.SIGINT}):
        yield


def _exit(number: int, frame: object) -> None:
    sys.exit(128 + number)


@contextmanager
def _handled(handlers: Mapping[signal.Signals, Handler]) -> Iterator[None]:
    """Those of the main thread, which alone may have some; `nohup` has SIGHUP ignored, and it stays so."""
    before = {}
    if threading.current_thread() is threading.main_thread():
        for number, handler in handlers.items():
            if number == signal.SIGINT or signal.getsignal(number) != signal.SIG_IGN:
                before[number] = signal.signal(number, handler)
    try:
        yield
    finally:
        for number, known in before.items():
            signal.signal(number, known)
