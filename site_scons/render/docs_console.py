"""The tables of docs/CONSOLE.md; text outside the markers is written by hand and kept."""

from __future__ import annotations

import textwrap

from wrap_prose import wrapped

from .console_spec import SIZES, Message, messages, offsets
from .markers import replace_block
from .spec import DOCS_OUT, Field, load


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in lines)


def payload(title: str, fields: tuple[Field, ...]) -> str:
    if not fields:
        return f"{title}: empty.\n"
    rows = [
        (str(o), f"`{f.name}`", f.type + (f" x {f.count}" if f.count > 1 else ""), f.comment)
        for f, o in zip(fields, offsets(fields))
    ]
    assert all(f.type in SIZES for f in fields)
    return f"{title}:\n\n{table(('offset', 'field', 'type', 'meaning'), rows)}\n"


def message(m: Message) -> str:
    return (
        f"### {m.id} {m.name}\n\n{wrapped(m.meaning)}\n\n{payload('Request', m.request)}\n{payload('Reply', m.reply)}"
    )


def commands() -> str:
    rows = [(f"`{c['name']} {c['arguments']}`".replace(" `", "`"), c["help"]) for c in load("console")["command"]]
    return table(("command", "what it does"), rows)


def frame() -> str:
    f = load("console")["frame"]
    rows = [
        ("0", "1", f"start, {f['start']:#04x}"),
        (
            "1",
            "1",
            f"type: the message's id; a reply's has bit {f['reply_bit']:#04x} set; {f['error_type']:#04x} is an "
            f"error, {f['alive_type']:#04x} a sign of life",
        ),
        ("2", "1", "sequence, chosen by the host; replies carry the request's"),
        ("3", "2", f"length n of the payload, at most {f['payload_limit']}"),
        ("5", "n", "payload"),
        ("5 + n", "4", "CRC-32 (as zlib.crc32) of bytes 1 .. 5 + n"),
    ]
    return table(("offset", "bytes", "what"), rows)


def faults() -> str:
    rows = [(str(f["code"]), f["name"], f["text"], f["hint"]) for f in load("console")["fault"]]
    return table(("code", "name", "what was wrong", "what to do"), rows)


def sources() -> str:
    names = ", ".join(f"{i} {n}" for i, n in enumerate(load("console")["sources"]["names"])) + "."
    return textwrap.fill(names, 100)


def render() -> dict[str, str]:
    text = (DOCS_OUT / "CONSOLE.md").read_text()
    blocks = {
        "commands": commands(),
        "frame": frame(),
        "faults": faults(),
        "sources": sources(),
        "messages": "\n".join(message(m) for m in messages()).rstrip(),
    }
    for name, block in blocks.items():
        text = replace_block(text, name, block, "docs/CONSOLE.md")
    return {"CONSOLE.md": text}
