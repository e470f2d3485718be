"""A coordinator that is killed at any byte of its journal reaches the same bits as one that was not."""

from __future__ import annotations

import math
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numeric.federated.plain_loop import DOWN_NONE, one_round

from gradmote import Session
from gradmote.data.dataset import Dataset
from gradmote.errors import DataError
from gradmote.federated import DeviceReply, LocalFleet, Server, fedadam, fedavg
from gradmote.federated.coordinator import Coordinator
from gradmote.federated.journal import Journal
from gradmote.formats.delta import read_delta
from support import federation

NAMES = ("a", "b", "c")


def fleet() -> LocalFleet:
    def data_of(name: str) -> Dataset:
        return Dataset(*federation.samples_of(NAMES.index(name), len(NAMES)))

    return LocalFleet({n: Session(federation.image(), ("fused", "strict")[n == "b"]) for n in NAMES}, data_of)


def coordinator(folder: Path | None = None, **settings) -> Coordinator:
    return Coordinator(federation.image(), fedadam(), folder=folder, **settings)


def plain_base(rounds: int) -> bytes:
    server, devices, down = Server(federation.image(), fedadam()), fleet(), DOWN_NONE
    for _ in range(rounds):
        down = one_round(server, devices, down)
    return server.base


def test_it_comes_to_the_base_of_the_plain_loop():
    made, devices = coordinator(), fleet()
    for number in range(3):
        made.take(reversed(devices.train(made.task())))
        done = made.finish()
        assert (done.round, done.counted, math.isfinite(done.loss)) == (number, ["c", "b", "a"], True)
        assert done.base == made.base_digest.hex()
    assert made.server.base == plain_base(3)


def test_a_restart_in_each_state_of_a_round_changes_no_bit(tmp_path):
    """A new coordinator takes each reply, and ends each round; the devices live on."""
    devices = fleet()
    for _ in range(3):
        for name in NAMES:
            made = coordinator(tmp_path)
            assert made.now.counted == list(NAMES[: NAMES.index(name)])
            made.take(devices.train(made.task([name])))
        coordinator(tmp_path).finish()
    last = coordinator(tmp_path)
    assert last.server.base == plain_base(3)
    assert [len(record.counted) for record in last.history] == [3, 3, 3]
    assert (tmp_path / "base-0003.gmck").read_bytes() == last.server.checkpoint()


def test_a_journal_that_was_cut_anywhere_leads_to_the_same_base(tmp_path):
    """All cuts in headers and around the borders of records, and some within deltas; what is lost is sent again."""
    made, devices = coordinator(tmp_path), fleet()
    made.take(devices.train(made.task()))
    made.finish()
    task, path = made.task(), tmp_path / "journal"
    first, replies = path.stat().st_size, devices.train(task)
    made.take(replies)
    whole = path.read_bytes()
    borders = [first]
    for reply in replies:
        borders.append(borders[-1] + 8 + len(reply.pack()))
    assert borders[-1] == len(whole)
    near = {border + step for border in borders for step in (-9, -1, 0, 1, 4, 7, 8, 9, 40)}
    for cut in sorted(n for n in near | set(range(first, len(whole), 2003)) if first <= n <= len(whole)):
        path.write_bytes(whole[:cut])
        again = coordinator(tmp_path)
        assert again.now.counted == list(NAMES[: sum(border <= cut for border in borders) - 1])
        assert path.stat().st_size == max(border for border in borders if border <= cut)
        again.take(replies)
        again.take(replies)
        assert len(again.now.counted) == 3
        again.server.finish()
        assert again.server.base == plain_base(2)


@pytest.mark.parametrize("at", [0, 4, 8, 9])
def test_a_record_with_a_wrong_bit_ends_the_journal(tmp_path, at):
    journal = Journal(tmp_path / "journal")
    journal.begin(b"first")
    journal.append([b"second", b"third"])
    data = bytearray(journal.path.read_bytes())
    data[8 + 8 + len(b"first") + at] ^= 1
    journal.path.write_bytes(bytes(data))
    assert journal.read() == [b"first"]
    journal.append([b"again"])
    assert journal.read() == [b"first", b"again"]


