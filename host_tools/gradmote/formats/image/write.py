"""The writer of images. The same input gives the same bytes."""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import ImageError, ModelError
from ...generated.opcodes import OPCODES
from ...generated.records import (
    CLASS_NAME,
    CONSTANT_BIT,
    DTYPE,
    FORMAT_VERSION,
    IMAGE_MAGIC,
    MAX_RANK,
    NONE,
    PROGRAM,
    PROPERTY_TYPE,
    ROLE,
    SECTION,
    STATE_ROLE,
    STORE_DTYPE,
)
from ...ir.instruction import ELEMENT_BYTES, Buffer, Instruction, Ref
from ...ir.loops import total_work
from ...ir.program import Binding, Compiled, Program, StateTensor, Store
from ...plan.lifetimes import aligned
from .. import checkpoint, records
from ..properties_trailer import fits_slot
from .layout import Layout, align

_BODY = 16  # the CRC covers everything from here on


class Names:
    """The section NAMES: zero-terminated strings, each once."""

    def __init__(self, strip: bool, classes: Sequence[str] = ()) -> None:
        """Start a section with only the names of classes; with `strip`, all names are omitted."""
        self.strip = strip
        self.data = b"" if strip else "".join(f"{chr(CLASS_NAME)}{name}\0" for name in classes).encode()
        self.offsets: dict[str, int] = {}

    def offset(self, name: str) -> int:
        """Return the offset of a name, appended at its first use; NONE if names are stripped.

        Raises ModelError for a name that is reserved for classes.
        """
        if self.strip:
            return NONE
        if name.startswith(chr(CLASS_NAME)):
            raise ModelError(f"the name {name!r} begins with the byte {CLASS_NAME}", "export the model with another")
        if name not in self.offsets:
            self.offsets[name] = len(self.data)
            self.data += name.encode() + b"\0"
        return self.offsets[name]


def write_image(compiled: Compiled, layout: Layout, strip_names: bool = False) -> bytes:
    """Return the bytes of a .mote file.

    strip_names: omit the names, for the smallest image.
    """
    names = Names(strip_names, compiled.classes)
    constants, constant_offsets = constants_section(compiled)
    code, programs = code_section(compiled, layout, constant_offsets)
    sections = {
        "tensors": tensors_section(compiled, layout, names),
        "programs": programs,
        "code": code,
        "constants": constants,
        "initial": initial_section(compiled),
        "state": state_section(compiled, layout, names),
        "names": b"",
        "store": store_section(compiled.store, layout.offsets) if compiled.store else b"",
    }
    scheme = names.offset(compiled.scheme) if compiled.scheme else NONE
    sections["names"] = names.data + bytes(-len(names.data) % 4)
    return assemble(compiled, layout, sections, scheme)


def store_section(store: Store, offsets: dict[Buffer, int]) -> bytes:
    """Return section STORE.

    offsets: the arena offset of each buffer.
    """
    return records.pack(
        "store",
        {
            "offset": offsets[store.buffer],
            "capacity": store.capacity,
            "classes": store.classes,
            "dtype": STORE_DTYPE[store.dtype],
            "elements": store.elements,
            "aside": NONE if store.aside is None else offsets[store.aside],
        },
    )


def assemble(compiled: Compiled, layout: Layout, sections: dict[str, bytes], scheme: int) -> bytes:
    """Return the image: header with sizes and CRC, then the sections in the order of SECTION."""
    body, table, at = b"", [], align(records.size_of("header"))
    for name in SECTION:
        table.append({"offset": at, "size": len(sections[name])})
        padded = sections[name] + bytes(align(len(sections[name])) - len(sections[name]))
        body += padded
        at += len(padded)
    header = {
        "magic": IMAGE_MAGIC,
        "version": FORMAT_VERSION,
        "size": at,
        "model_id": struct.unpack("<4I", model_id(compiled, layout)),
        "arena_size": layout.arena_size,
        "state_size": layout.state_size,
        "parameters_size": layout.parameters_size,
        "gradients_offset": layout.gradients_offset,
        "gradients_size": layout.gradients_size,
        "scratch_offset": layout.scratch_offset,
        "control_offset": layout.control_offset,
        "properties_offset": layout.properties_offset,
        "properties_count": compiled.properties,
        "batch": compiled.batch,
        "scheme": scheme,
        "sections": table,
        "image_version": compiled.image_version,
    }
    head = records.pack("header", header)
    head += bytes(align(len(head)) - len(head))
    crc = zlib.crc32(head[_BODY:] + body)
    return records.pack("header", {**header, "crc": crc})[:_BODY] + head[_BODY:] + body


