"""The signals that interrupt at once, and those that are only noted for the caller that asks."""

from __future__ import annotations

import os
import signal

import pytest
import typer

from gradmote.cli.stopping import Stop, stopping

INT, TERM = signal.SIGINT, signal.SIGTERM


@pytest.fixture(autouse=True)
def handlers():
    """The signals' handlers before a test, which are there again after it."""
    before = {number: signal.getsignal(number) for number in (INT, TERM)}
    yield before
    for number, handler in before.items():
        signal.signal(number, handler)


def interrupted_by(stop: Stop, *numbers: int) -> int | None:
    """The place of the first signal that interrupts."""
    for place, number in enumerate(numbers):
        try:
            stop.note(number, None)
        except KeyboardInterrupt:
            return place
    return None


@pytest.mark.parametrize(
    ("waits", "numbers", "place"),
    [
        (True, (INT,), None),
        (True, (TERM, TERM, TERM), None),
        (True, (INT, TERM), None),
        (True, (INT, INT), 1),
        (True, (TERM, INT), 1),
        (False, (INT,), 0),
        (False, (TERM,), 0),
    ],
)
def test_what_interrupts(waits, numbers, place):
    stop = Stop(waits=waits)
    assert interrupted_by(stop, *numbers) == place
    assert stop.number == numbers[0] and stop


def test_a_second_sigterm_does_not_break_off_what_cleans_up():
    stop = Stop()
    assert interrupted_by(stop, TERM) == 0 and interrupted_by(stop, TERM) is None


@pytest.mark.parametrize("number", [INT, TERM])
def test_the_status_is_the_first_signals(number, capsys):
    with pytest.raises(typer.Exit) as left, stopping():
        os.kill(os.getpid(), number)
        signal.pause()
    assert left.value.exit_code == 128 + number
    assert "before the training" in capsys.readouterr().err


@pytest.mark.parametrize("number", [INT, TERM])
def test_handlers_come_back_but_for_a_signal_that_ends_the_process(number, handlers):
    """A second SIGTERM, however late, would otherwise kill a process that is ending with its status."""
    with pytest.raises(typer.Exit), stopping():
        os.kill(os.getpid(), number)
        signal.pause()
    assert signal.getsignal(INT) == handlers[INT]
    assert signal.getsignal(TERM) == (handlers[TERM] if number == INT else signal.SIG_IGN)
