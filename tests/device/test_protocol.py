"""Frames among text, garbage, and corrupt bytes."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradmote.device.protocol import Frame, Parser, encode, error_of, reply_values, request_payload
from gradmote.errors import DeviceError, RuntimeFault
from gradmote.generated.console import FAULTS, MESSAGES, PAYLOAD_LIMIT, START

frames = st.builds(Frame, st.integers(0, 255), st.integers(0, 255), st.binary(max_size=80))
texts = st.binary(min_size=1, max_size=20).filter(lambda data: START not in data)


def parse(pieces: list[bytes]) -> tuple[list[Frame], bytes]:
    """Frames and text from a line that then falls silent."""
    parser = Parser()
    items = [item for piece in pieces for item in parser.feed(piece)]
    while parser.pending:
        items += parser.expire()
    found = [item for item in items if isinstance(item, Frame)]
    return found, b"".join(item for item in items if isinstance(item, bytes))


def split(data: bytes, cuts: list[int]) -> list[bytes]:
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [data[a:b] for a, b in pairwise(edges)]


@given(st.lists(st.one_of(frames, texts)), st.lists(st.integers(0, 10_000), max_size=8))
def test_frames_and_text_come_back_however_they_are_cut(items: list[Frame | bytes], cuts: list[int]) -> None:
    line = b"".join(encode(item) if isinstance(item, Frame) else item for item in items)
    found, text = parse(split(line, cuts))
    assert found == [item for item in items if isinstance(item, Frame)]
    assert text == b"".join(item for item in items if isinstance(item, bytes))


@given(frames, st.integers(0, 10_000), frames)
def test_a_flipped_bit_costs_one_frame_at_most(damaged: Frame, bit: int, after: Frame) -> None:
    line = bytearray(encode(damaged))
    bit %= 8 * len(line)
    line[bit // 8] ^= 1 << bit % 8
    found, _ = parse([bytes(line), encode(after)])
    assert found[-1] == after
    assert damaged not in found[:-1]


@given(frames, st.integers(0, 10_000), frames)
def test_a_truncated_frame_hides_nothing_behind_it(damaged: Frame, length: int, after: Frame) -> None:
    line = encode(damaged)
    found, _ = parse([line[: length % len(line)], encode(after)])
    assert found == [after]


@given(st.binary(max_size=200), frames)
def test_garbage_before_a_frame_does_not_hide_it(garbage: bytes, frame: Frame) -> None:
    found, _ = parse([garbage, encode(frame)])
    assert frame in found


@given(st.binary(max_size=400))
def test_nothing_of_the_line_is_lost(data: bytes) -> None:
    found, text = parse([data])
    assert len(text) + sum(len(encode(frame)) for frame in found) == len(data)


def test_a_payload_beyond_the_limit_is_refused() -> None:
    with pytest.raises(ValueError, match="1025"):
        encode(Frame(1, 1, bytes(PAYLOAD_LIMIT + 1)))


def test_requests_are_packed_without_padding() -> None:
    values = {"role": 1, "index": 2, "element": 3, "scale": 1.0, "zero": 0.0, "data": b"ab"}
    payload = request_payload("DATA_U8", values)
    assert payload.hex() == "010200030000000000803f000000006162"


def test_a_missing_field_of_a_request_is_named() -> None:
    with pytest.raises(ValueError, match="rate"):
        request_payload("LEARNING_RATE", {})


@pytest.mark.parametrize("name", MESSAGES)
def test_a_reply_of_another_length_is_a_version_mismatch(name: str) -> None:
    if not MESSAGES[name]["reply"]:
        with pytest.raises(DeviceError, match="version"):
            reply_values(name, b"\0")
    elif MESSAGES[name]["reply"][0][1] not in ("bytes", "text"):
        with pytest.raises(DeviceError, match="version"):
            reply_values(name, b"")


def test_codes_become_exceptions() -> None:
    fault = error_of(-15, "RUN")
    assert isinstance(fault, RuntimeFault) and fault.code == -15 and "label" in str(fault)
    for code, (name, _, hint) in FAULTS.items():
        error = error_of(code, "RUN")
        assert isinstance(error, DeviceError) and name in str(error) and error.hint == hint
