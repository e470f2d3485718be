"""Firmware with two segments at the same addresses was written one after the other into a flat binary, so that the
second one was at another address than the file says; one that ends past the last address was taken too."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from gradmote.device.flash.elf import read_segments
from gradmote.errors import DeviceError

HEADER, PROGRAM_HEADER, SIZE = 52, 32, 16


def write_two(path: Path, first: int, second: int) -> Path:
    """An ELF file with two segments of SIZE bytes at these addresses."""
    start = HEADER + 2 * PROGRAM_HEADER
    header = struct.pack("<16s2H5I6H", b"\x7fELF\x01\x01\x01", 2, 40, 1, first, HEADER, 0, 0, HEADER, 32, 2, 40, 0, 0)
    for offset, address in ((start, first), (start + SIZE, second)):
        header += struct.pack("<8I", 1, offset, address, address, SIZE, SIZE, 5, 4)
    path.write_bytes(header + bytes(range(2 * SIZE)))
    return path


@pytest.mark.parametrize("second", [0x0800_0000, 0x0800_0001, 0x0800_000F, 0x07FF_FFFF, 0xFFFF_FFF1])
def test_are_refused(tmp_path: Path, second: int) -> None:
    with pytest.raises(DeviceError, match="share addresses|past the last address"):
        read_segments(write_two(tmp_path / "x.elf", 0x0800_0000, second))


@pytest.mark.parametrize("second", [0x0800_0010, 0x07FF_FFF0, 0xFFFF_FFF0])
def test_neighbours_are_taken_in_the_order_of_their_addresses(tmp_path: Path, second: int) -> None:
    found = read_segments(write_two(tmp_path / "x.elf", 0x0800_0000, second))
    assert [segment.address for segment in found] == sorted([0x0800_0000, second])
