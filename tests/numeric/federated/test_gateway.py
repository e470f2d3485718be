"""A gateway and its devices come to the base of a plain loop, whatever is killed, forged or repeated."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import struct
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from unit.store.models import samples, taught

from gradmote import Session, optimizers
from gradmote.compiler.sample_store import StoreOptions
from gradmote.device.target import Target
from gradmote.errors import DataError, GradmoteError, OutputError
from gradmote.federated import LocalFleet, RemoteFleet, Server
from gradmote.federated.gateway import held_device, wire
from gradmote.federated.gateway.config import read_config
from gradmote.federated.gateway.gateway import Gateway
from gradmote.federated.gateway.journal import Journal, Trained
from gradmote.federated.gateway.keys import Keys, read_keys, tag
from gradmote.federated.gateway.signed_replies import signed, unpack_signed, verified
from gradmote.federated.replies import DeviceReply, DeviceTest
from gradmote.federated.task import RoundTask
from gradmote.formats.delta import read_delta
from support import digits, federation, gateways
from support.sampling import at_most

NAMES = ("a", "b", "c")
IMAGES = {"sgd": lambda: federation.image(), "adamw": lambda: digits.image(optimizers.adamw(0.003), federation.BATCH)}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    urls = {"a": "twin", "b": "twin", "c": "twin:strict"}
    return gateways.folder_of(tmp_path, urls, federation.image(), gateways.samples(NAMES))


def remote(config: Path, port: int, **more) -> RemoteFleet:
    return RemoteFleet(f"127.0.0.1:{port}", config.parent / "keys", **more)


@pytest.mark.parametrize("optimizer", list(IMAGES))
def test_three_rounds_are_those_of_the_plain_loop(tmp_path: Path, optimizer: str) -> None:
    image, data = IMAGES[optimizer](), gateways.samples(NAMES)
    config = gateways.folder_of(tmp_path, dict.fromkeys(NAMES, "twin"), image, data)
    server, down, bases = Server(image), b"", gateways.plain(image, data, 3)
    with gateways.serving(config) as (_, service), remote(config, service.port) as fleet:
        for base in bases:
            down = gateways.one_round(image, server, fleet, down)
            assert server.base == base


# ---- Tests of a base ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("optimizer", list(IMAGES))
def test_tests_between_rounds_have_the_plain_figures_and_change_no_bit(tmp_path: Path, optimizer: str) -> None:
    """A device that was just brought to the base by a test trains from it with its moments."""
    image, data = IMAGES[optimizer](), gateways.samples(NAMES)
    config = gateways.folder_of(tmp_path, dict.fromkeys(NAMES, "twin"), image, data)
    server, down = Server(image), b""
    plain = LocalFleet({name: Session(image) for name in NAMES}, data.__getitem__)
    with gateways.serving(config) as (_, service), remote(config, service.port) as fleet:
        for base in gateways.plain(image, data, 3):
            task = gateways.task_of(image, server, down)
            tests = fleet.test(task)
            assert tests == plain.test(task) and not any(row.fault for row in tests)
            assert fleet.test(task) == tests
            plain.train(task)
            down = gateways.one_round(image, server, fleet, down)
            assert server.base == base


def test_a_gateway_tests_no_device_that_has_learned(config: Path) -> None:
    image = federation.image()
    task = gateways.task_of(image, Server(image), b"", devices=("a", "b"))
    later = gateways.task_of(image, Server(image), b"", devices=("a", "b", "c", "z"))
    with gateways.serving(config) as (gateway, service), remote(config, service.port) as fleet:
        first = fleet.train(task)
        states = [gateway.devices[name].connect().save() for name in "ab"]
        faults = [row.fault for row in fleet.test(later)]
        assert ["has learned in this round" in fault for fault in faults] == [True, True, False, False]
        assert faults[2] == "" and "no such device" in faults[3]
        assert [gateway.devices[name].connect().save() for name in "ab"] == states
        assert fleet.train(task) == first


def test_a_device_whose_samples_the_gateway_has_not_is_no_test(tmp_path: Path) -> None:
    image = taught(StoreOptions(8)).image
    config = gateways.folder_of(tmp_path, {"a": "twin"}, image, {})
    with gateways.serving(config) as (_, service), remote(config, service.port) as fleet:
        (row,) = fleet.test(gateways.task_of(image, Server(image), b""))
        assert "no samples of this device - add data to [devices.a]" in row.fault


# ---- Killed in between ----------------------------------------------------------------------------------------------


class Killed(BaseException):
    """Stands for the end of the process: nothing of the gateway runs after it."""


MOMENTS = ("before training", "after training", "before the journal", "after the journal")


@pytest.mark.parametrize("optimizer", list(IMAGES))
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_gateway_that_ends_at_any_moment_goes_on(tmp_path: Path, monkeypatch, moment: str, optimizer: str) -> None:
    """In each of three rounds it ends while one device is at that moment, and others are anywhere."""
    image, data = IMAGES[optimizer](), gateways.samples(NAMES)
    config = gateways.folder_of(tmp_path, dict.fromkeys(NAMES, "twin"), image, data)
    keys, settings_ = read_keys(tmp_path / "keys"), read_config(config)
    server, down = Server(image), b""
    for base in gateways.plain(image, data, 3):
        task = gateways.task_of(image, server, down)
        with monkeypatch.context() as patched, Gateway(settings_, keys) as gateway:
            kill_at(patched, moment, "b")
            with pytest.raises(Killed):
                gateway.train(task)
        with Gateway(settings_, keys) as gateway:
            first = gateway.train(task)
            assert gateway.train(task) == first
        with Gateway(settings_, keys) as gateway:
            monkeypatch.setattr(gateway.devices["a"], "answer", None)  # nobody is asked
            assert gateway.train(task) == first
        for part in first:
            row = verified(DeviceReply, keys, task, part)
            server.add(row.device, row.delta, row.examples)
        down = server.finish()
        assert server.base == base


def kill_at(patched, moment: str, device: str) -> None:
    """Kill the process when this device reaches that moment."""

    def ends(real, name_of, after: bool):
        def call(*arguments, **more):
            found = real(*arguments, **more) if after or name_of(*arguments) != device else None
            if name_of(*arguments) == device:
                raise Killed
            return found

        return call

    if "training" in moment:
        real = held_device.HeldDevice._trained
        patched.setattr(held_device.HeldDevice, "_trained", ends(real, lambda self, *_: self.name, "after" in moment))
    else:
        patched.setattr(Journal, "take", ends(Journal.take, lambda self, name, _: name, "after" in moment))


def test_a_second_process_is_refused_the_journal(config: Path) -> None:
    settings_, keys = read_config(config), read_keys(config.parent / "keys")
    with Gateway(settings_, keys), pytest.raises(OutputError, match="another process"):
        Gateway(settings_, keys)


@given(cut=st.integers(0, 400), junk=st.binary(max_size=40))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_journal_that_is_cut_off_has_its_first_records(tmp_path_factory, cut: int, junk: bytes) -> None:
    folder = tmp_path_factory.mktemp("journal")
    journal = Journal(folder)
    journal.begin(bytes(32))
    for number in range(5):
        journal.note_trained(Trained(f"d{number}", number, 10, 0.5, 1.0))
        journal.take(f"d{number}", bytes([number]) * 9)
    journal.close()
    whole = (folder / "round").read_bytes()
    (folder / "round").write_bytes(whole[:cut] + junk)
    again = Journal(folder)
    taken = list(again.taken)
    assert taken == [f"d{number}" for number in range(len(taken))]
    assert all(again.taken[name] == bytes([int(name[1])]) * 9 for name in taken)
    again.begin(bytes([1]) * 32)
    again.take("new", b"x")
    again.close()
    last = Journal(folder)
    assert last.taken == {"new": b"x"} and last.task == bytes([1]) * 32
    last.close()


# ---- Who is at the other end ----------------------------------------------------------------------------------------


def test_another_key_is_refused_at_both_ends(config: Path, tmp_path: Path) -> None:
    other = Keys(bytes(32), read_keys(tmp_path / "keys").devices)
    with gateways.serving(config) as (_, service):
        fleet = RemoteFleet(f"127.0.0.1:{service.port}", other)
        with pytest.raises(wire.Refused, match="does not take our key"):
            fleet.train(gateways.task_of(federation.image(), Server(federation.image()), b""))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=impostor, args=(listening,), daemon=True).start()
        fleet = remote(config, listening.getsockname()[1])
        with pytest.raises(wire.Refused, match="does not know the key"):
            fleet.train(gateways.task_of(federation.image(), Server(federation.image()), b""))


#: Bodies that break what reads JSON, and any others.
BODIES = st.one_of(
    st.sampled_from([b"", b"[]", b"1", b"{", b"\xff", b"[" * 5000, b"9" * 5000, b'{"a": {}}', b'{"b": "x"}']),
    st.binary(max_size=300),
    st.dictionaries(st.sampled_from("ab\x1b"), st.text(), max_size=3).map(lambda found: json.dumps(found).encode()),
)


@given(
    frames=st.lists(
        st.tuples(st.sampled_from([wire.ALIVE] * 4 + [wire.REPLIES, wire.REFUSED, 0, 255]), BODIES), max_size=3
    )
)
@settings(max_examples=at_most(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_frames_of_a_gateway_with_the_key_are_rows_or_refused(config: Path, frames) -> None:
    """Each error is one of the project's, and what is shown of devices is printable text of those in the key file."""
    seen: list[dict[str, str]] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:
        reported = threading.Thread(target=tell, args=(listening, config.parent / "keys", frames))
        reported.start()
        fleet = remote(config, listening.getsockname()[1], patience=0.0, on_progress=seen.append)
        with contextlib.suppress(GradmoteError), fleet:
            rows = fleet.train(gateways.task_of(federation.image(), Server(federation.image()), b""))
            assert [row.device for row in rows] == list(NAMES)
            assert all(row.fault and row.fault.isprintable() for row in rows)
        reported.join()
    assert all(name in NAMES and state.isprintable() for states in seen for name, state in states.items())


