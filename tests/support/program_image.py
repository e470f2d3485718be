"""Images of one INFER program with a test's own instructions, which no compiler would write."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from gradmote.formats import records
from gradmote.generated.opcodes import COUNTS, OPCODES
from gradmote.generated.records import (
    DTYPE,
    FORMAT_VERSION,
    IMAGE_MAGIC,
    NONE,
    PROGRAM,
    SECTION,
    SECTION_ALIGN,
    STATE_ROLE,
)

_CONTROL = records.size_of("control")
#: Programs may write from here on.
SCRATCH = (_CONTROL + 15) // 16 * 16
_REGIONS = ("state_size", "gradients_offset", "scratch_offset", "properties_offset")


def instruction(opcode: str, operands: Mapping[str, int], params: Mapping[str, int | float]) -> np.ndarray:
    """Return its words. Omitted operands are absent, dims 1, and other parameters 0."""
    spec = OPCODES[opcode]
    assert not set(operands) - set(spec["operands"]) and not set(params) - set(spec["params"])
    words = [operands.get(name, NONE) for name in spec["operands"]]
    for name, (kind, _) in spec["params"].items():
        value = params.get(name, int(kind == "dim"))
        words.append(int(np.float32(value).view(np.uint32)) if kind == "f32" else int(value))
    return np.array([(len(words) + 1) << 16 | spec["code"], *words], np.uint32)


def program_image(instructions: Sequence[np.ndarray], arena_size: int, constants: bytes = b"") -> bytes:
    """Return the bytes of the image; its scratch goes from SCRATCH to arena_size."""
    code = b"".join(words.tobytes() for words in instructions)
    work = sum(map(_work, instructions))
    program = {"kind": PROGRAM["infer"], "code_size": len(code), "instructions": len(instructions),
               "arena_size": arena_size, "work_low": work & 0xFFFFFFFF, "work_high": work >> 32}  # fmt: skip
    contents = {"programs": records.pack("program", program), "code": code, "constants": constants}
    contents |= {"state": _state(), "names": bytes(4)}
    regions = {"arena_size": arena_size} | dict.fromkeys(_REGIONS, SCRATCH)
    return _sealed(regions | {"batch": 1, "scheme": NONE}, contents)


def _work(words: np.ndarray) -> int:
    spec = next(spec for spec in OPCODES.values() if spec["code"] == int(words[0]) & 0xFFFF)
    values = dict(zip(spec["params"], map(int, words[1 + len(spec["operands"]) :]), strict=True))
    return prod((COUNTS | values)[term] for term in spec["work"])


def _state() -> bytes:
    entry = {"name": 0, "rank": 1, "size": _CONTROL, "gradient": NONE}
    control = {"role": STATE_ROLE["control"], "dtype": DTYPE["i32"], "dims": [_CONTROL // 4, 1, 1, 1, 1, 1]}
    return records.pack("state_entry", entry | control)


def _sealed(header: dict[str, object], contents: Mapping[str, bytes]) -> bytes:
    start = (records.size_of("header") + 15) // 16 * 16
    body, sections = b"", []
    for name in SECTION:
        section = contents.get(name, b"")
        sections.append({"offset": start + len(body), "size": len(section)})
        body += section + bytes(-len(section) % SECTION_ALIGN)
    fields = {"magic": IMAGE_MAGIC, "version": FORMAT_VERSION, "size": start + len(body), "sections": sections}
    head = records.pack("header", header | fields)
    rest = head[16:] + bytes(start - len(head)) + body
    return head[:12] + zlib.crc32(rest).to_bytes(4, "little") + rest
