"""generated/console.py: frame constants, messages with their fields, codes and commands as plain literals."""

from __future__ import annotations

from .console_spec import messages
from .python_tables import literal
from .spec import Field, load


def fields(parsed: tuple[Field, ...]) -> list[tuple[str, str, int]]:
    return [(f.name, f.type, f.count) for f in parsed]


def render() -> dict[str, str]:
    spec = load("console")
    parts = ["from typing import Any\n\n"]
    parts += [f"{n.upper()} = {v:#x}\n" if n == "start" else f"{n.upper()} = {v}\n" for n, v in spec["frame"].items()]
    parts += ["\n#: in firmware, before its board's name and a zero byte\n"]
    parts += [literal("IDENTITY_MARK", spec["identity"]["mark"])]
    table = {m.name: {"id": m.id, "request": fields(m.request), "reply": fields(m.reply)} for m in messages()}
    sources = {name: i for i, name in enumerate(spec["sources"]["names"])}
    faults = {f["code"]: (f["name"], f["text"], f["hint"]) for f in spec["fault"]}
    commands = {c["name"]: (c["arguments"], c["help"]) for c in spec["command"]}
    parts += ["\n#: what READ reads\n", literal("SOURCES", sources)]
    parts += ["\n#: name -> id, request and reply as [(field, type, count)]\n"]
    parts += [literal("MESSAGES: dict[str, dict[str, Any]]", table)]
    parts += ["\n#: code -> (name, what was wrong, what to do)\n", literal("FAULTS", faults)]
    parts += ["\n#: name -> (arguments, help)\n", literal("COMMANDS", commands)]
    return {"console.py": "".join(parts)}
