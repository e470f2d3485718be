"""Tasks and replies as bytes: what is packed comes back, and whatever else arrives is refused as a DataError."""

from __future__ import annotations

import contextlib
import math
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradmote.errors import DataError
from gradmote.federated import DeviceReply, RoundTask
from gradmote.federated.task import pack_replies, unpack_replies

names = st.text(st.characters(codec="utf-8", categories=["L", "N", "P"]), min_size=1, max_size=9)
several = st.none() | st.lists(names, max_size=4, unique=True).map(tuple)
u32 = st.integers(0, 2**32 - 1)
digests = st.binary(min_size=32, max_size=32)
tasks = st.builds(
    RoundTask, digests, u32, digests, st.binary(max_size=50), st.binary(max_size=50), st.sampled_from([2, 4, 8]),
    several, st.integers(1, 10_000), u32, several, st.floats(0, 1e9),
)  # fmt: skip
good = st.builds(DeviceReply, names, st.binary(min_size=1, max_size=50), st.integers(0, 2**20), st.floats(-9, 9))
failed = st.builds(DeviceReply, names, fault=names, seconds=st.floats(0, 1e6))
replies = st.lists(good | failed, max_size=4, unique_by=lambda reply: reply.device)


def a_task(**changes) -> RoundTask:
    return RoundTask(**{"image_digest": bytes(32), "round": 1, "base_digest": bytes(32), "checkpoint": b"c", **changes})


@given(tasks)
def test_a_task_comes_back(task):
    assert RoundTask.unpack(task.pack()) == task


@given(replies)
def test_replies_come_back(rows):
    assert list(map(repr, unpack_replies(pack_replies(rows)))) == list(map(repr, rows))  # NaN is not NaN


@settings(deadline=None, max_examples=200)
@given(tasks, replies, st.data())
def test_bytes_that_were_changed_are_refused_or_valid(task, rows, data):
    """A changed byte may be another valid task, but never another exception, and never half a one."""
    for packed, unpack, pack in (
        (task.pack(), RoundTask.unpack, RoundTask.pack),
        (pack_replies(rows), unpack_replies, pack_replies),
    ):
        at = data.draw(st.integers(0, len(packed) - 1))
        changed = packed[:at] + data.draw(st.binary(max_size=9)) + packed[at + data.draw(st.integers(0, 9)) :]
        with contextlib.suppress(DataError):
            assert pack(unpack(changed)) == changed


@settings(max_examples=50)
@given(tasks, replies)
def test_every_truncation_is_refused(task, rows):
    for packed, unpack in ((task.pack(), RoundTask.unpack), (pack_replies(rows), unpack_replies)):
        for end in range(len(packed)):
            with pytest.raises(DataError):
                unpack(packed[:end])
        with pytest.raises(DataError, match="too many"):
            unpack(packed + b"\0")


@given(st.binary(max_size=200))
def test_any_bytes_are_refused(data):
    for prefix in (b"", b"GMRT0001", b"GMRR0001"):
        for unpack in (RoundTask.unpack, unpack_replies, DeviceReply.unpack):
            with contextlib.suppress(DataError):
                unpack(prefix + data)


def test_a_number_of_rows_takes_no_memory_of_its_own():
    with pytest.raises(DataError, match="no room"):
        unpack_replies(b"GMRR0001" + struct.pack("<I", 2**32 - 1))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"image_digest": b""}, "32 bytes"),
        ({"round": -1}, "round is -1"),
        ({"round": 2**32}, "round is 4294967296"),
        ({"seed": 2**32}, "seed is"),
        ({"epochs": 0}, "no 0 epochs"),
        ({"bits": 3}, "3 bits"),
        ({"deadline_s": math.nan}, "deadline of nan"),
        ({"devices": ("a", "a")}, "comes twice"),
        ({"shared": ("",)}, "is no name"),
        ({"devices": ("a\nb",)}, "is no name"),
    ],
)
def test_impossible_tasks_are_refused(changes, message):
    with pytest.raises(DataError, match=message):
        a_task(**changes)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "both a delta and a fault, or neither"),
        ({"delta": b"d", "fault": "f", "loss": 1.0}, "both a delta and a fault"),
        ({"delta": b"d"}, "a loss of nan"),
        ({"delta": b"d", "loss": 1.0, "examples": 2**20 + 1}, "examples is 1048577"),
        ({"fault": "f", "seconds": -1.0}, "took -1.0 seconds"),
        ({"fault": "f" * 1025}, "more than 1024 bytes"),
        ({"fault": "f", "bytes_up": -1}, "bytes_up is -1"),
    ],
)
def test_impossible_replies_are_refused(fields, message):
    with pytest.raises(DataError, match=message):
        DeviceReply("a", **fields)


def test_one_device_has_one_row():
    with pytest.raises(DataError, match="comes twice"):
        unpack_replies(pack_replies([DeviceReply("a", fault="f")] * 2))


def test_each_device_and_round_draws_of_its_own():
    seeds = {(a_task(round=r, seed=s).seed_of(d), a_task(round=r, seed=s).order_of(d))
             for r in (1, 2) for s in (0, 1) for d in ("a", "b")}  # fmt: skip
    assert len({seed for seed, _ in seeds}) == len({order for _, order in seeds}) == 8


def test_what_changes_an_answer_changes_the_key():
    changes = [{}, {"round": 2}, {"bits": 8}, {"epochs": 2}, {"seed": 1}, {"shared": ("a",)}, {"shared": ()},
               {"base_digest": b"1" * 32}, {"image_digest": b"1" * 32}]  # fmt: skip
    assert len({a_task(**c).key for c in changes}) == len(changes)
    assert a_task().key == a_task(devices=("a",), deadline_s=5.0).key
