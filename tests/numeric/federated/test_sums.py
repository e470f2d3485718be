"""Sums that gateways make of their devices' deltas lead to the base of all deltas; a hostile one leads nowhere."""

from __future__ import annotations

import contextlib
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gradmote import Session
from gradmote.data.dataset import Dataset
from gradmote.errors import DataError, GradmoteError
from gradmote.federated import Coordinator, DeltaSum, DeviceReply, LocalFleet, RemoteFleet, RoundTask, Server
from gradmote.federated.summary import DeltaSummary, SumRequest
from gradmote.formats.delta import read_delta
from support import federation, gateways

NAMES = ("a", "b", "c", "d", "e")
#: Of two gateways; the last device has none.
GATEWAYS = (("a", "b"), ("c", "d"))


@pytest.fixture(scope="module")
def data() -> dict[str, Dataset]:
    """One device has much longer deltas, as its inputs are larger; one has many more samples."""
    found = gateways.samples(NAMES, 24)
    found["b"] = Dataset(found["b"].x * np.float32(8), found["b"].y)
    found["d"] = gateways.samples(NAMES)["d"]
    return found


@pytest.fixture
def fleets(tmp_path: Path, data):
    """Two gateways, and a device that the server reaches itself."""
    image, made = federation.image(), []
    with ExitStack() as stack:
        for number, names in enumerate(GATEWAYS):
            folder = tmp_path / f"gateway-{number}"
            folder.mkdir()
            config = gateways.folder_of(folder, dict.fromkeys(names, "twin"), image, {n: data[n] for n in names})
            _, service = stack.enter_context(gateways.serving(config))
            made.append(stack.enter_context(RemoteFleet(f"127.0.0.1:{service.port}", folder / "keys", patience=1.0)))
        yield [*made, LocalFleet({"e": Session(image)}, data.__getitem__)]


def ask(requests: dict[RemoteFleet, SumRequest]) -> dict[RemoteFleet, bytes | GradmoteError]:
    found: dict[RemoteFleet, bytes | GradmoteError] = {}
    for fleet, request in requests.items():
        try:
            found[fleet] = fleet.sum(request)
        except GradmoteError as error:
            found[fleet] = error
    return found


def one_round(made: Coordinator, fleets: list) -> None:
    for fleet in fleets:
        task = made.task(fleet.names())
        made.take(fleet.train(task))
    made.gather(task, {fleet: fleet.names() for fleet in fleets[:2]}, ask)
    made.finish()


@pytest.mark.parametrize("settings", [{}, {"refuse_above": 1.5}, {"clip": False}, {"cap_examples": 1.0}])
def test_sums_lead_to_the_base_of_all_deltas(fleets, data, settings) -> None:
    """One delta is clipped, one is left out, and the examples of one are capped."""
    made = Coordinator(federation.image(), sums=True, **settings)
    plain = Coordinator(federation.image(), **settings)
    devices = LocalFleet({name: Session(federation.image()) for name in NAMES}, data.__getitem__)
    left_out: list[str] = []
    for number in range(3):
        one_round(made, fleets)
        plain.take(devices.train(plain.task()))
        plain.finish()
        assert made.server.base == plain.server.base
        assert made.server.left_out == plain.server.left_out
        assert made.history[number].counted == plain.history[number].counted
        left_out += made.server.left_out
    assert bool(left_out) == ("refuse_above" in settings)


def test_a_server_and_its_gateways_that_are_killed_between_deltas_and_sums_go_on(tmp_path: Path, data) -> None:
    image, names = federation.image(), ("a", "b", "c")
    config = gateways.folder_of(tmp_path, dict.fromkeys(names, "twin"), image, {n: data[n] for n in names})
    for base in gateways.plain(image, {name: data[name] for name in names}, 2):
        made = Coordinator(image, folder=tmp_path / "server", sums=True)
        with gateways.serving(config) as (_, service), RemoteFleet(f"127.0.0.1:{service.port}", tmp_path / "keys") as f:
            made.take(f.train(made.task()))
        again = Coordinator(image, folder=tmp_path / "server", sums=True)
        with gateways.serving(config) as (_, service), RemoteFleet(f"127.0.0.1:{service.port}", tmp_path / "keys") as f:
            again.gather(again.task(), {f: names}, ask)
        again.finish()
        assert again.server.base == base


def test_a_gateway_that_gives_no_sum_is_left_out_with_its_devices(fleets, data) -> None:
    """The others count as if those had sent nothing, with recomputed weights."""
    image = federation.image()
    made, plain = Coordinator(image, sums=True), Coordinator(image)
    for fleet in fleets:
        task = made.task(fleet.names())
        made.take(fleet.train(task))

    def without_first(requests):
        return {f: found for f, found in ask(requests).items() if f is not fleets[0]}

    made.gather(task, {fleet: fleet.names() for fleet in fleets[:2]}, without_first)
    assert all("its gateway sent no sum" in made.now.rows[name]["fault"] for name in "ab")
    devices = LocalFleet({name: Session(image) for name in "cde"}, data.__getitem__)
    plain.take(devices.train(plain.task()))
    for each in (made, plain):
        each.finish()
    assert made.server.base == plain.server.base


def test_devices_whose_gateway_is_gone_are_left_out(fleets) -> None:
    made = Coordinator(federation.image(), sums=True)
    for fleet in fleets:
        task = made.task(fleet.names())
        made.take(fleet.train(task))
    made.gather(task, {fleets[1]: fleets[1].names()}, ask)
    assert made.now.counted == ["c", "d", "e"]
    assert all("gateway is gone" in made.now.rows[name]["fault"] for name in "ab")
    assert made.finish().counted == ["c", "d", "e"]


