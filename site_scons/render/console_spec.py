"""Reads console.toml: messages with the byte offset of each field, shared by the C, Python and docs renderers."""

from __future__ import annotations

from dataclasses import dataclass

from .spec import Field, load, parse_field

SIZES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "i32": 4, "f32": 4, "bytes": 0, "text": 0}


@dataclass(frozen=True)
class Message:
    name: str
    id: int
    meaning: str
    request: tuple[Field, ...]
    reply: tuple[Field, ...]


def offsets(fields: tuple[Field, ...]) -> list[int]:
    """Byte offset of each field in the payload, and last the length of the fixed part."""
    result = [0]
    for f in fields:
        result.append(result[-1] + SIZES[f.type] * f.count)
    return result


def checked(fields: list[str]) -> tuple[Field, ...]:
    """Parsed fields; only the last may be of open length."""
    parsed = tuple(parse_field(f) for f in fields)
    open_ended = [f.name for f in parsed[:-1] if SIZES[f.type] == 0]
    assert not open_ended, f"fields {open_ended} of open length are not the last"
    return parsed


def messages() -> list[Message]:
    """All messages in ascending order of id."""
    entries = load("console")["message"]
    parsed = [Message(e["name"], e["id"], e["meaning"], checked(e["request"]), checked(e["reply"])) for e in entries]
    assert len({m.id for m in parsed}) == len(parsed), "two messages share an id"
    return sorted(parsed, key=lambda m: m.id)
