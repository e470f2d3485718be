"""A gateway owns a gradmote-run by TCP: in each round its delta is the twin's, also where it is killed in between."""

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

    def restart(self) -> None:
        process: Popen[str] = self._process
        process.kill()
        process.wait()
        self.start()


def test_the_deltas_of_a_node_are_the_twins(sanitized, tmp_path: Path) -> None:
    """It is killed while it trains in round 1, and when its base of round 2 is asked for."""
    image, data, kills = federation.image(), gateways.samples(["node"], 24), [(1, "training"), (2, "to the base")]
    server, down = Server(image), b""
    twins = LocalFleet({"node": Session(image, sanitized.profile)}, data.__getitem__)

    def disturb(_: str, state: str, __: str) -> None:
        if (server.round, state) in kills:
            kills.remove((server.round, state))
            node.restart()

    with ExitStack() as processes:
        node = Node(sanitized, tmp_path / "state", processes)
        config = gateways.folder_of(tmp_path, {"node": node.url}, image, data)
        _, service = processes.enter_context(gateways.serving(config, disturb))
        fleet = processes.enter_context(RemoteFleet(f"127.0.0.1:{service.port}", tmp_path / "keys"))
        for _ in range(4):
            task = gateways.task_of(image, server, down)
            (found,), (plain,) = fleet.train(task), twins.train(task)
            assert not found.fault and found.delta == plain.delta
            server.add(found.device, found.delta, found.examples)
            down = server.finish()
    assert not kills
