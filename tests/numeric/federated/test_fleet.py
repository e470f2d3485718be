"""A fleet of local devices: sessions and targets train alike, and a fault of one of them is its own."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from numeric.federated.plain_loop import DOWN_NONE, one_round, task_of

from gradmote import Session
from gradmote.data.dataset import Dataset
from gradmote.device.twin_target import TwinTarget
from gradmote.federated import LocalFleet, Server
from support import federation

NAMES = ("a", "b", "c", "d")


def data_of(name: str) -> Dataset:
    return Dataset(*federation.samples_of(NAMES.index(name), len(NAMES)))


def sessions() -> dict[str, Session]:
    return {n: Session(federation.image(), ("fused", "strict")[i % 2]) for i, n in enumerate(NAMES)}


def targets() -> dict[str, TwinTarget]:
    found = {n: TwinTarget(("fused", "strict")[i % 2]) for i, n in enumerate(NAMES)}
    for target in found.values():
        target.load_image(federation.image())
    return found


def base_after(fleet: LocalFleet, rounds: int, **settings) -> str:
    server, down = Server(federation.image()), DOWN_NONE
    for _ in range(rounds):
        down = one_round(server, fleet, down, **settings)
    return hashlib.sha256(server.base).hexdigest()


def test_sessions_and_targets_come_to_one_base():
    found = {base_after(LocalFleet(made(), data_of), 3, epochs=2) for made in (sessions, targets)}
    assert len(found) == 1
    assert found != {base_after(LocalFleet(sessions(), data_of), 3, epochs=2, seed=1)}


def test_bytes_are_widened_as_a_board_does():
    def in_bytes(name: str) -> Dataset:
        found = data_of(name)
        return Dataset((found.x * 16).astype(np.uint8), found.y, scale=1 / 16)

    assert base_after(LocalFleet(sessions(), in_bytes), 2) == base_after(LocalFleet(targets(), in_bytes), 2)
    assert base_after(LocalFleet(sessions(), in_bytes), 2) == base_after(LocalFleet(sessions(), data_of), 2)


def test_what_is_asked_again_is_answered_again():
    server, fleet = Server(federation.image()), LocalFleet(sessions(), data_of)
    task = task_of(server, DOWN_NONE)
    first = fleet.train(task)
    states = {name: device.state_sha256() for name, device in fleet.devices.items()}
    assert fleet.train(task) == first
    assert {name: device.state_sha256() for name, device in fleet.devices.items()} == states
    assert fleet.train(task_of(server, DOWN_NONE, seed=1)) != first


def test_a_device_one_round_behind_goes_on_and_another_one_joins():
    server, fleet = Server(federation.image()), LocalFleet(sessions(), data_of)
    down = one_round(server, fleet, DOWN_NONE)
    fleet.devices["d"] = Session(federation.image())
    fleet.devices["d"].begin_round(7)
    rows = {row.device: row for row in fleet.train(task_of(server, down))}
    assert {name: row.bytes_down for name, row in rows.items()} == {
        **dict.fromkeys("abc", len(down)), "d": len(server.checkpoint()),
    }  # fmt: skip
    for row in rows.values():
        server.add(row.device, row.delta, row.examples)


def test_a_device_of_another_base_begins_anew():
    server, other, fleet = Server(federation.image()), Server(federation.image()), LocalFleet(sessions(), data_of)
    down = one_round(server, fleet, DOWN_NONE)
    one_round(other, stray := LocalFleet(sessions(), data_of), DOWN_NONE, seed=5)
    stray.train(task_of(other, one_round(other, stray, DOWN_NONE)))
    for device in stray.devices.values():  # in round 0 of the same number, and of another base
        device.begin_round(server.round - 1)
    for row in stray.train(task_of(server, down)):
        assert row.bytes_down == len(server.checkpoint()) or row.bytes_down == len(down)
        server.add(row.device, row.delta, row.examples)
    assert server.devices == sorted(NAMES)


def test_personal_parameters_stay():
    server, fleet, down = Server(federation.image()), LocalFleet(sessions(), data_of), DOWN_NONE
    for _ in range(2):
        down = one_round(server, fleet, down, shared=("0.*",))
    fleet.train(task_of(server, down, shared=("0.*",), epochs=1))
    own = {bytes(device.parameter("2.bias")) for device in fleet.devices.values()}
    assert len(own) == len(NAMES)


# ---- Faults are rows


class Unplugged(Session):
    """A device whose line breaks."""

    def round_delta(self, *_):
        raise OSError("the line\nbroke")


def rows_of(fleet: LocalFleet, **settings) -> dict[str, str]:
    task = task_of(Server(federation.image()), DOWN_NONE, **settings)
    return {row.device: row.fault for row in fleet.train(task)}


def test_a_fault_is_the_row_of_its_device():
    fleet = LocalFleet({**sessions(), "b": Unplugged(federation.image())}, data_of)
    assert rows_of(fleet) == {"a": "", "b": "the line broke", "c": "", "d": ""}


@pytest.mark.parametrize("made", [sessions, targets])
def test_data_that_is_not_finite_is_a_fault(made):
    def poisoned(name: str) -> Dataset:
        found = data_of(name)
        return Dataset(found.x * np.float32(np.nan), found.y) if name == "c" else found

    faults = rows_of(LocalFleet(made(), poisoned))
    assert "NaN" in faults.pop("c")
    assert set(faults.values()) == {""}


@pytest.mark.parametrize("made", [sessions, targets])
def test_a_late_device_is_a_fault(made):
    assert all("too late" in fault for fault in rows_of(LocalFleet(made(), data_of), deadline_s=1e-9).values())


@pytest.mark.parametrize("made", [sessions, targets])
def test_too_few_samples_are_a_fault(made):
    def little(name: str) -> Dataset:
        return Dataset(data_of(name).x[:1], data_of(name).y[:1])

    assert all("do not fill a batch" in fault for fault in rows_of(LocalFleet(made(), little)).values())


def test_a_device_that_is_not_there_is_a_fault():
    faults = rows_of(LocalFleet(sessions(), data_of), devices=("a", "nobody"))
    assert faults == {"a": "", "nobody": "there is no device 'nobody' - there are a, b, c, d"}


def test_another_image_is_a_fault():
    assert all("another one" in fault for fault in rows_of(LocalFleet(sessions(), data_of, bytes(32))).values())


def test_a_test_brings_devices_to_the_base_and_the_next_training_goes_on_from_there():
    with_tests, without = LocalFleet(sessions(), data_of), LocalFleet(sessions(), data_of)
    found = []
    for fleet in (with_tests, without):
        server, down = Server(federation.image()), DOWN_NONE
        for _ in range(2):
            down = one_round(server, fleet, down)
            rows = fleet.test(task_of(server, down)) if fleet is with_tests else []
            assert all(0 < row.accuracy <= 1 and row.examples > 4 and not row.fault for row in rows)
        fleet.train(task_of(server, down))
        found.append([device.state_sha256() for device in fleet.devices.values()])
    assert found[0] == found[1]


@pytest.mark.parametrize("made", [sessions, targets])
def test_a_device_that_has_learned_is_not_tested_and_loses_nothing(made):
    """The device keeps its moments and what it learned: the base of a test would overwrite both."""
    server, fleet = Server(federation.image()), LocalFleet(made(), data_of)
    down = one_round(server, fleet, DOWN_NONE)
    task = task_of(server, down)
    replies = fleet.train(task)
    states = {name: device.save() for name, device in fleet.devices.items()}
    assert all("has learned in this round" in row.fault for row in fleet.test(task))
    assert {name: device.save() for name, device in fleet.devices.items()} == states
    assert fleet.train(task) == replies


def test_a_test_without_samples_is_a_fault_of_its_device():
    def some(name: str) -> Dataset:
        found = data_of(name)
        return Dataset(found.x[:0], found.y[:0]) if name == "c" else found

    rows = LocalFleet(targets(), some).test(task_of(Server(federation.image()), DOWN_NONE))
    assert [bool(row.fault) for row in rows] == [False, False, True, False]
