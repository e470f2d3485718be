"""A verifier of images, from docs/SPEC.md's "What is verified" alone: the name of the first error, or OK."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from itertools import pairwise
from math import prod

from .read_image import NONE, SECTIONS, Image, Record
from .read_tables import constants, enums, size_of
from .regions import LIMIT, lies_in, overlap, store_size
from .verify_program import MAX_WORK, check_programs

OK = "OK"
HEADER = size_of("header")
CONTROL = size_of("control")
PROPERTY = size_of("property")

#: The bytes of an element of each dtype.
ELEMENT_SIZES = {"F32": 4, "I32": 4, "I8": 1, "U8": 1, "I16": 2, "BF16": 2}
_RECORDS = {"TENSORS": "tensor", "PROGRAMS": "program", "STATE": "state_entry", "STORE": "store"}


def error_of(data: bytes, arena_size: int = LIMIT) -> str:
    """Return the name of the error that an image of these bytes is refused with, or OK.

    data: bytes that start at a multiple of 16; arena_size: bytes of an arena that does too.
    """
    found = _container(data)
    if found != OK:
        return found
    image = Image(data[: Image(data).header.size])
    checks: tuple[Callable[[Image], str], ...] = (
        _sections, _regions, _state_records, _tensors, _store, _state_table, check_programs,
    )  # fmt: skip
    for check in checks:
        found = check(image)
        if found != OK:
            return found
    return OK if image.header.arena_size <= arena_size else "ARENA_TOO_SMALL"


def _container(data: bytes) -> str:
    """V1."""
    if len(data) < HEADER:
        return "TRUNCATED"
    header = Image(data).header
    if header.magic != constants()["IMAGE_MAGIC"]:
        return "BAD_MAGIC"
    if header.version != constants()["FORMAT_VERSION"]:
        return "BAD_VERSION"
    if not HEADER <= header.size <= len(data):
        return "TRUNCATED"
    if header.size > LIMIT:
        return "BAD_SECTION"
    return OK if zlib.crc32(data[16 : header.size]) == header.crc else "BAD_CRC"


def _sections(image: Image) -> str:
    """V2, V3."""
    header = image.header
    for name, section in zip(SECTIONS, header.sections, strict=True):
        whole = section.size % (size_of(_RECORDS[name]) if name in _RECORDS else 4) == 0
        inside = section.offset >= HEADER and section.offset + section.size <= header.size
        if section.offset % 16 or not whole or not inside:
            return "BAD_SECTION"
    names = image.section("NAMES")
    return OK if names[-1:] in (b"", b"\0") and _is_name(image, header.scheme) else "BAD_SECTION"


def _is_name(image: Image, name: int) -> bool:
    return name == NONE or name < len(image.section("NAMES"))


def _regions(image: Image) -> str:
    """V4, V5."""
    h = image.header
    ends = (h.parameters_size, h.state_size, h.gradients_offset, h.gradients_offset + h.gradients_size,
            h.scratch_offset, h.arena_size, LIMIT)  # fmt: skip
    ascending = all(a <= b for a, b in pairwise(ends))
    words = all(end % 4 == 0 for end in ends[:5])
    initial = h.parameters_size <= len(image.section("INITIAL")) <= h.state_size
    return OK if ascending and words and initial else "BAD_REGION"


def _state_records(image: Image) -> str:
    """V6."""
    h = image.header
    size = PROPERTY * h.properties_count
    inside = all(
        lies_in(offset, length, h.parameters_size, h.state_size)
        for offset, length in ((h.control_offset, CONTROL), (h.properties_offset, size))
    )
    apart = not overlap(h.control_offset, CONTROL, h.properties_offset, size)
    return OK if inside and apart else "BAD_REGION"


def _is_shape(record: Record) -> bool:
    """V7."""
    rest = record.dims[record.rank :]
    whole = ELEMENT_SIZES[record.dtype_name] * prod(record.dims) == record.size > 0
    return record.rank <= 6 and all(dim == 1 for dim in rest) and whole


def _tensors(image: Image) -> str:
    """V8 to V10."""
    return OK if all(_is_tensor(image, tensor) for tensor in image.tensors) else "BAD_TENSOR"


def _is_tensor(image: Image, tensor: Record) -> bool:
    known = (
        tensor.role_name is not None
        and tensor.dtype_name not in (None, "BF16")
        and tensor.programs < 1 << 2 * len(enums()["program"])
        and (tensor.programs >> len(enums()["program"]) & ~tensor.programs) == 0
    )
    if not (known and _is_name(image, tensor.name) and _is_shape(tensor) and _is_in_place(image, tensor)):
        return False
    return tensor.role_name != "LOSS" or (tensor.dtype_name == "F32" and tensor.size == 4)


def _is_in_place(image: Image, tensor: Record) -> bool:
    h = image.header
    inputs = h.gradients_offset + h.gradients_size
    given = tensor.role_name in ("INPUT", "LABEL")
    return lies_in(tensor.offset, tensor.size, h.scratch_offset, h.arena_size) or (
        given and lies_in(tensor.offset, tensor.size, inputs, h.scratch_offset)
    )


def _store(image: Image) -> str:
    """V23, V24."""
    store, h = image.store, image.header
    if store is None:
        return OK
    if store.dtype_name is None:
        return "BAD_STORE"
    size = store_size(store)
    counts = len(image.section("STORE")) == size_of("store") and store.capacity and store.elements
    place = lies_in(store.offset, size, h.parameters_size, h.state_size)
    apart = not overlap(store.offset, size, h.control_offset, CONTROL)
    apart = apart and not overlap(store.offset, size, h.properties_offset, PROPERTY * h.properties_count)
    labels = _labels_of_store(image, store)
    if not (counts and 1 <= store.classes < 1 << 31 and place and apart and labels and _is_aside(image, store)):
        return "BAD_STORE"
    return OK if (store.capacity + store.classes + store.elements) * labels <= MAX_WORK else "TOO_MUCH_WORK"


def _in_programs(image: Image, role: str) -> list[Record]:
    return [tensor for tensor in image.tensors if tensor.role_name == role and tensor.programs != 0]


def _labels_of_store(image: Image, store: Record) -> int:
    """Return how many labels a batch has; 0 if a store cannot fill these tensors."""
    inputs, labels = _in_programs(image, "INPUT"), _in_programs(image, "LABEL")
    if len(inputs) != 1 or len(labels) != 1 or labels[0].dtype_name != "I32":
        return 0
    allowed = ("I8", "U8") if store.dtype_name == "BYTES" else ("F32",)
    if inputs[0].dtype_name not in allowed:
        return 0
    batch = labels[0].size // 4
    return batch if batch * store.elements * ELEMENT_SIZES[inputs[0].dtype_name] == inputs[0].size else 0


def _is_aside(image: Image, store: Record) -> bool:
    if store.aside == NONE:
        return True
    h, (given,) = image.header, _in_programs(image, "INPUT")
    size = ELEMENT_SIZES[given.dtype_name] * store.elements
    inside = lies_in(store.aside, size, h.gradients_offset + h.gradients_size, h.scratch_offset)
    return inside and not overlap(store.aside, size, given.offset, given.size)


def _state_table(image: Image) -> str:
    """V11 to V13, entry by entry."""
    end = 0
    for entry in image.state:
        is_parameter = end < image.header.parameters_size
        known = entry.role_name is not None and entry.dtype_name is not None and _is_name(image, entry.name)
        if not known or not _is_shape(entry) or is_parameter != (entry.role_name == "PARAMETER"):
            return "BAD_STATE"
        if not (_is_parameter(image, entry, end) if is_parameter else _is_other_state(image, entry)):
            return "BAD_STATE"
        end = -(-(end + entry.size) // 4) * 4 if is_parameter else end
    return OK if end == image.header.parameters_size else "BAD_STATE"


def _is_parameter(image: Image, entry: Record, begin: int) -> bool:
    """V11, V12."""
    h = image.header
    gradients_end = h.gradients_offset + h.gradients_size
    size = 4 * entry.size // ELEMENT_SIZES[entry.dtype_name]
    gradient = entry.gradient == NONE or lies_in(entry.gradient, size, h.gradients_offset, gradients_end)
    return entry.offset == begin and gradient


def _is_other_state(image: Image, entry: Record) -> bool:
    """V13."""
    h, role = image.header, entry.role_name
    if entry.gradient != NONE or not lies_in(entry.offset, entry.size, h.parameters_size, h.state_size):
        return False
    if role == "CONTROL":
        return (entry.offset, entry.size) == (h.control_offset, CONTROL)
    if role == "STORE":
        return image.store is not None and (entry.offset, entry.size) == (image.store.offset, store_size(image.store))
    slots = (entry.offset, entry.size // PROPERTY)
    return role != "PROPERTIES" or slots == (h.properties_offset, h.properties_count)
