"""A federation of four twins at two nodes, in a grid that delivers messages in this process."""

from __future__ import annotations

import hashlib
import os
import random
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from flwr.app import Context, Message, RecordDict
from flwr.serverapp import Grid
from flwr.supercore.task_identity import TaskIdentity

from gradmote import Session
from gradmote.data.dataset import Dataset
from gradmote.federated import LocalFleet, RoundTask, Server, ServerOptimizer
from gradmote.flower import client_app

#: Flower's messages have numbers of a run, which a process of Flower's own gives.
TaskIdentity.run_id = TaskIdentity.task_id = TaskIdentity.node_id = 1
NAMES = ("a", "b", "c", "d")


@cache
def image() -> bytes:
    return Path(os.environ["GRADMOTE_FLOWER_IMAGE"]).read_bytes()


def data_of(name: str) -> Dataset:
    import numpy as np

    drawn = np.random.default_rng(NAMES.index(name))
    y = drawn.integers(0, 10, 24)
    return Dataset((drawn.random((24, 64)) + (np.arange(64) % 10 == y[:, None])).astype(np.float32), y)


def samples_of(name: str, context: Context) -> Dataset:
    return data_of(name)


def sessions(names: Iterable[str] = NAMES) -> dict[str, Session]:
    """Return twins; each second one has the strict profile."""
    return {name: Session(image(), ("fused", "strict")[NAMES.index(name) % 2]) for name in names}


def behind(context: Context) -> dict[str, Session]:
    """Return the devices of a node: two of the four."""
    first = 2 * int(context.node_config["partition-id"])
    return sessions(NAMES[first : first + 2])


def plain_base(rounds: int, optimizer: ServerOptimizer | None = None, **settings) -> str:
    """Return the digest of the base after rounds of a plain loop of a server and a fleet."""
    server, fleet, down = Server(image(), optimizer), LocalFleet(sessions(), data_of), b""
    for _ in range(rounds):
        digests = hashlib.sha256(image()).digest(), server.round, hashlib.sha256(server.base).digest()
        for row in fleet.train(RoundTask(*digests, server.checkpoint(), down, **settings)):
            assert not row.fault, row.fault
            server.add(row.device, row.delta, row.examples)
        down = server.finish()
    return hashlib.sha256(server.base).hexdigest()


class HereGrid(Grid):
    """Nodes in this process. Replies come in an order that is drawn.

    change: what an attacker or a bad line makes of a reply; None loses it. slow: returns how many rounds
    a reply of training comes late.
    """

    def __init__(self, app=None, change: Callable[[Message], Message | None] = lambda reply: reply, nodes: int = 2,
                 slow: Callable[[Message], int] = lambda reply: 0):  # fmt: skip
        self.app = app or client_app(behind, samples_of, hashlib.sha256(image()).digest())
        self.change, self.random = change, random.Random(0)
        numbers = self.random.sample(range(1, 2**62), nodes)
        self.contexts = {
            number: Context(1, number, {"partition-id": at}, RecordDict(), {}) for at, number in enumerate(numbers)
        }
        self.asked: list[tuple[str, int]] = []
        self.slow, self.rounds = slow, 0
        self._coming: dict[str, tuple[int, Message]] = {}

    def get_node_ids(self) -> list[int]:
        return list(self.contexts)

    def send_and_receive(self, messages: Iterable[Message], *, timeout: float | None = None) -> list[Message]:
        replies = [reply for message in messages if (reply := self._reply_to(message)) is not None]
        self.random.shuffle(replies)
        return replies

    def _reply_to(self, message: Message) -> Message | None:
        node = message.metadata.dst_node_id
        self.asked.append((message.metadata.message_type, node))
        return self.change(self.app(message, self.contexts[node]))

    def push_messages(self, messages: Iterable[Message]) -> list[str]:
        self.rounds += 1
        names = []
        for message in messages:
            names.append(f"message {len(self.asked)}")
            message.metadata.__dict__["_message_id"] = names[-1]
            reply = self._reply_to(message)
            if reply is not None:
                self._coming[names[-1]] = self.rounds + self.slow(reply), reply
        return names

    def pull_messages(self, message_ids: Iterable[str]) -> list[Message]:
        """Return the replies that have come, in an order that is drawn."""
        there = [name for name in message_ids if name in self._coming and self._coming[name][0] <= self.rounds]
        self.random.shuffle(there)
        return [self._coming.pop(name)[1] for name in there]

    def set_run(self, *_):
        raise NotImplementedError

    run = property(lambda self: None)
    create_message = set_run