def tell(listening: socket.socket, keys: Path, frames: list[tuple[int, bytes]]) -> None:
    """Answer the first request of a client with these frames, as a gateway that knows the key does."""
    line, _ = listening.accept()
    with line, contextlib.suppress(GradmoteError, OSError):
        channel = wire.greet_as_gateway(line, read_keys(keys).gateway)
        channel.receive(5)
        for kind, body in frames:
            channel.send(kind, body)


def test_a_fault_with_control_characters_is_shown_in_one_line(tasks) -> None:
    assert DeviceReply.unpack(DeviceReply("a", fault="\x1b[2Jgone\n").pack()).fault == " [2Jgone "
    assert DeviceTest.unpack(DeviceTest("a", fault="\x1b[2Jgone\n").pack()).fault == " [2Jgone "


def test_a_task_with_names_of_many_others_is_refused_at_once(config: Path) -> None:
    """Some names that this gateway lacks are rows with a fault; 300,000 took 66 seconds and 600 MB."""
    few, many = (tuple(f"device {number}" for number in range(count)) for count in (1024, 300_000))
    image = federation.image()
    with gateways.serving(config) as (_, service), remote(config, service.port) as fleet:
        rows = fleet.test(gateways.task_of(image, Server(image), b"", devices=(*few, "a")))
        assert len(rows) == 1025 and not rows[0].fault
        with pytest.raises(DataError, match="lacks 300,000 devices that the task names"):
            fleet.test(gateways.task_of(image, Server(image), b"", devices=many))