# ---- What a gateway may not do ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def kept() -> tuple[Server, RoundTask, dict[str, bytes]]:
    """A server that waits for the sum of two devices, its task, and their deltas."""
    image = federation.image()
    server = Server(image, sums=True)
    task, deltas = gateways.task_of(image, server, b""), {}
    for number, name in enumerate("ab"):
        device = federation.Device(image, number, 10)
        device.train()
        deltas[name] = device.delta()
        summary = DeltaSummary.of(deltas[name], server.elements, task)
        assert server.add(name, summary.pack(), 10)
        assert not server.add(name, deltas[name], 10)  # the same delta, whole
    return server, task, deltas


def sum_of(server: Server, deltas: dict[str, bytes], weights: dict[str, int]) -> DeltaSum:
    total = DeltaSum(server.elements)
    total.add_files([deltas[name] for name in weights], list(weights.values()))
    return total


def test_a_round_does_not_end_without_its_sums(kept) -> None:
    server, _, _ = kept
    assert server.missing() == {"a", "b"}
    with pytest.raises(DataError, match="no sum includes the delta of a"):
        server.finish()


@pytest.mark.parametrize("factor", [-7, 2, 1000])
def test_a_sum_of_other_weights_is_refused(kept, factor: int) -> None:
    server, _, deltas = kept
    weights = server.weights()
    total = sum_of(server, deltas, {name: weight * abs(factor) for name, weight in weights.items()})
    with pytest.raises(DataError, match="weighs more"):
        server.add_sum("ab", total.pack())
    total.weights = sum_of(server, deltas, weights).weights  # it says the right weight now
    with pytest.raises(DataError, match="longer than all|have no such sum"):
        server.add_sum("ab", total.pack())
    assert server.missing() == {"a", "b"}


def test_a_sum_of_other_devices_is_refused(kept) -> None:
    server, _, deltas = kept
    packed = sum_of(server, deltas, server.weights()).pack()
    for names in ("", "abz", "z"):
        with pytest.raises(DataError, match="does not wait for"):
            server.add_sum(names, packed)
    with pytest.raises(DataError, match="weighs more"):
        server.add_sum("a", packed)


def test_any_bytes_are_no_sum(kept) -> None:
    server, _, deltas = kept
    packed, drawn = sum_of(server, deltas, server.weights()).pack(), np.random.default_rng(0)
    for _ in range(200):
        hostile = bytearray(packed)
        for at in drawn.integers(0, len(hostile), 3):
            hostile[at] ^= int(drawn.integers(1, 256))
        with pytest.raises(DataError):
            server.add_sum("ab", bytes(hostile[: drawn.integers(1, len(hostile) + 1)]))


def test_a_summary_is_of_this_base_or_refused(kept) -> None:
    server, task, deltas = kept
    good = DeltaSummary.of(deltas["a"], server.elements, task)
    for wrong in (replace(good, round=1), replace(good, base_digest=bytes(32))):
        with pytest.raises(DataError, match="another base"):
            server.add("c", replace(wrong, digest=b"x" * 32).pack(), 10)
    with pytest.raises(DataError, match="two deltas in round 0"):
        server.add("a", replace(good, digest=b"x" * 32).pack(), 10)
    with pytest.raises(DataError, match="instead of a delta"):
        Server(federation.image()).add("a", good.pack(), 10)


def test_a_delta_that_comes_after_a_sum_asks_for_it_again(kept) -> None:
    _, task, deltas = kept
    server = Server(federation.image(), sums=True)
    for name, delta in deltas.items():
        server.add(name, DeltaSummary.of(delta, server.elements, task).pack(), 10)
    server.add_sum("ab", sum_of(server, deltas, server.weights()).pack())
    assert server.missing() == set()
    device = federation.Device(federation.image(), 2, 10)
    device.train()
    server.add("c", device.delta(), 10)
    assert server.missing() == {"a", "b"}
    server.add_sum("ab", sum_of(server, deltas, server.weights()).pack())
    server.finish()


def test_a_gateway_sums_up_only_what_it_keeps_of_this_round(tmp_path: Path, data) -> None:
    image = federation.image()
    config = gateways.folder_of(tmp_path, {"a": "twin"}, image, {"a": data["a"]})
    with gateways.serving(config) as (_, service), RemoteFleet(f"127.0.0.1:{service.port}", tmp_path / "keys") as f:
        task = gateways.task_of(image, Server(image), b"")
        (row,) = f.train(task)
        (reported,) = f.train(replace(task, sums=True))
        summary = DeltaSummary.unpack(reported.delta)
        elements = Server(image).elements
        assert summary.norm == read_delta(row.delta, elements).norm
        with pytest.raises(DataError, match="another round"):
            f.sum(SumRequest(bytes(32), {"a": 1}))
        with pytest.raises(DataError, match="no delta of z"):
            f.sum(SumRequest(task.key, {"z": 1, "a": 1}))
        found = DeltaSum.unpack(f.sum(SumRequest(task.key, {"a": 3})), elements)
        assert set(found.weights) == {3}


def test_a_reply_of_a_gateway_that_keeps_deltas_is_short(fleets) -> None:
    made = Coordinator(federation.image(), sums=True)
    rows = fleets[0].train(made.task(fleets[0].names()))
    assert all(isinstance(row, DeviceReply) and len(row.delta) < 120 for row in rows)
    with contextlib.suppress(GradmoteError):
        made.take(rows)
    assert made.now.counted == ["a", "b"]
