"""Signals that end a command: Ctrl-C, SIGTERM, and SIGHUP from a closing terminal.

A command ends without leaving half-written files. Training ends after the current step, and saves
what it learned, just as at its regular end.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import typer

from .options import tell

#: The names of the signals in messages; a system may lack some.
NAMES = {"SIGINT": "Ctrl-C", "SIGTERM": "SIGTERM", "SIGHUP": "SIGHUP"}
SIGNALS = {signal.Signals[key]: name for key, name in NAMES.items() if key in signal.Signals.__members__}

Handler = Callable[[int, object], None]


@dataclass
class Stop:
    """The request of a signal to end the command.

    If `waits`, the signal is only recorded for the caller to check. Otherwise it interrupts at once, as a
    second Ctrl-C always does. A second SIGTERM is ignored until the process has ended, since `timeout`
    sends two.
    """

    number: int | None = None
    waits: bool = False

    def __bool__(self) -> bool:
        """Return whether a signal has arrived."""
        return self.number is not None

    @property
    def name(self) -> str:
        """Return the name of the signal; "" without one."""
        return "" if self.number is None else SIGNALS[signal.Signals(self.number)]

    def note(self, number: int, frame: object) -> None:
        """Record a signal, and raise KeyboardInterrupt if it should interrupt."""
        interrupts = number == signal.SIGINT if self else not self.waits
        self.number = self.number or number
        _ignore_more(number)
        if interrupts:
            raise KeyboardInterrupt

    def leave(self) -> None:
        """End the command if a signal asked for it, with the status that shells expect."""
        if self.number is not None:
            raise typer.Exit(128 + self.number)


@contextmanager
def stopping() -> Iterator[Stop]:
    """Handle all of SIGNALS with a Stop, within the context."""
    stop = Stop()
    with _handled(dict.fromkeys(SIGNALS, stop.note)):
        try:
            yield stop
        except KeyboardInterrupt:
            when = "within a step: what was learned since the last save is not kept"
            tell(f"stopped by {stop.name} {when if stop.waits else 'before the training'}")
            stop.leave()


@contextmanager
def cleaning_up() -> Iterator[None]:
    """End the process like sys.exit() on signals other than Ctrl-C, within the context.

    This closes open files, removes temporary files, and stops emulated boards.
    """
    with _handled({number: _exit for number in SIGNALS if number != signal.SIGINT}):
        yield


def _exit(number: int, frame: object) -> None:
    _ignore_more(number)
    sys.exit(128 + number)


def _ignore_more(number: int) -> None:
    """Ignore further signals of this kind until the process ends: the default would kill its cleanup."""
    if number != signal.SIGINT:
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def _handled(handlers: Mapping[signal.Signals, Handler]) -> Iterator[None]:
    """Set the handlers within the context.

    Only the main thread may have handlers. A signal that is already ignored stays ignored, such as SIGHUP
    under `nohup`, or one that has arrived.
    """
    before = {}
    if threading.current_thread() is threading.main_thread():
        for number, handler in handlers.items():
            if number == signal.SIGINT or signal.getsignal(number) != signal.SIG_IGN:
                before[number] = signal.signal(number, handler)
    try:
        yield
    finally:
        for number, known in before.items():
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, known)
