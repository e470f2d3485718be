"""Ctrl-C at any moment of any call of a session: the next call works, and each call was made or was not.

    python interrupted.py STEP.mote ACCUMULATING.mote SIGNALS

It needs no more than the runtime, so that any Python runs it. A second session makes each call undisturbed; the first
one's state must be the one from before the call, or that of the second.
"""

from __future__ import annotations

import random
import signal
import sys
from array import array
from collections.abc import Callable
from typing import Any

from gradmote.errors import RuntimeFault
from gradmote_runtime import Session

Call = Callable[[Session], Any]
#: Seconds, at most, from a call's start to its signal: some come before it and some after.
LATEST = 1.5e-4


class Bell:
    """A timer whose signal raises KeyboardInterrupt within a block, and only there."""

    def __init__(self) -> None:
        self.rung, self._is_armed = 0, False
        signal.signal(signal.SIGALRM, self._ring)

    def _ring(self, *_: object) -> None:
        if self._is_armed:
            self._is_armed = False
            self.rung += 1
            raise KeyboardInterrupt

    def interrupt(self, call: Callable[[], Any]) -> bool:
        """Make the call; return whether it was interrupted."""
        try:
            self._is_armed = True
            signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-6, LATEST))
            call()
        except KeyboardInterrupt:
            return True
        self._is_armed = False
        return False


def calls(x: array, y: array, saved: bytes, accumulates: bool) -> list[Call]:
    """Return the calls: most change the state."""
    update = ["train_step", "optimizer_step"] if accumulates else ["step"]
    return [
        *(lambda s, name=name: getattr(s, name)(*(() if name == "optimizer_step" else (x, y))) for name in update),
        lambda s: s.infer(x),
        lambda s: s.eval_step(x, y),
        lambda s: s.run_program("train" if accumulates else "step"),
        lambda s: s.save(),
        lambda s: s.save(half=True),
        lambda s: s.load(saved),
        lambda s: s.carry_over(saved),
        lambda s: s.reset(),
        lambda s: s.set_parameters(s.parameters()),
        lambda s: s.apply_delta(s.delta()),
        lambda s: s.set_property("site", 7),
        lambda s: (s.properties(), s.control(), s.classify(), s.parameter_names(), s.inputs()),
        lambda s: s.begin_round(3),
        lambda s: s.round_delta(),
        lambda s: s.end_round(s.round_delta(8), bits=4),
        lambda s: s.end_round(s.round_delta(2)),
    ]


def kept(session: Session) -> tuple[Any, ...]:
    """Return all that a session keeps."""
    return bytes(session.state()), session.round, session.round_delta(8)


def interrupt_all(image: bytes, signals: int, bell: Bell) -> None:
    """Interrupt calls of a session until so many signals came into one."""
    session, other = Session(image, "strict"), Session(image, "strict")
    inputs, labels = session.inputs()[0], session.labels()[0]
    x = array("f", [0.01 * (i % 100) for i in range(inputs["size"] // 4)])
    y = array("i", [i % 3 for i in range(labels["size"] // 4)])
    all_calls = calls(x, y, other.save(), "optimizer" in other.requirements()["programs"])
    for each in (session, other):
        each.set_input(0, x), each.set_label(0, y)
    last = bell.rung + signals
    while bell.rung < last:
        call = random.choice(all_calls)
        before = kept(session)
        try:
            call(other)
        except RuntimeFault:  # there are no gradients to apply
            continue
        after = kept(other)
        if not bell.interrupt(lambda call=call: call(session)):
            assert kept(session) == after
        elif kept(session) != after:
            assert kept(session) == before, "a third state"
            call(session)
            assert kept(session) == after


def main() -> None:
    random.seed(1)
    bell = Bell()
    for path in sys.argv[1:3]:
        with open(path, "rb") as file:
            interrupt_all(file.read(), int(sys.argv[3]) // 2, bell)
    print(f"Python {sys.version.split()[0]}: {bell.rung} signals, 0 locks, 0 lost states")


if __name__ == "__main__":
    main()
