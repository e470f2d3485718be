"""Export tables: a model's .onnx file, and the places of its trained numbers (docs/SPEC.md, "Export table")."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from ..generated.records import EXPORT_KIND, EXPORT_MAGIC, EXPORT_VERSION
from . import records

_CRC_START = 16


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
