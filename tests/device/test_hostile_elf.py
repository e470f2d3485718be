"""Files in the place of firmware: whatever their bytes say, they are read, or refused in one line."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradmote.device.flash.elf import Segment, read_segments
from gradmote.errors import DeviceError
from support.sampling import at_most
from support.small_elf import write_elf

DATA = bytes(range(200))
ADDRESS = 0x0800_0000
HEADER = 52
PROGRAM_HEADER = 32


@pytest.fixture(scope="module")
def firmware(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return write_elf(tmp_path_factory.mktemp("elf") / "x.elf", DATA, ADDRESS).read_bytes()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile") / "x.elf"


def read(place: Path, content: bytes) -> list[Segment] | None:
    """Return the segments, all of them within the file; None if it is refused."""
    place.write_bytes(content)
    try:
        found = read_segments(place)
    except DeviceError as error:
        assert "\n" not in str(error) and str(place) in str(error) and error.hint
        return None
    assert all(segment.data in content and segment.address < 2**32 for segment in found)
    return found


def test_what_is_whole_is_read(place: Path, firmware: bytes) -> None:
    assert read(place, firmware) == [Segment(ADDRESS, DATA)]


def test_a_file_that_ends_anywhere_is_refused(place: Path, firmware: bytes) -> None:
    assert [size for size in range(len(firmware)) if read(place, firmware[:size]) is not None] == []


@settings(max_examples=at_most(300), deadline=None)
@given(st.binary(max_size=300), st.booleans())
def test_any_bytes(place: Path, tail: bytes, is_elf: bool) -> None:
    read(place, b"\x7fELF\x01\x01\x01" + tail if is_elf else tail)


@settings(max_examples=at_most(500), deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, HEADER + PROGRAM_HEADER - 1), st.one_of(st.integers(0, 255), st.sampled_from([0, 255, 127]))
        ),
        min_size=1,
        max_size=8,
    )
)
def test_any_change_of_its_headers(place: Path, firmware: bytes, changes: list[tuple[int, int]]) -> None:
    content = bytearray(firmware)
    for at, byte in changes:
        content[at] = byte
    read(place, bytes(content))


@pytest.mark.parametrize("kind", range(8))
@pytest.mark.parametrize("size", [0, 8, 31, 32, 0xFFFF])
def test_more_segments_than_the_file_has_room_for(place: Path, firmware: bytes, kind: int, size: int) -> None:
    """Check each kind of segment; some point at sections, and 65,535 stands for a number that a section gives."""
    content = bytearray(firmware)
    struct.pack_into("<HH", content, 42, size, 0xFFFF)
    struct.pack_into("<I", content, HEADER, kind)
    assert read(place, bytes(content)) is None


def test_segments_that_share_the_file_are_refused(place: Path, firmware: bytes) -> None:
    """Thousands of them would be more than this computer's memory."""
    content, count = bytearray(firmware[:HEADER]), 3
    struct.pack_into("<HH", content, 42, PROGRAM_HEADER, count)
    size = HEADER + count * PROGRAM_HEADER
    content += struct.pack("<8I", 1, 0, ADDRESS, ADDRESS, size, size, 5, 4) * count
    assert len(content) == size and read(place, bytes(content)) is None


def test_one_of_the_other_kind_is_no_firmware(place: Path, firmware: bytes) -> None:
    for at, value in ((4, 2), (5, 2)):  # of 64 bits, big-endian
        content = bytearray(firmware)
        content[at] = value
        assert read(place, bytes(content)) is None
