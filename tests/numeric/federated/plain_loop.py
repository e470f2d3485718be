"""The plain loop of a server and a fleet: the oracle of all other ways to do a round."""

from __future__ import annotations

import hashlib

from gradmote.federated import Fleet, RoundTask, Server
from support import federation

#: The delta before round 0.
DOWN_NONE = b""


def task_of(server: Server, down: bytes, **settings) -> RoundTask:
    """Return what a server asks in its round. settings: fields of RoundTask."""
    image, base = (hashlib.sha256(data).digest() for data in (federation.image(), server.base))
    return RoundTask(image, server.round, base, server.checkpoint(), down, **settings)


def one_round(server: Server, fleet: Fleet, down: bytes, **settings) -> bytes:
    """Let a fleet train once, and return the delta that leads to the next base."""
    for row in fleet.train(task_of(server, down, **settings)):
        assert not row.fault, row.fault
        server.add(row.device, row.delta, row.examples)
    return server.finish()
