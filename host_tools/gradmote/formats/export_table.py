"""Export tables: a model's .onnx file, and the places of its trained numbers (docs/SPEC.md, "Export table")."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from ..errors import ImageError
from ..generated.records import EXPORT_KIND, EXPORT_MAGIC, EXPORT_VERSION
from . import records
from .image.signature import signature_of, without_signature

_CRC_START = 16
_KINDS = {number: kind for kind, number in EXPORT_KIND.items()}
#: What is added to an integer is in -_MOST_ADDED .. _MOST_ADDED.
_MOST_ADDED = 255


@dataclass(frozen=True)
class Range:
    """Consecutive bytes of the file, which take elements of the state row by row.

    at: the first byte in the file. source: the first byte in the state. kind: a key of EXPORT_KIND. add: what is
    added to an element of 1 byte. step, row_step: bytes of the state from an element, and from a row, to the next.
    """

    at: int
    source: int
    kind: str
    add: int
    columns: int
    rows: int
    step: int
    row_step: int

    @property
    def width(self) -> int:
        """The bytes of an element in the file."""
        return 4 if self.kind == "word" else 1

    def addresses(self) -> np.ndarray:
        """Return the address in the state of each element, in the order of the file."""
        rows, columns = np.arange(self.rows)[:, None], np.arange(self.columns)
        return (self.source + rows * self.row_step + columns * self.step).ravel()


def pack(ranges: Sequence[Range], model: bytes, model_id: bytes) -> bytes:
    """Return the bytes of a table. model: the .onnx file that the ranges are of."""
    header = {
        "magic": EXPORT_MAGIC,
        "version": EXPORT_VERSION,
        "size": records.size_of("export_header") + len(ranges) * records.size_of("export_range") + len(model),
        "model_id": struct.unpack("<4I", model_id),
        "ranges": len(ranges),
        "model_size": len(model),
    }
    rows = b"".join(records.pack("export_range", {**asdict(r), "kind": EXPORT_KIND[r.kind]}) for r in ranges)
    crc = zlib.crc32(records.pack("export_header", header)[_CRC_START:] + rows + model)
    return records.pack("export_header", {**header, "crc": crc}) + rows + model


def unpack(table: bytes, image: bytes) -> tuple[list[Range], bytes]:
    """Return the ranges of a table, and the .onnx file that they are of.

    Raises ImageError if a device with this image would refuse the table.
    """
    start = records.size_of("export_header")
    if len(table) < start or records.unpack("export_header", table)["magic"] != EXPORT_MAGIC:
        raise ImageError("this is not an export table", "gradmote compile --export-table writes one (.gmex)")
    header, model = records.unpack("export_header", table), records.unpack("header", image)
    if header["version"] != EXPORT_VERSION:
        raise _wrong(f"has version {header['version']} of the format, not {EXPORT_VERSION}")
    size = records.size_of("export_range")
    if header["size"] != len(table) or start + header["ranges"] * size + header["model_size"] != len(table):
        raise _wrong("is not as long as its header says")
    if header["crc"] != zlib.crc32(table[_CRC_START:]):
        raise _wrong("is damaged: its checksum differs")
    if list(header["model_id"]) != list(model["model_id"]):
        raise _wrong("is of another model than the image")
    rows = [records.unpack("export_range", table, start + size * k) for k in range(header["ranges"])]
    end = 0
    for row in rows:
        end = _end_of(row, end, header["model_size"], model["state_size"])
    return [Range(**{**row, "kind": _KINDS[row["kind"]]}) for row in rows], table[len(table) - header["model_size"] :]


def _wrong(what: str) -> ImageError:
    return ImageError(f"the export table {what}", "write both files again: gradmote compile --export-table")


def _end_of(row: dict[str, int], before: int, model_size: int, state_size: int) -> int:
    """Return the end of a range in the file, after it was checked. before: the end of the range before it."""
    width = 4 if row["kind"] == EXPORT_KIND["word"] else 1
    across, down = (row["columns"] - 1) * row["step"], (row["rows"] - 1) * row["row_step"]
    corners = [row["source"] + x + y for x in (0, across) for y in (0, down)]
    end = row["at"] + width * row["columns"] * row["rows"]
    adds = 0 if width == 4 else _MOST_ADDED
    is_known = row["kind"] in _KINDS and abs(row["add"]) <= adds
    if not is_known or not before <= row["at"] < end <= model_size:
        raise _wrong(f"has a range that is not in its file, at byte {row['at']}")
    if min(corners) < 0 or max(corners) + width > state_size:
        raise _wrong(f"has a range that is not in the image's state, at byte {row['source']}")
    return end


def with_export_table(image: bytes, table: bytes) -> bytes:
    """Return what a board's flash takes: an image, its signature if it has one, and its export table.

    Raises ImageError if a device with this image would refuse the table.
    """
    unpack(table, image)
    found = signature_of(image)
    return without_signature(image) + (found.pack() if found else b"") + table


def export_table_of(data: bytes) -> bytes:
    """Return the export table after an image and its signature; b"" if there is none."""
    found = signature_of(data)
    rest = data[len(without_signature(data)) + (len(found.pack()) if found else 0) :]
    is_table = len(rest) >= records.size_of("export_header") and rest[:4] == struct.pack("<I", EXPORT_MAGIC)
    return rest if is_table else b""


def put(ranges: Sequence[Range], model: bytes, state: bytes) -> bytes:
    """Return the model with the numbers of a state. It is what gm_export() of the runtime writes."""
    file, now = np.frombuffer(bytearray(model), np.uint8), np.frombuffer(state, np.uint8)
    for each in ranges:
        found = now[each.addresses()[:, None] + np.arange(each.width)]
        if each.width == 1:
            found = (found.view(np.int8).astype(np.int16) + each.add).astype(np.uint8)
        file[each.at : each.at + found.size] = found.ravel()
    return file.tobytes()


def ranges_of(at: int, kind: str, addresses: np.ndarray, add: np.ndarray | None = None) -> Iterator[Range]:
    """Yield the ranges of one weight, as few as possible.

    addresses: of each of its elements in the state; below 0 for one that does not train. add: of each element.
    """
    width, added = 4 if kind == "word" else 1, np.zeros(len(addresses), int) if add is None else add
    for begin, end in _alike(np.stack([addresses < 0, added])):
        if addresses[begin] >= 0:
            for first, columns, rows in _rectangles(addresses[begin:end]):
                part = addresses[begin + first : begin + first + columns * rows].reshape(rows, columns)
                step = int(part[0, 1] - part[0, 0]) if columns > 1 else 0
                row_step = int(part[1, 0] - part[0, 0]) if rows > 1 else 0
                place, add_each = at + width * (begin + first), int(added[begin])
                yield Range(place, int(part[0, 0]), kind, add_each, columns, rows, step, row_step)


def _alike(facts: np.ndarray) -> Iterator[tuple[int, int]]:
    """Yield the bounds of the longest parts in which no column differs from its neighbour."""
    cuts = np.flatnonzero((facts[:, 1:] != facts[:, :-1]).any(axis=0)) + 1
    yield from zip([0, *cuts.tolist()], [*cuts.tolist(), facts.shape[1]])


def _rectangles(addresses: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """Yield (first element, columns, rows): rows of equal steps, which are themselves at equal distances."""
    rows = list(_rows(addresses))
    at = 0
    while at < len(rows):
        begin, columns, step = rows[at]
        end, distance = at + 1, None
        while end < len(rows) and rows[end][1:] == (columns, step):
            gap = addresses[rows[end][0]] - addresses[rows[end - 1][0]]
            if distance not in (None, gap):
                break
            distance, end = gap, end + 1
        yield begin, columns, end - at
        at = end


def _rows(addresses: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """Yield (first element, elements, step) of parts with one step."""
    steps = np.diff(addresses)
    changes, begin = np.append(np.flatnonzero(steps[1:] != steps[:-1]) + 1, len(steps)), 0
    while begin < len(addresses):
        if begin == len(addresses) - 1:
            yield begin, 1, 0
            return
        end = int(changes[np.searchsorted(changes, begin, "right")]) + 1
        yield begin, end - begin, int(steps[begin])
        begin = end
