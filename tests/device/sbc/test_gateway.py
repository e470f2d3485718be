"""A gateway owns a gradmote-run by TCP: in each round its delta is the twin's, even if it is killed in between."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from subprocess import Popen

from gradmote import Session
from gradmote.federated import LocalFleet, RemoteFleet, Server
from support import federation, gateways
from support.gradmote_run import served


class Node:
    """A gradmote-run at one port, which can be killed and started again with its files."""

    def __init__(self, program, folder: Path, processes: ExitStack) -> None:
        self.url, self._process = "", None
        self._program, self._folder, self._processes = program, folder, processes
        self.start()

    def start(self) -> None:
        port = int(self.url.rpartition(":")[2] or 0)
        self.url, self._process = self._processes.enter_context(
            served(self._program, "--state", self._folder, port=port)
        )

    def damage_base(self) -> None:
        """Restart with a bit of the base's file changed."""
        file = self._folder / "base.gmck"
        data = file.read_bytes()
        file.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
        self.restart()

    def restart(self) -> None:
        process: Popen[str] = self._process
        process.kill()
        process.wait()
        self.start()


def test_the_deltas_of_a_node_are_the_twins(sanitized, tmp_path: Path) -> None:
    """It is killed in round 1 while it trains, and in 2 and 3 before it gets the base; in 3 it has lost its own."""
    image, data = federation.image(), gateways.samples(["node"], 24)
    server, down = Server(image), b""
    twins = LocalFleet({"node": Session(image, sanitized.profile)}, data.__getitem__)

    def disturb(_: str, state: str, __: str) -> None:
        misfortunes.pop((server.round, state), lambda: None)()

    with ExitStack() as processes:
        node = Node(sanitized, tmp_path / "state", processes)
        misfortunes = {
            (1, "training"): node.restart,
            (2, "to the base"): node.restart,
            (3, "to the base"): node.damage_base,
        }
        config = gateways.folder_of(tmp_path, {"node": node.url}, image, data)
        _, service = processes.enter_context(gateways.serving(config, disturb))
        fleet = processes.enter_context(RemoteFleet(f"127.0.0.1:{service.port}", tmp_path / "keys"))
        for _ in range(4):
            task = gateways.task_of(image, server, down)
            (found,), (plain,) = fleet.train(task), twins.train(task)
            assert not found.fault and found.delta == plain.delta
            server.add(found.device, found.delta, found.examples)
            down = server.finish()
    assert not misfortunes
