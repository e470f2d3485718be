"""console_spec.h and console_spec.c of the firmware: frame constants, messages, payload offsets, codes, commands."""

from __future__ import annotations

from .console_spec import Message, messages, offsets
from .spec import load

HEADER = """\
#ifndef CONSOLE_SPEC_H
#define CONSOLE_SPEC_H

{frame}

{faults}

{sources}

/* ---- Messages: ids, field offsets in the request, lengths of the fixed parts ------------------------------ */

{messages}

#define CONSOLE_MESSAGE_LIMIT {limit}

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


def message(m: Message) -> str:
    prefix = f"CONSOLE_{m.name}"
    at = offsets(m.request)
    lines = [f"/* {m.meaning} */", f"#define {prefix} {m.id}u"]
    lines += [f"#define {prefix}_AT_{f.name.upper()} {o}u" for f, o in zip(m.request, at)]
    lines += [f"#define {prefix}_REQUEST_SIZE {at[-1]}u", f"#define {prefix}_REPLY_SIZE {offsets(m.reply)[-1]}u"]
    return "\n".join(lines)


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