def model_id(compiled: Compiled, layout: Layout) -> bytes:
    """Return the 16 bytes by which a checkpoint and an image recognize that they belong together.

    They are a digest of the state's names, shapes and offsets and of the frozen weights. Programs may
    differ, so images of one model with other batches or losses share checkpoints.
    """
    digest = hashlib.sha256(compiled.frozen_digest)
    for entry in compiled.state():
        dtype = "" if entry.dtype == "f32" else f" {entry.dtype}"
        digest.update(f"{entry.name} {entry.shape} {layout.offsets[entry.buffer]}{dtype}\n".encode())
    digest.update(f"{layout.control_offset} {layout.properties_offset} {compiled.properties}".encode())
    if compiled.store is not None:
        digest.update(f" {compiled.store.dtype} {compiled.store.elements} {compiled.store.capacity}".encode())
    return digest.digest()[:16]


def constants_section(compiled: Compiled) -> tuple[bytes, dict[Buffer, int]]:
    """Return the bytes of all constants in order of first use, and their offsets."""
    data, offsets = b"", {}
    for program in compiled.programs:
        for buffer in program.buffers():
            if buffer.region == "constant" and buffer not in offsets:
                assert buffer.data is not None
                offsets[buffer] = len(data)
                data += buffer.data + bytes(-len(buffer.data) % 4)
    return data, offsets


def code_section(compiled: Compiled, layout: Layout, constants: dict[Buffer, int]) -> tuple[bytes, bytes]:
    """Return the instruction words of all programs, and the program records."""
    code, table = b"", b""
    for program in compiled.programs:
        offsets = place_scratch(layout, program.kind)
        words = b"".join(encode(i, offsets, constants) for i in program.instructions)
        work = total_work(program.instructions)
        table += records.pack(
            "program",
            {
                "kind": PROGRAM[program.kind],
                "code_offset": len(code),
                "code_size": len(words),
                "instructions": len(program.instructions),
                "arena_size": layout.arena_of(program.kind),
                "work_low": work & 0xFFFFFFFF,
                "work_high": work >> 32,
            },
        )
        code += words
    return code, table


def place_scratch(layout: Layout, kind: str) -> dict[Buffer, int]:
    """Return the arena offsets of all buffers that a program can use."""
    return {**layout.offsets, **{b: layout.scratch_offset + o for b, o in layout.placements[kind].offsets.items()}}


def encode(instruction: Instruction, offsets: dict[Buffer, int], constants: dict[Buffer, int]) -> bytes:
    """Return the words of an instruction: opcode and length, operands, params."""
    spec = OPCODES[instruction.opcode]
    words = [operand(ref, offsets, constants) for ref in instruction.operands.values()]
    kinds = spec["params"].values()
    params = [parameter(value, *kind) for value, kind in zip(instruction.params.values(), kinds, strict=True)]
    head = spec["code"] | (1 + len(words) + len(params)) << 16
    return struct.pack(f"<{1 + len(words)}I", head, *words) + b"".join(params)


def operand(ref: Ref | None, offsets: dict[Buffer, int], constants: dict[Buffer, int]) -> int:
    """Return an operand's word: an arena offset, a constant's offset with CONSTANT_BIT, or NONE."""
    if ref is None:
        return NONE
    if ref.buffer.region == "constant":
        return CONSTANT_BIT | (constants[ref.buffer] + ref.offset)
    return offsets[ref.buffer] + ref.offset


def parameter(value: Any, kind: str, choices: Sequence[str]) -> bytes:
    """Return the four bytes of a param; one of `choices` is written as its number.

    Raises ModelError if a whole number does not fit 32 bits.
    """
    if kind == "f32":
        return np.float32(value).tobytes()
    try:
        return struct.pack("<i" if kind == "i32" else "<I", choices.index(value) if choices else int(value))
    except struct.error:
        raise ModelError(f"a dimension of {value:,} does not fit 32 bits", "use smaller tensors") from None


def tensors_section(compiled: Compiled, layout: Layout, names: Names) -> bytes:
    """Return section TENSORS.

    Inputs and labels come once, with the programs that have them; outputs and losses come once for each
    program.
    """
    rows = []
    for shared in compiled.inputs:
        users = [p for p in compiled.programs if shared in p.bindings]
        rows.append(tensor(shared, sum(bits(p, shared) for p in users), layout.offsets, names))
    for program in compiled.programs:
        offsets = place_scratch(layout, program.kind)
        rows += [tensor(b, bits(program, b), offsets, names) for b in program.bindings if b.role in ("output", "loss")]
    return b"".join(rows)


def bits(program: Program, binding: Binding) -> int:
    """Return the bits of one program in a tensor's field `programs`."""
    kind = PROGRAM[program.kind]
    return 1 << kind | (1 << len(PROGRAM) + kind if binding.name in program.rows_of else 0)


