"""The MicroPython binding's share of the spec: names of errors for C, and tables of errors and frames for Python.

Modules for a board are short, because names take memory there.
"""

from __future__ import annotations

from .console_spec import messages
from .dtypes import dtypes
from .python_tables import literal
from .spec import Field, load

NAMES = """\
#ifndef ERROR_NAMES_H
#define ERROR_NAMES_H

static const char *error_name(mp_int_t code)
{{
    switch (code) {{
{cases}
    default: return "UNKNOWN";
    }}
}}

#endif
"""

DTYPES = """\
#ifndef DTYPES_H
#define DTYPES_H

#include <stdint.h>

/* Elements of tensors: the typecode of the module array, their bytes and their name, by gm_dtype_kind. */
typedef struct element {{
    char typecode;
    uint8_t width;
    char name[8];
}} element;

static inline element element_of(uint32_t dtype)
{{
    switch (dtype) {{
{cases}
    }}
}}

/* Names of gm_store_dtype_kind. */
static inline const char *store_dtype_name(uint32_t dtype)
{{
    switch (dtype) {{
{stored}
    }}
}}

#endif
"""

#: Types of fields -> codes of the module struct.
CODES = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i32": "i", "f32": "f"}


def render_c() -> dict[str, str]:
    """Return error_names.h and dtypes.h."""
    errors = load("errors")["error"]
    cases = "\n".join(f'    case GM_ERR_{e["name"]}: return "{e["name"]}";' for e in errors)
    return {"error_names.h": NAMES.format(cases=cases), "dtypes.h": render_dtypes()}


def render_dtypes() -> str:
    """Return the elements of tensors, and the names of the store's dtypes; the last of each is the default."""
    rows = [(d.name, f"(element){{'{d.typecode}', {d.bytes}, \"{d.title}\"}}") for d in dtypes()]
    stored = [(name, f'"{name.lower()}"') for name in load("records")["enums"]["store_dtype"]]
    return DTYPES.format(cases=switch("GM_DTYPE", rows), stored=switch("GM_STORE_DTYPE", stored))


def switch(prefix: str, rows: list[tuple[str, str]]) -> str:
    """Return the cases that return a value for each number."""
    cases = [f"    case {prefix}_{name}: return {value};" for name, value in rows[:-1]]
    return "\n".join([*cases, f"    default: return {rows[-1][1]};"])


def render_python() -> dict[str, str]:
    """Return the two modules of tables."""
    return {"gradmote_errors.py": errors_module(), "gradmote_frames.py": frames_module()}


def errors_module() -> str:
    entries = [*load("errors")["error"], *load("console")["fault"]]
    table = {e["code"]: (e["name"], e["text"], e["hint"]) for e in entries}
    return '"""The meaning of error codes."""\n\n#: code -> (name, what was wrong, what to do)\n' + literal(
        "ERRORS", table
    )


def frames_module() -> str:
    spec = load("console")
    parts = ['"""The messages of the serial line."""\n\n']
    parts += [f"{name.upper()} = {value}\n" for name, value in spec["frame"].items()]
    parts += [f"FORMAT_VERSION = {load('records')['constants']['FORMAT_VERSION']}\n"]
    parts += ["#: the names of dtypes, and the typecodes of the module array, by the number of the dtype\n"]
    parts += [f"DTYPES = {tuple(d.title for d in dtypes())}\nTYPECODES = {''.join(d.typecode for d in dtypes())!r}\n"]
    parts += [f"STORE_DTYPES = {tuple(name.lower() for name in load('records')['enums']['store_dtype'])}\n"]
    faults = {f["name"]: f["code"] for f in [*load("errors")["error"], *spec["fault"]]}
    sources = {name: i for i, name in enumerate(spec["sources"]["names"])}
    table = {m.id: (m.name, *layout(m.request), layout(m.reply)[0]) for m in messages()}
    parts += ["\n", literal("FAULTS", faults), "\n#: what READ reads\n", literal("SOURCES", sources)]
    parts += ["\n#: id -> (name, struct of the request, whether bytes may follow, struct of the reply)\n"]
    return "".join([*parts, literal("MESSAGES", table)])


def layout(fields: tuple[Field, ...]) -> tuple[str, bool]:
    """Return the struct of a payload's fixed part, and whether bytes or text follow it."""
    fixed = [field for field in fields if field.type in CODES]
    codes = [f"{field.count if field.count > 1 else ''}{CODES[field.type]}" for field in fixed]
    return f"<{''.join(codes)}", len(fixed) < len(fields)
