"""Gateways for tests: their folders, the process, and the plain loop to compare them with."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from gradmote import Session
from gradmote.data.dataset import Dataset
from gradmote.federated import LocalFleet, RoundTask, Server
from gradmote.federated.gateway.config import read_config
from gradmote.federated.gateway.gateway import Gateway
from gradmote.federated.gateway.keys import read_keys, write_keys
from gradmote.federated.gateway.service import Service
from gradmote.federated.summary import SumRequest
from support import federation


def samples(names: Sequence[str], most: int | None = None) -> dict[str, Dataset]:
    """Return the digits of each device."""
    found = {}
    for number, name in enumerate(names):
        x, labels = federation.samples_of(number, 10)
        found[name] = Dataset(x[:most], labels[:most])
    return found


def folder_of(folder: Path, urls: Mapping[str, str], image: bytes, data: Mapping[str, Dataset], port: int = 0) -> Path:
    """Fill a folder with image, samples, keys and configuration, and return the configuration's path.

    A device without `data` trains on samples that it collects.
    """
    (folder / "model.mote").write_bytes(image)
    lines = ['image = "model.mote"', 'keys = "keys"', f"port = {port}"]
    for name, url in urls.items():
        lines += [f"[devices.{name}]", f'url = "{url}"']
        if name in data:
            np.savez(folder / f"{name}.npz", x=data[name].x, y=data[name].y)
            lines.append(f'data = "{name}.npz"')
    write_keys(folder / "keys", list(urls))
    path = folder / "gateway.toml"
    path.write_text("\n".join(lines) + "\n")
    return path


@contextmanager
def serving(config: Path, tell=lambda name, state, text: None) -> Iterator[tuple[Gateway, Service]]:
    """Run a gateway in this process."""
    settings = read_config(config)
    with Gateway(settings, read_keys(settings.keys), tell) as gateway:
        service = Service(gateway, settings.host, settings.port)
        thread = threading.Thread(target=service.serve)
        thread.start()
        try:
            yield gateway, service
        finally:
            service.stop()
            thread.join()


class Process:
    """A gateway in a separate process. events: its output."""

    def __init__(self, config: Path) -> None:
        command = [sys.executable, "-m", "gradmote", "federate", "gateway", str(config), "--json"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.address = json.loads(self.process.stdout.readline())["address"]
        self.events: list[dict[str, str]] = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.events.append(json.loads(line))

    def wait_for(self, event: dict[str, str]) -> None:
        while event not in self.events:
            assert self.process.poll() is None
            time.sleep(0.01)

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def end(self) -> int:
        self.process.terminate()
        return self.process.wait(20)


def task_of(image: bytes, server: Server, down: bytes, **settings) -> RoundTask:
    """Return a server's task in its round. settings: fields of RoundTask."""
    made, base = (hashlib.sha256(data).digest() for data in (image, server.base))
    return RoundTask(made, server.round, base, server.checkpoint(), down, sums=server.sums, **settings)


def one_round(image: bytes, server: Server, fleet, down: bytes, **settings) -> bytes:
    """Train a fleet once, and return the delta that leads to the next base."""
    task = task_of(image, server, down, **settings)
    for row in fleet.train(task):
        assert not row.fault, row.fault
        server.add(row.device, row.delta, row.examples)
    if weights := server.weights():
        server.add_sum(weights, fleet.sum(SumRequest(task.key, weights)))
    return server.finish()


def plain(
    image: bytes, data: Mapping[str, Dataset], rounds: int, profiles: Mapping[str, str] | None = None, **settings
) -> list[bytes]:
    """Return the base after each round of a plain loop over sessions.

    profiles: of some devices; the others are fused. settings: fields of RoundTask.
    """
    server, down, bases = Server(image), b"", []
    fleet = LocalFleet({name: Session(image, (profiles or {}).get(name, "fused")) for name in data}, data.__getitem__)
    for _ in range(rounds):
        down = one_round(image, server, fleet, down, **settings)
        bases.append(server.base)
    return bases
