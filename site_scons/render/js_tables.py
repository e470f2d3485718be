"""The TypeScript side of the spec: errors, and where the fields of records lie."""

import json

from .spec import load, records

#: What JavaScript reads of an image and of the arena.
RECORDS = ("header", "tensor", "control", "property")
#: Records whose fields are all read, one after another.
WALKED = ("control",)
ENUMS = ("program", "role", "dtype", "section", "schedule", "property_type", "store_dtype")


def render_errors() -> str:
    rows = [
        f"  {e['name']}: [{e['code']}, {json.dumps(e['text'])}, {json.dumps(e['hint'])}],\n"
        for e in load("errors")["error"]
    ]
    kind = "Record<string, readonly [number, string, string]>"
    return (
        "/** Name -> code, what was wrong, what to do. */\n"
        f"export const ERRORS = {{\n{''.join(rows)}}} as const satisfies {kind};\n\n"
        "/** The name of an error of the runtime. */\nexport type ErrorName = keyof typeof ERRORS;\n"
    )


def render_records() -> str:
    parts = [f"export const NONE = {load('records')['constants']['NONE']:#x};\n\n"]
    for name in ENUMS:
        values = [value.lower() for value in load("records")["enums"][name]]
        parts.append(f"export const {name.upper()} = {json.dumps(values)} as const;\n")
    sizes: dict[str, int] = {"u32": 4, "i32": 4, "f32": 4, "offset": 4}
    for record in records():
        offset, fields = 0, []
        for field in record.fields:
            fields.append((camel(field.name), offset))
            offset += sizes[field.type] * field.count
        sizes[record.name] = offset
        if record.name in RECORDS:
            parts.append(offsets(record.name, fields, offset))
    return "".join(parts)


def offsets(record: str, fields: list[tuple[str, int]], size: int) -> str:
    """Return the offsets of a record's fields: an object where code goes through them, else numbers that it inlines."""
    title = f"\n/** Byte offsets of the fields of a gm_{record}, and its size. */\n"
    if record in WALKED:
        lines = "".join(f"  {name}: {offset},\n" for name, offset in fields)
        return f"{title}export const {record.upper()} = {{\n{lines}}} as const;\n"
    lines = "".join(f"  {name} = {offset},\n" for name, offset in fields)
    return f"{title}export const enum {record.capitalize()} {{\n{lines}  sizeof = {size},\n}}\n"


def camel(name: str) -> str:
    """Return snake_case as camelCase."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def render() -> dict[str, str]:
    return {"errors.ts": render_errors(), "records.ts": render_records()}
