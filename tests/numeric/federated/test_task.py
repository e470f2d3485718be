"""Tasks, replies and requests as bytes: what is packed comes back, and all else is refused as a DataError."""

from __future__ import annotations

import contextlib
import math
import struct
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradmote.errors import DataError
from gradmote.federated import DeviceReply, DeviceTest, RoundTask
from gradmote.federated.replies import pack_rows, unpack_rows
from gradmote.federated.summary import DeltaSummary, SumRequest
from support.sampling import at_most

names = st.text(st.characters(codec="utf-8", categories=["L", "N", "P"]), min_size=1, max_size=9)
several = st.none() | st.lists(names, max_size=4, unique=True).map(tuple)
u32 = st.integers(0, 2**32 - 1)
digests = st.binary(min_size=32, max_size=32)
tasks = st.builds(
    RoundTask, digests, u32, digests, st.binary(max_size=50), st.binary(max_size=50), st.sampled_from([2, 4, 8]),
    several, st.integers(1, 10_000), u32, several, st.floats(0, 1e9), st.booleans(),
)  # fmt: skip
good = st.builds(DeviceReply, names, st.binary(min_size=1, max_size=50), st.integers(0, 2**20), st.floats(-9, 9))
failed = st.builds(DeviceReply, names, fault=names, seconds=st.floats(0, 1e6))
numbers = st.floats(allow_infinity=False)
tested = st.builds(DeviceTest, names, st.integers(1, 2**20), numbers, st.floats(0, 1) | st.just(math.nan))
untested = st.builds(DeviceTest, names, fault=names)


def rows_of(row: st.SearchStrategy) -> st.SearchStrategy:
    """Return lists of rows, at most one of each device."""
    return st.lists(row, max_size=4, unique_by=lambda row: row.device)


summaries = st.builds(DeltaSummary, u32, digests, digests, st.floats(0, 1e30))
requests = st.builds(SumRequest, digests, st.dictionaries(names, st.integers(1, 2**46), min_size=1, max_size=4))
#: All that goes over networks: what is drawn, how it becomes bytes, and how it comes back.
FORMS = {
    "task": (tasks, RoundTask.pack, RoundTask.unpack),
    "replies": (rows_of(good | failed), partial(pack_rows, DeviceReply), partial(unpack_rows, DeviceReply)),
    "tests": (rows_of(tested | untested), partial(pack_rows, DeviceTest), partial(unpack_rows, DeviceTest)),
    "summary": (summaries, DeltaSummary.pack, DeltaSummary.unpack),
    "request": (requests, SumRequest.pack, SumRequest.unpack),
}
each_form = pytest.mark.parametrize("form", list(FORMS))


def a_task(**changes) -> RoundTask:
    return RoundTask(**{"image_digest": bytes(32), "round": 1, "base_digest": bytes(32), "checkpoint": b"c", **changes})


@each_form
@given(st.data())
def test_what_is_packed_comes_back(form, data):
    drawn, pack, unpack = FORMS[form]
    made = data.draw(drawn)
    assert pack(unpack(pack(made))) == pack(made)
    assert sorted(repr(unpack(pack(made)))) == sorted(repr(made))  # NaN is not NaN, and names are sorted


@each_form
@settings(deadline=None, max_examples=at_most(200))
@given(st.data())
def test_bytes_that_were_changed_are_refused_or_valid(form, data):
    """A changed byte may give another valid message, but no other exception, and no part of a message."""
    drawn, pack, unpack = FORMS[form]
    packed = pack(data.draw(drawn))
    at = data.draw(st.integers(0, len(packed) - 1))
    changed = packed[:at] + data.draw(st.binary(max_size=9)) + packed[at + data.draw(st.integers(0, 9)) :]
    with contextlib.suppress(DataError):
        assert sorted(pack(unpack(changed))) == sorted(changed)


@each_form
@settings(max_examples=at_most(50))
@given(st.data())
def test_every_truncation_is_refused(form, data):
    drawn, pack, unpack = FORMS[form]
    packed = pack(data.draw(drawn))
    for end in range(len(packed)):
        with pytest.raises(DataError):
            unpack(packed[:end])
    with pytest.raises(DataError, match="too many"):
        unpack(packed + b"\0")