def test_a_journal_without_its_beginning_is_refused(tmp_path):
    journal = Journal(tmp_path / "journal")
    assert journal.read() == []
    journal.path.write_bytes(b"something else")
    with pytest.raises(DataError, match="not a journal"):
        journal.read()
    journal.path.write_bytes(b"GMJL0001" + struct.pack("<II", 9, 0))
    with pytest.raises(DataError, match="first record"):
        journal.read()


@pytest.mark.parametrize(
    ("settings", "what"), [({"bits": 4}, "bits"), ({"clip": False}, "clip"), ({"refuse_above": 3.0}, "refuse_above")]
)
def test_a_journal_of_other_settings_is_refused(tmp_path, settings, what):
    coordinator(tmp_path)
    with pytest.raises(DataError, match=f"another {what}"):
        coordinator(tmp_path, **settings)
    with pytest.raises(DataError, match="another optimizer"):
        Coordinator(federation.image(), folder=tmp_path)


def test_a_delta_that_is_left_out_has_a_fault_in_the_record(tmp_path):
    made, devices = coordinator(tmp_path, refuse_above=1.0), fleet()
    replies = devices.train(made.task())
    norms = {reply.device: read_delta(reply.delta, made.server.elements).norm for reply in replies}
    made.take(replies)
    done, longest = made.finish(), max(norms, key=norms.__getitem__)
    assert done.counted == [reply.device for reply in replies if reply.device != longest]
    assert "more than 1 times as long as the median" in done.rows[longest]["fault"]
    kept = [reply for reply in replies if reply.device != longest]
    weights = [reply.examples for reply in kept]
    assert done.loss == pytest.approx(np.average([reply.loss for reply in kept], weights=weights))
    again = coordinator(tmp_path, refuse_above=1.0)
    assert again.history[0].rows == done.rows


@pytest.mark.parametrize("other", [fedavg(momentum=0.9), fedavg(0.5, 0.5), fedadam()])
def test_a_journal_of_another_rule_of_the_server_is_refused(tmp_path, other):
    Coordinator(federation.image(), fedavg(momentum=0.5), folder=tmp_path)
    with pytest.raises(DataError, match="another optimizer"):
        Coordinator(federation.image(), other, folder=tmp_path)
    Coordinator(federation.image(), fedavg(momentum=0.5), folder=tmp_path)


def test_what_is_refused_is_a_fault_and_does_not_count():
    made, devices = coordinator(), fleet()
    good = devices.train(made.task())[0]
    first, other = good.delta[:-1], devices.train(made.task(bits=8))[0]
    damaged, fine, second = made.take([replace(good, delta=first), good, other])
    assert ("TRUNCATED" in damaged.fault, fine.fault, "two deltas" in second.fault) == (True, "", True)
    assert made.now.counted == ["a"]
    assert made.now.rows["a"]["fault"] == ""


def test_a_round_without_a_delta_does_not_end():
    made = coordinator()
    made.take([DeviceReply("a", fault="broken")])
    with pytest.raises(DataError, match="no device has sent a delta"):
        made.finish()
    assert made.now.rows["a"]["fault"] == "broken"


def test_a_late_reply_counts_after_a_restart_too(tmp_path):
    """The late device replies to the task of round 0 in round 1; then its newer reply replaces that."""
    first = coordinator(tmp_path, late=1)
    slow = fleet().train(first.task(("a",)))
    first.take(fleet().train(first.task(("b",))))
    first.finish()
    assert [row.fault for row in first.take(slow)] == [""]
    assert first.now.rows["a"]["late"] == 1
    again = coordinator(tmp_path, late=1)
    assert again.now.rows == first.now.rows
    for made in (first, again):
        made.take(fleet().train(made.task(("a",))))
        assert made.now.rows["a"]["late"] == 0
        made.take(slow)
        assert made.now.rows["a"]["fault"] == "" and made.now.rows["a"]["late"] == 0
    third = coordinator(tmp_path, late=1)
    assert len({made.finish().base for made in (first, third)}) == 1