def impostor(listening: socket.socket) -> None:
    """Greet as a gateway without the key does."""
    line, _ = listening.accept()
    line.sendall(wire.MAGIC + bytes(32))
    line.recv(64)
    line.sendall(b"\1" * 32)
    line.recv(1)


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """A gateway for hostile clients."""
    folder = tmp_path_factory.mktemp("hostile")
    config = gateways.folder_of(folder, {"a": "twin"}, federation.image(), gateways.samples(["a"]))
    with gateways.serving(config) as (_, service):
        yield config, service.port


@given(data=st.binary(max_size=300), greets=st.booleans())
@settings(max_examples=at_most(60), deadline=None)
def test_any_bytes_leave_the_gateway_as_it_was(running, data: bytes, greets: bool) -> None:
    """Frames come before the greeting, and after it from a client that knows the key."""
    config, port = running
    with socket.create_connection(("127.0.0.1", port)) as line:
        if greets:
            wire.greet_as_client(line, read_keys(config.parent / "keys").gateway)
        with contextlib.suppress(OSError):  # it may have closed the connection by now
            line.sendall(data)
            line.shutdown(socket.SHUT_WR)
            while line.recv(4096):
                pass


@given(body=st.binary(max_size=300), kind=st.integers(0, 255))
@settings(max_examples=at_most(40), deadline=None)
def test_a_signed_frame_of_any_bytes_is_refused(running, body: bytes, kind: int) -> None:
    config, port = running
    with socket.create_connection(("127.0.0.1", port)) as line:
        channel = wire.greet_as_client(line, read_keys(config.parent / "keys").gateway)
        channel.send(kind, body)
        assert channel.receive(5)[0] == wire.REFUSED


def test_the_gateway_still_answers_after_them(running) -> None:
    config, port = running
    server = Server(federation.image())
    rows = remote(config, port).train(gateways.task_of(federation.image(), server, b""))
    assert [row.device for row in rows] == ["a"] and not rows[0].fault


