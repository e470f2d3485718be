"""Federated smart-watches: nine people's watches teach one model together, which recognizes a tenth's exercises.

Nobody's motion leaves the watch. In each round every watch trains on its owner's windows and sends what it learned,
in 4 bits per number; a server combines all of it into the next model. The watches are twins on this computer, half of
them in each numerics profile, and all reach the server's bits. For comparison, one watch learns alone.

    ./run example federated_watch                               # all ten people in turn
    ./run example federated_watch --subject 4 --bits 2
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from rich.progress import track

from gradmote import Session
from gradmote.device import Dataset
from gradmote.errors import GradmoteError
from gradmote.federated import Server, fedavg

from demo.watch_data import SUBJECTS, leave_out
from demo.watch_model import BATCH, compile_for, network, training
from shared import report


@dataclass
class Watch:
    """A person's watch: a twin, and the windows of its owner."""

    number: int
    session: Session
    own: Dataset

    def train(self, epochs: int, seed: int) -> None:
        """Train on the windows, in an order that depends on the round."""
        drawn = np.random.default_rng([seed, self.number, self.session.round])
        x, y = windows_of(self.own.x, self.own), self.own.y.astype(np.int32)
        for _ in range(epochs):
            order = drawn.permutation(len(y))
            for at in range(0, len(y) - BATCH + 1, BATCH):
                self.session.step(x[order[at : at + BATCH]], y[order[at : at + BATCH]])


def windows_of(x: np.ndarray, of: Dataset) -> np.ndarray:
    """Return bytes of a data set as the numbers that they represent."""
    return (x.astype(np.float32) - of.zero) * np.float32(of.scale)


def accuracy(session: Session, new: Dataset) -> float:
    """Return the share of a new person's later windows that a model recognizes."""
    assert new.x_test is not None and new.y_test is not None
    x = windows_of(new.x_test, new)
    filled = np.concatenate([x, x[: -len(x) % BATCH]])
    scores = [np.array(session.infer(filled[at : at + BATCH])[0]) for at in range(0, len(filled), BATCH)]
    return float(np.mean(np.concatenate(scores).reshape(len(filled), -1)[: len(x)].argmax(1) == new.y_test))


def teach(server: Server, watches: list[Watch], rounds: int, epochs: int, bits: int, seed: int, who: str) -> int:
    """Run all rounds, and return the bytes that a watch sends in one."""
    for _ in track(range(rounds), f"rounds without {who}", console=report.console, transient=True):
        for watch in watches:
            watch.train(epochs, seed)
            delta = watch.session.round_delta(bits, watch.number)
            server.add(str(watch.number), delta, len(watch.own.y))
        down = server.finish()
        for watch in watches:
            watch.session.end_round(down)
            if bytes(watch.session.parameters()) != server.base:
                raise GradmoteError(f"watch {watch.number} is not at the server's base")
    return len(delta)


def main(
    subject: int | None = None, rounds: int = 30, epochs: int = 2, bits: int = 4, down_bits: int = 8,
    momentum: float = 0.5, seed: int = 0,
) -> float:  # fmt: skip
    """Leave SUBJECT out (1 .. 10; each in turn by default). Runs ROUNDS of EPOCHS on each watch; a watch sends BITS
    per number, and gets DOWN_BITS. MOMENTUM is the server's. Returns the accuracy on the people left out, mean of
    all."""
    compiled = compile_for(network(seed), training("all"))
    reached: dict[str, tuple[float, float]] = {}
    for left_out in [subject] if subject is not None else SUBJECTS:
        people, server = leave_out(left_out), Server(compiled.image, fedavg(momentum=momentum), bits=down_bits)
        watches = [
            Watch(n, Session(compiled.image, ("fused", "strict")[n % 2]), own) for n, own in enumerate(people.each)
        ]
        sent = teach(server, watches, rounds, epochs, bits, seed, f"person {left_out}")
        alone = Watch(0, Session(compiled.image), people.each[0])
        alone.train(rounds * epochs // 2, seed)
        reached[f"person {left_out}"] = (accuracy(alone.session, people.own), accuracy(watches[0].session, people.own))
        digest = hashlib.sha256(server.base).hexdigest()
    before, after = (sum(shares) / len(reached) for shares in zip(*reached.values()))
    rows = {**reached, "mean": (before, after)} if len(reached) > 1 else reached
    report.before_after("Exercises of a new person: one watch alone, and all together", rows)
    report.say(f"a watch sends {sent:,} B a round, of {len(server.base):,} B of parameters; base {digest[:16]}")
    report.on_the_board(compiled)
    return after


if __name__ == "__main__":
    report.run(main)
