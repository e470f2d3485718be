"""Read console.toml: messages with the byte offset of each field, shared by the C, Python and docs renderers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .spec import Field, load, parse_field

SIZES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "i32": 4, "f32": 4, "bytes": 0, "text": 0}


@dataclass(frozen=True)
class Message:
    name: str
    id: int
    meaning: str
    request: tuple[Field, ...]
    reply: tuple[Field, ...]
    reply_of: str  #: the message whose reply this one shares; otherwise its own name
    reply_at_end: bool  #: the reply follows when the program that the handler began has ended
    only_if: str  #: the C macro of boards that know the message; empty if all do


def offsets(fields: tuple[Field, ...]) -> list[int]:
    """Return the byte offset of each field in the payload, and last the length of the fixed part."""
    result = [0]
    for f in fields:
        result.append(result[-1] + SIZES[f.type] * f.count)
    return result


def is_open(fields: tuple[Field, ...]) -> bool:
    """Return whether any number of bytes follows the fixed part."""
    return bool(fields) and SIZES[fields[-1].type] == 0


def checked(fields: list[str]) -> tuple[Field, ...]:
    """Return the parsed fields; only the last may be open-ended."""
    parsed = tuple(parse_field(f) for f in fields)
    open_ended = [f.name for f in parsed[:-1] if SIZES[f.type] == 0]
    assert not open_ended, f"fields {open_ended} of open length are not the last"
    return parsed


def message(entry: dict[str, Any], entries: dict[str, dict[str, Any]]) -> Message:
    reply_of = entry["reply"] if isinstance(entry["reply"], str) else entry["name"]
    return Message(
        name=entry["name"],
        id=entry["id"],
        meaning=entry["meaning"],
        request=checked(entry["request"]),
        reply=checked(entries[reply_of]["reply"]),
        reply_of=reply_of,
        reply_at_end=entry.get("reply_at_end", False),
        only_if=entry.get("only_if", ""),
    )


def messages() -> list[Message]:
    """Return all messages in ascending order of id."""
    entries = {e["name"]: e for e in load("console")["message"]}
    parsed = [message(entry, entries) for entry in entries.values()]
    assert len({m.id for m in parsed}) == len(parsed), "two messages share an id"
    return sorted(parsed, key=lambda m: m.id)
