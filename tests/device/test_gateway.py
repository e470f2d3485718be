"""A gateway with two emulated boards and a twin, which are killed and restarted between rounds and within them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gradmote.device import BoardTarget
from gradmote.device.boards import board
from gradmote.federated import RemoteFleet, Server
from support import federation, gateways
from support.firmware import build_firmware
from support.noisy_link import NoisyLink

pytestmark = pytest.mark.device

BOARDS = {"m4": "qemu:mps2-an386", "m55": "qemu:mps3-an547"}


def require_boards() -> None:
    for url in BOARDS.values():
        build_firmware(board=url.partition(":")[2])


def rounds(folder: Path, urls: dict[str, str], count: int, disturb: Callable, samples: int = 24) -> tuple[bytes, bytes]:
    """Return the base after some rounds of a gateway, which tests each base before, and that of the plain loop.

    disturb: called with the gateway, the round, device and state at each change of a device's state.
    """
    image, data = federation.image(), gateways.samples(list(urls), samples)
    config = gateways.folder_of(folder, urls, image, data)
    server, down, known = Server(image), b"", []

    def tell(name: str, state: str, text: str) -> None:
        if known:
            disturb(known[0], server.round, name, state)

    with gateways.serving(config, tell) as (gateway, service):
        known.append(gateway)
        with RemoteFleet(f"127.0.0.1:{service.port}", folder / "keys") as fleet:
            for _ in range(count):
                tests = fleet.test(gateways.task_of(image, server, down))
                assert len({(row.loss, row.accuracy) for row in tests}) > 1 or len(tests) == 1
                assert not any(row.fault for row in tests)
                down = gateways.one_round(image, server, fleet, down)
    profiles = {name: board(url.partition(":")[2]).profile for name, url in urls.items() if url.startswith("qemu:")}
    return server.base, gateways.plain(image, data, count, profiles)[-1]


def test_boards_that_are_killed_and_restarted_change_no_bit(tmp_path: Path) -> None:
    """One loses its flash with its emulator, in a round; the other one restarts before a test, and before it trains."""
    require_boards()
    done = []

    def disturb(gateway, number: int, name: str, state: str) -> None:
        target = gateway.devices[name]._target
        if (number, name, state) == (1, "m4", "training") and not done:
            done.append("killed")
            target._on_close()  # the emulator ends
        if (number, name, state) == (2, "m55", "to the base"):
            done.append("restarted")
            target.board.reboot()

    found, plain = rounds(tmp_path, {**BOARDS, "twin": "twin"}, 3, disturb)
    assert sorted(done) == ["killed", "restarted", "restarted"] and found == plain


def test_a_line_that_damages_a_byte_in_1000_changes_no_bit(tmp_path: Path) -> None:
    require_boards()
    lines = []

    def disturb(gateway, number: int, name: str, state: str) -> None:
        target = gateway.devices[name]._target
        if state == "to the base" and not lines and isinstance(target, BoardTarget):
            lines.append(NoisyLink(target.board._link, seed=1))
            target.board._link = lines[-1]

    found, plain = rounds(tmp_path, {"m4": BOARDS["m4"]}, 2, disturb, samples=8)
    assert found == plain
    assert sum(line.flipped + line.lost for line in lines) > 5
