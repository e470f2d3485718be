"""Kill a gateway at drawn moments of ten rounds, and compare the base at the end with that of the plain loop.

cd tests && ../.venv/bin/python -m bench.gateway_kills --kills 100 --seed 1
"""

from __future__ import annotations

import argparse
import hashlib
import socket
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from gradmote import optimizers
from gradmote.federated import RemoteFleet, Server
from support import digits, federation, gateways

ROUNDS, EPOCHS = 10, 3
NAMES = ("a", "b", "c")


class Killer:
    """Runs a gateway, kills it after drawn times, and starts it again."""

    def __init__(self, config: Path, kills: int, seed: int) -> None:
        """Start the gateway."""
        self._config, self._left, self._draw = config, kills, np.random.default_rng(seed)
        self.done, self._ended = 0, threading.Event()
        self._running = gateways.Process(config)
        self._thread = threading.Thread(target=self._kill)
        self._thread.start()

    def _kill(self) -> None:
        while self._left and not self._ended.wait(float(self._draw.uniform(0, 0.15))):
            self._running.kill()
            self._left, self.done = self._left - 1, self.done + 1
            self._running = gateways.Process(self._config)

    @property
    def kills_left(self) -> int:
        """Return how often it is still to be killed."""
        return self._left

    def end(self) -> None:
        """End the gateway."""
        self._ended.set()
        self._thread.join()
        self._running.end()


def run(kills: int, seed: int) -> tuple[str, int]:
    """Return the SHA-256 of the base after ROUNDS rounds that a killed gateway took part in, and the kills.

    Runs of ten rounds, each from the image, are repeated until the gateway was killed so often; all must end alike. In
    every second run, the gateway tests each base before it trains, and sends sums.
    """
    image, data = digits.image(optimizers.adamw(0.003), federation.BATCH), gateways.samples(NAMES)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    found, sums = set(), False
    with tempfile.TemporaryDirectory() as folder:
        config = gateways.folder_of(Path(folder), dict.fromkeys(NAMES, "twin"), image, data, port)
        killer = Killer(config, kills, seed)
        try:
            while killer.kills_left or not found:
                found.add(ten_rounds(image, config, port, sums))
                sums = not sums
        finally:
            killer.end()
    found.add(hashlib.sha256(gateways.plain(image, data, ROUNDS, epochs=EPOCHS)[-1]).hexdigest())
    assert len(found) == 1, found
    return found.pop(), killer.done


def ten_rounds(image: bytes, config: Path, port: int, sums: bool) -> str:
    """Return the SHA-256 of the base after ROUNDS rounds over the gateway's port. sums: send sums, and test too."""
    server, down = Server(image, sums=sums), b""
    with RemoteFleet(f"127.0.0.1:{port}", config.parent / "keys") as fleet:
        for _ in range(ROUNDS):
            if sums:
                assert not any(row.fault for row in fleet.test(gateways.task_of(image, server, down)))
            down = gateways.one_round(image, server, fleet, down, epochs=EPOCHS)
            time.sleep(0.01)
    return hashlib.sha256(server.base).hexdigest()


def main() -> None:
    """Kill, and print the digest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    digest, kills = run(given.kills, given.seed)
    print(f"{kills} kills; every {ROUNDS} rounds ended as the plain loop: {digest}")


if __name__ == "__main__":
    main()