@given(at=st.integers(0, 2**16), flip=st.integers(1, 255), again=st.booleans())
@settings(max_examples=at_most(100), deadline=None)
def test_a_frame_that_is_changed_or_repeated_is_refused(at: int, flip: int, again: bool) -> None:
    ours, theirs = socket.socketpair()
    watched, sink = socket.socketpair()
    with ours, theirs, watched, sink:
        sender, receiver = (
            wire.Channel(watched, b"k" * 32, b"up", b"down"),
            wire.Channel(theirs, b"k" * 32, b"down", b"up"),
        )
        sender.send(wire.TASK, b"body of a task")
        frame = bytearray(sink.recv(4096))
        if again:
            ours.sendall(frame)
            assert receiver.receive(1) == (wire.TASK, b"body of a task")
        else:
            frame[at % len(frame)] ^= flip
        ours.sendall(frame)
        ours.shutdown(socket.SHUT_WR)
        with pytest.raises(GradmoteError):
            receiver.receive(1)


def test_a_frame_that_announces_too_much_is_refused_at_once() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(struct.pack("<IB", 2**32 - 1, wire.TASK))
        with pytest.raises(wire.Refused, match="4294967295 bytes"):
            wire.Channel(theirs, b"k" * 32, b"down", b"up").receive(1)


# ---- What a device signed -------------------------------------------------------------------------------------------

KEYS = Keys(b"g" * 32, {"a": b"a" * 32, "b": b"b" * 32})


@pytest.fixture(scope="module")
def tasks():
    server = Server(federation.image())
    device = federation.Device(federation.image(), 0, 10)
    device.train()
    first, reply = gateways.task_of(federation.image(), server, b""), DeviceReply("a", device.delta(), 7, 0.5, 1.0)
    server.add("a", reply.delta, 7)
    return first, gateways.task_of(federation.image(), server, server.finish()), reply


@pytest.mark.parametrize("kind", [DeviceReply, DeviceTest])
@given(at=st.integers(0, 2**20), flip=st.integers(1, 255))
@settings(max_examples=at_most(300), deadline=None)
def test_a_reply_of_which_any_byte_is_changed_does_not_count(tasks, kind: type, at: int, flip: int) -> None:
    task, _, reply = tasks
    reply = reply if kind is DeviceReply else DeviceTest("a", 7, 0.5, 0.9)
    made = bytearray(signed(KEYS.devices["a"], task, reply))
    assert verified(kind, KEYS, task, bytes(made)).pack() == reply.pack()
    made[at % len(made)] ^= flip
    size = struct.pack("<I", len(made))
    rows = unpack_signed(kind, KEYS, task, ["a", "b"], size + bytes(made))
    assert [row.device for row in rows] == ["a", "b"] and all(row.fault for row in rows)


def test_the_tag_of_an_update_is_none_of_a_test(tasks) -> None:
    """The tag differs even for the same bytes: it says what it is for."""
    task, _, _ = tasks
    test = DeviceTest("a", 7, 0.5, 0.9)
    packed = test.pack()
    parts = (task.image_digest, struct.pack("<I", task.round), task.base_digest, packed)
    with pytest.raises(DataError, match="wrong tag"):
        verified(DeviceTest, KEYS, task, tag(KEYS.devices["a"], "update", *parts) + packed)
    assert verified(DeviceTest, KEYS, task, tag(KEYS.devices["a"], "test", *parts) + packed) == test


def test_a_reply_of_another_round_device_or_key_is_refused(tasks) -> None:
    task, later, reply = tasks
    made = signed(KEYS.devices["a"], task, reply)
    with pytest.raises(DataError, match="wrong tag"):
        verified(DeviceReply, KEYS, later, made)
    with pytest.raises(DataError, match="wrong tag"):
        verified(DeviceReply, KEYS, task, signed(KEYS.devices["b"], task, reply))
    with pytest.raises(DataError, match="no key"):
        verified(DeviceReply, KEYS, task, signed(KEYS.devices["a"], task, DeviceReply("c", reply.delta, 7, 0.5)))


def test_a_reply_twice_or_of_a_device_that_was_not_asked_counts_once_or_never(tasks) -> None:
    task, _, reply = tasks
    made = signed(KEYS.devices["a"], task, reply)
    part = struct.pack("<I", len(made)) + made
    assert [row.device for row in unpack_signed(DeviceReply, KEYS, task, ["a"], part + part)] == ["a"]
    assert [row.fault != "" for row in unpack_signed(DeviceReply, KEYS, task, ["b"], part)] == [True]
    with pytest.raises(DataError, match="too early"):
        unpack_signed(DeviceReply, KEYS, task, ["a"], part[:-1])


# ---- Files ----------------------------------------------------------------------------------------------------------


