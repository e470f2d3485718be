"""A gateway that was killed while it greeted a server was taken for one that refuses its key, which is final."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from gradmote.federated import RemoteFleet, Server
from gradmote.federated.gateway import wire
from support import federation, gateways


@pytest.mark.parametrize("sent", [0, 1, len(wire.MAGIC), len(wire.MAGIC) + 32])
def test_the_server_connects_again(tmp_path: Path, sent: int, monkeypatch) -> None:
    """It ends after so many bytes of its greeting, three times."""
    image = federation.image()
    config = gateways.folder_of(tmp_path, {"a": "twin"}, image, gateways.samples(["a"]))
    ended, real, lock = [], wire.greet_as_gateway, threading.Lock()

    def greet(line, key: bytes):
        with lock:
            ends = len(ended) < 3
            ended.extend([sent] if ends else [])
        if not ends:
            return real(line, key)
        line.sendall((wire.MAGIC + bytes(32))[:sent])
        raise wire.DeviceError("the process ends")

    with gateways.serving(config) as (_, service), RemoteFleet(f"127.0.0.1:{service.port}", tmp_path / "keys") as fleet:
        monkeypatch.setattr("gradmote.federated.gateway.service.greet_as_gateway", greet)
        (row,) = fleet.train(gateways.task_of(image, Server(image), b""))
    assert len(ended) == 3 and not row.fault
