"""console_spec.h and console_spec.c of the firmware: frame constants, messages, payloads, codes, commands."""

from __future__ import annotations

from .console_spec import Message, messages, offsets
from .spec import Field, load

HEADER = """\
#ifndef CONSOLE_SPEC_H
#define CONSOLE_SPEC_H

#include <stdint.h>

{frame}

{faults}

{sources}

/* ---- Messages: their ids, and their payloads as they are in a frame ---------------------------------------- */

/* A payload stands at any address, in bytes that are declared as such. A reply stands at a multiple of 4, which makes
 * shorter code if its size is one too. */
#define CONSOLE_PAYLOAD __attribute__((packed, may_alias))
#define CONSOLE_WORDS __attribute__((packed, may_alias, aligned(4)))

{messages}

#define CONSOLE_MESSAGE_LIMIT {limit}

typedef struct console_message {{
    uint8_t is_known;     /* 1: this board has a handler of it */
    uint8_t is_open;      /* 1: a request may be longer than its fixed part */
    uint8_t request_size; /* bytes of the fixed part */
    uint8_t reply_size;   /* bytes of the fixed part */
}} console_message;

extern const console_message console_messages[CONSOLE_MESSAGE_LIMIT];

/* ---- Commands --------------------------------------------------------------------------------------------- */

enum console_command {{ {commands}, CONSOLE_COMMAND_COUNT }};

typedef struct console_help {{
    const char *name;
    const char *arguments;
    const char *help;
}} console_help;

extern const console_help console_commands[CONSOLE_COMMAND_COUNT];

/* One sentence a console code; the runtime's text for all others. */
const char *console_error_text(int error);
const char *console_error_hint(int error);

#endif
"""

SOURCE = """\
#include "gradmote.h"
#include "console_spec.h"

const console_help console_commands[CONSOLE_COMMAND_COUNT] = {{
{commands}
}};

const char *console_error_text(int error)
{{
    switch (error) {{
{texts}
    default: return gm_error_text(error);
    }}
}}

const char *console_error_hint(int error)
{{
    switch (error) {{
{hints}
    default: return gm_error_hint(error);
    }}
}}
"""


#: Type of a field -> its C type.
TYPES = {
    "u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t", "i32": "int32_t", "f32": "float",
    "bytes": "uint8_t", "text": "char",
}  # fmt: skip


def message(m: Message) -> str:
    parts = [f"/* {m.meaning} */\n#define CONSOLE_{m.name} {m.id}u"]
    if m.request:
        parts.append(payload("CONSOLE_PAYLOAD", f"{m.name.lower()}_request", m.request))
    if m.reply and m.reply_of == m.name:
        layout = "CONSOLE_PAYLOAD" if offsets(m.reply)[-1] % 4 else "CONSOLE_WORDS"
        parts.append(payload(layout, f"{m.name.lower()}_reply", m.reply))
    return "\n\n".join(parts)


def payload(layout: str, name: str, fields: tuple[Field, ...]) -> str:
    """Return the struct of a payload; an open-ended field is a flexible array at its end."""
    members = "\n".join(member(f) for f in fields)
    return f"typedef struct {layout} {name} {{\n{members}\n}} {name};"


def member(f: Field) -> str:
    extent = "[]" if f.type in ("bytes", "text") else f"[{f.count}]" if f.count > 1 else ""
    comment = f" /* {f.comment} */" if f.comment else ""
    return f"    {TYPES[f.type]} {f.name}{extent};{comment}"


def header() -> str:
    spec = load("console")
    every = messages()
    frame = "\n".join(f"#define CONSOLE_{n.upper()} {v}u" for n, v in spec["frame"].items())
    faults = "\n".join(f"    CONSOLE_ERR_{f['name']} = {f['code']}, /* {f['text']} */" for f in spec["fault"])
    sources = ", ".join(f"CONSOLE_SOURCE_{n}" for n in spec["sources"]["names"])
    return HEADER.format(
        frame=f'{frame}\n\n#define CONSOLE_IDENTITY_MARK "{spec["identity"]["mark"]}"',
        faults=f"enum console_error {{\n{faults}\n}};",
        sources=f"enum console_source {{ {sources} }};",
        messages="\n\n".join(message(m) for m in every),
        limit=every[-1].id + 1,
        commands=", ".join(f"CONSOLE_COMMAND_{c['name'].upper()}" for c in spec["command"]),
    )


def source() -> str:
    spec = load("console")
    rows = (f'    {{ "{c["name"]}", "{c["arguments"]}", "{c["help"]}" }},' for c in spec["command"])
    cases = {
        key: "\n".join(f'    case CONSOLE_ERR_{f["name"]}: return "{f[key]}";' for f in spec["fault"])
        for key in ("text", "hint")
    }
    return SOURCE.format(commands="\n".join(rows), texts=cases["text"], hints=cases["hint"])


def render() -> dict[str, str]:
    return {"console_spec.h": header(), "console_spec.c": source()}