def test_a_key_file_that_others_may_read_is_refused(config: Path) -> None:
    path = config.parent / "keys"
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o640)
    with pytest.raises(DataError, match="chmod 600"):
        read_keys(path)


def test_a_wrong_line_of_a_key_file_is_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    path.write_text("gateway " + "5e" * 31 + "\n")
    path.chmod(0o600)
    with pytest.raises(DataError, match="line 1: this is not a key") as refused:
        read_keys(path)
    assert "5e5e" not in str(refused.value)


WRONG = [
    ('port = 0', 'port = "x"', "line 3: port = 'x' - write a number"),
    ('port = 0', "port = 70000", "line 3: 70000 is not a port"),
    ('port = 0', "prot = 1", "line 3: 'prot' is unknown - there are image, keys"),
    ('image = "model.mote"', "", "gateway.toml: image is missing"),
    ('image = "model.mote"', 'image = "gone"', "line 1: there is no .*gone"),
    ('url = "twin:strict"', "", r"line 10: \[devices.c\] url is missing"),
    ('data = "c.npz"', 'data = "no.npz"', r"line 12: \[devices.c\] there is no .*no.npz"),
    ("[devices.c]", "[devices.gateway]", r"line 10: \[devices.gateway\] 'gateway' is not a valid device name"),
    ("[devices.c]", "[devices.c", "not TOML"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "said"), WRONG)
def test_a_mistake_in_the_configuration_is_told_with_its_line(config: Path, old: str, new: str, said: str) -> None:
    config.write_text(config.read_text().replace(old, new))
    with pytest.raises(DataError, match=said):
        read_config(config)


def test_faults_are_rows_and_a_wrong_task_is_refused(config: Path, monkeypatch) -> None:
    monkeypatch.setattr(held_device, "PATIENCE", 0.0)
    text = config.read_text().replace('url = "twin:strict"', 'url = "socket://127.0.0.1:1"')
    config.write_text(text)
    image, server = federation.image(), Server(federation.image())
    with gateways.serving(config) as (_, service), remote(config, service.port) as fleet:
        rows = fleet.train(gateways.task_of(image, server, b"", devices=("a", "c", "z")))
        assert [bool(row.fault) for row in rows] == [False, True, True]
        assert re.search("nothing listens", rows[1].fault) and "no such device" in rows[2].fault
        for wrong in ({"image_digest": bytes(32)}, {"base_digest": bytes(32)}):
            task = gateways.task_of(image, server, b"")
            with pytest.raises(DataError, match="refuses: the task"):
                fleet.train(type(task)(**{**task.__dict__, **wrong}))
        late = fleet.train(gateways.task_of(image, server, b"", epochs=9999, deadline_s=0.1))
        assert all("too late" in row.fault or "listens" in row.fault for row in late)


def test_samples_that_do_not_fit_are_told_with_the_device(config: Path) -> None:
    np.savez(config.parent / "b.npz", x=np.zeros((9, 3), np.float32), y=np.zeros(9, np.int64))
    with pytest.raises(DataError, match=r"\[devices.b\] data"):
        Gateway(read_config(config), read_keys(config.parent / "keys"))


# ---- Devices that collect their samples -----------------------------------------------------------------------------


def test_a_device_without_data_counts_in_each_round_that_it_learned_in(tmp_path: Path, monkeypatch) -> None:
    """One that was brought to a new base has nothing to send until it is taught again: a fault, never a delta of 0."""
    monkeypatch.setattr(held_device, "PATIENCE", 0.1)
    image, (x, labels) = taught(StoreOptions(8)).image, samples(24)
    config = gateways.folder_of(tmp_path, {"a": "twin"}, image, {})
    server, down = Server(image, bits=8), b""
    with gateways.serving(config) as (gateway, service), remote(config, service.port) as fleet:
        for number in range(3):
            task = gateways.task_of(image, server, down, bits=8)
            assert "learned nothing" in fleet.train(task)[0].fault
            learned = teach(gateway.devices["a"].connect(), x[8 * number :][:8], labels[8 * number :][:8], task)
            (row,) = fleet.train(task)
            assert row.delta == learned and read_delta(learned, server.elements).norm > 0
            server.add("a", row.delta, row.examples)
            down = server.finish()


def teach(device: Target, x: np.ndarray, labels: np.ndarray, task: RoundTask) -> bytes:
    """Let a device keep samples and train on them, and return its delta for a task."""
    for sample, label in zip(x, labels, strict=True):
        device.learn(int(label), sample)
    device.replay()
    return device.round_delta(task.bits, task.seed_of("a"))