def tensor(binding: Binding, programs: int, offsets: dict[Buffer, int], names: Names) -> bytes:
    """Return the record of an input, label, output or loss.

    programs: a bit for each program kind. Raises ImageError for a rank above MAX_RANK.
    """
    if len(binding.shape) > MAX_RANK:
        raise ImageError(f"'{binding.name}' has rank {len(binding.shape)}", f"the image holds at most rank {MAX_RANK}")
    size = ELEMENT_BYTES[binding.dtype]
    for d in binding.shape:
        size *= d
    return records.pack(
        "tensor",
        {
            "name": names.offset(binding.name),
            "role": ROLE[binding.role],
            "programs": programs,
            "dtype": DTYPE[binding.dtype],
            "rank": len(binding.shape),
            "dims": [*binding.shape, *[1] * (MAX_RANK - len(binding.shape))],
            "offset": offsets[binding.ref.buffer] + binding.ref.offset,
            "size": size,
        },
    )


def state_section(compiled: Compiled, layout: Layout, names: Names) -> bytes:
    """Return section STATE.

    Parameters, statistics, control, store, properties and moments come in the order of their
    offsets.
    """
    rows = []
    for p in compiled.parameters:
        gradient = layout.offsets[p.gradient] if p.gradient is not None else NONE
        rows.append(
            checkpoint.entry(
                names.offset(p.name), "parameter", p.shape, layout.offsets[p.buffer], p.buffer.size, gradient, p.dtype
            )
        )
    rows += [named_entry("statistic", s, layout, names) for s in compiled.statistics]
    rows.append(words_entry("control", layout.control_offset, records.size_of("control")))
    if compiled.store is not None:
        rows.append(words_entry("store", layout.offsets[compiled.store.buffer], compiled.store.buffer.size))
    if compiled.properties:
        size = compiled.properties * records.size_of("property")
        rows.append(words_entry("properties", layout.properties_offset, size))
    rows += [named_entry("slot", s, layout, names) for s in compiled.slots]
    return b"".join(rows)


def named_entry(role: str, tensor: StateTensor, layout: Layout, names: Names) -> bytes:
    """Return the state entry of a statistic or of an optimizer slot."""
    offset = layout.offsets[tensor.buffer]
    return checkpoint.entry(
        names.offset(tensor.name), role, tensor.shape, offset, tensor.buffer.size, dtype=tensor.dtype
    )


def words_entry(role: str, offset: int, size: int) -> bytes:
    """Return the state entry of a nameless block of 32-bit words."""
    return records.pack(
        "state_entry",
        {
            "name": NONE,
            "role": STATE_ROLE[role],
            "dtype": DTYPE["i32"],
            "rank": 1,
            "dims": [size // 4, 1, 1, 1, 1, 1],
            "offset": offset,
            "size": size,
            "gradient": NONE,
        },
    )


def initial_section(compiled: Compiled) -> bytes:
    """Return section INITIAL: parameters, statistics, control and, unless all of it is zero, the rest.

    The rest are the store, the properties and the moments. State that the section lacks starts as zero.
    """
    tensors = b"".join(initial_bytes(p.buffer) for p in (*compiled.parameters, *compiled.statistics))
    store = b"" if compiled.store is None else initial_bytes(compiled.store.buffer)
    later = properties_record(compiled) + b"".join(initial_bytes(s.buffer) for s in compiled.slots)
    rest = store + later if any(later) else store
    return tensors + control_record(compiled) + (rest if any(rest) else b"")


def control_record(compiled: Compiled) -> bytes:
    """Return the control record from which training starts or resumes."""
    control = {
        "seed": compiled.seed,
        "learning_rate": compiled.learning_rate,
        "base_learning_rate": compiled.learning_rate,
    }
    kept = compiled.start.control if compiled.start is not None else {}
    return records.pack("control", {**control, **kept, "accumulated": 0, "gradient_scale": 1.0})


def properties_record(compiled: Compiled) -> bytes:
    """Return the slots of the properties, filled from the state to resume from as far as they can hold it."""
    kept = compiled.start.properties if compiled.start is not None else {}
    fitting = [(key, value) for key, value in kept.items() if fits_slot(key, value)][: compiled.properties]
    filled = b"".join(property_slot(key, value) for key, value in fitting)
    return filled + bytes((compiled.properties - len(fitting)) * records.size_of("property"))


def property_slot(key: str, value: int | float | str) -> bytes:
    """Return one property as a slot stores it; a float loses the digits that float32 cannot hold."""
    kind = "f32" if isinstance(value, float) else "i32"
    word = struct.unpack("<I", struct.pack("<f" if kind == "f32" else "<i", value))[0]
    name = struct.unpack("<5I", key.encode().ljust(20, b"\0"))
    return records.pack("property", {"key": name, "type": PROPERTY_TYPE[kind], "value": word})


def initial_bytes(buffer: Buffer) -> bytes:
    """Return the initial bytes of a state buffer, and zeros up to the next word."""
    assert buffer.data is None or len(buffer.data) == buffer.size
    return (buffer.data or b"") + bytes(aligned(buffer.size) - len(buffer.data or b""))