@each_form
@given(st.binary(max_size=200))
def test_any_bytes_are_refused(form, data):
    for prefix in (b"", b"GMRT0002", b"GMRR0001", b"GMRE0001", b"GMDS0001", b"GMRS0001"):
        with contextlib.suppress(DataError):
            FORMS[form][2](prefix + data)


def test_one_kind_of_rows_is_no_other():
    for kind, other in ((DeviceReply, DeviceTest), (DeviceTest, DeviceReply)):
        with pytest.raises(DataError, match="something else"):
            unpack_rows(kind, pack_rows(other, [other("a", fault="f")]))


def test_a_number_of_rows_takes_no_memory_of_its_own():
    with pytest.raises(DataError, match="no room"):
        unpack_rows(DeviceReply, b"GMRR0001" + struct.pack("<I", 2**32 - 1))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"image_digest": b""}, "32 bytes"),
        ({"round": -1}, "round is -1"),
        ({"round": 2**32}, "round is 4294967296"),
        ({"seed": 2**32}, "seed is"),
        ({"epochs": 0}, "cannot have 0 epochs"),
        ({"bits": 3}, "3 bits"),
        ({"deadline_s": math.nan}, "deadline of nan"),
        ({"devices": ("a", "a")}, "comes twice"),
        ({"shared": ("",)}, "is not a valid name"),
        ({"devices": ("a\nb",)}, "is not a valid name"),
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
        ({"fault": "f", "bytes_down": 2**63}, "bytes_down is 9223372036854775808"),
    ],
)
def test_impossible_replies_are_refused(fields, message):
    with pytest.raises(DataError, match=message):
        DeviceReply("a", **fields)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "reports 0 examples"),
        ({"examples": 2**20 + 1}, "reports 1048577 examples"),
        ({"examples": 5, "loss": math.inf}, "a loss of inf"),
        ({"examples": 5, "accuracy": 1.5}, "an accuracy of 1.5"),
        ({"examples": 5, "accuracy": -0.1}, "an accuracy of -0.1"),
        ({"fault": "f" * 1025}, "more than 1024 bytes"),
    ],
)
def test_impossible_tests_are_refused(fields, message):
    with pytest.raises(DataError, match=message):
        DeviceTest("a", **fields)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"key": b""}, "is not 32 bytes"),
        ({"weights": {}}, "no device"),
        ({"weights": {"a": 0}}, "impossible weight"),
        ({"weights": {"a": 2**46 + 1}}, "impossible weight"),
        ({"weights": {"": 1}}, "is not a valid name"),
    ],
)
def test_impossible_requests_are_refused(changes, message):
    with pytest.raises(DataError, match=message):
        SumRequest(**{"key": bytes(32), "weights": {"a": 1}, **changes})


@pytest.mark.parametrize("norm", [-1.0, math.nan, math.inf])
def test_a_summary_with_an_impossible_norm_is_refused(norm):
    with pytest.raises(DataError, match="a norm of"):
        DeltaSummary(0, bytes(32), bytes(32), norm)


def test_one_device_has_one_row():
    with pytest.raises(DataError, match="comes twice"):
        unpack_rows(DeviceReply, pack_rows(DeviceReply, [DeviceReply("a", fault="f")] * 2))


def test_each_device_and_round_draws_of_its_own():
    seeds = {(a_task(round=r, seed=s).seed_of(d), a_task(round=r, seed=s).order_of(d))
             for r in (1, 2) for s in (0, 1) for d in ("a", "b")}  # fmt: skip
    assert len({seed for seed, _ in seeds}) == len({order for _, order in seeds}) == 8


def test_what_changes_an_answer_changes_the_key():
    changes = [{}, {"round": 2}, {"bits": 8}, {"epochs": 2}, {"seed": 1}, {"shared": ("a",)}, {"shared": ()},
               {"base_digest": b"1" * 32}, {"image_digest": b"1" * 32}]  # fmt: skip
    assert len({a_task(**c).key for c in changes}) == len(changes)
    assert a_task().key == a_task(devices=("a",), deadline_s=5.0, sums=True).key
