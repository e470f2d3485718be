"""The TypeScript side of the spec: errors, the offsets of record fields, and the messages of a board's console."""

import json

from .console_spec import messages
from .dtypes import dtypes
from .spec import Field, load, records

#: The records that JavaScript reads in files and in the arena.
RECORDS = (
    "header", "tensor", "state_entry", "control", "property", "signature", "checkpoint", "lasting", "export_header",
    "export_range",
)  # fmt: skip
#: The constants that JavaScript needs.
CONSTANTS = (
    "NONE", "IMAGE_MAGIC", "FORMAT_VERSION", "SIGNATURE_MAGIC", "SIGNATURE_VERSION", "CHECKPOINT_MAGIC",
    "LASTING_MAGIC", "EXPORT_MAGIC", "EXPORT_VERSION",
)  # fmt: skip
#: Records with fields that are all read in order.
WALKED = ("control",)
ENUMS = (
    "program", "role", "section", "state_role", "schedule", "property_type", "store_dtype", "encoding", "export_kind",
)  # fmt: skip


def render_errors() -> str:
    """Return the table of errors. Codes are -1, -2, ... in its order, so that a page need not load them."""
    errors = load("errors")["error"]
    if [e["code"] for e in errors] != [-1 - at for at in range(len(errors))]:
        raise SystemExit("errors.toml: the codes are not -1, -2, ... in this order, as JavaScript numbers them")
    rows = [f"  {e['name']}: [{json.dumps(e['text'])}, {json.dumps(e['hint'])}],\n" for e in errors]
    return (
        "/** Name -> what was wrong, what to do; in the order of the codes. */\n"
        f"const TEXTS = {{\n{''.join(rows)}}} as const;\n\n"
        "/** The name of an error of the runtime. */\nexport type ErrorName = keyof typeof TEXTS;\n\n"
        "/** Name -> code, what was wrong, what to do. */\n"
        "export const ERRORS = Object.fromEntries(\n"
        "  Object.entries(TEXTS).map(([name, texts], at) => [name, [-1 - at, ...texts]]),\n"
        ") as unknown as Record<ErrorName, readonly [number, string, string]>;\n"
    )


def render_records() -> str:
    constants = load("records")["constants"]
    parts = [f"export const {name} = {constants[name]:#x};\n" for name in CONSTANTS] + ["\n"]
    for name in ENUMS:
        values = [value.lower() for value in load("records")["enums"][name]]
        parts.append(f"export const {name.upper()} = {json.dumps(values)} as const;\n")
    parts.append(render_dtypes())
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


def render_dtypes() -> str:
    """Return the names of dtypes, and the typed array of each."""
    arrays = [dtype.array for dtype in dtypes()]
    return (
        "\n/** dtype -> what callers know it by, and the array that holds its elements. */\n"
        f"export const DTYPE = {json.dumps([dtype.title for dtype in dtypes()])} as const;\n"
        f"export const ARRAYS = [{', '.join(arrays)}] as const;\n"
        "/** Elements of a tensor. */\n"
        f"export type View = {' | '.join(arrays)};\n"
    )


def offsets(record: str, fields: list[tuple[str, int]], size: int) -> str:
    """Return the offsets of a record's fields, which code inlines; for WALKED records, their names in order."""
    if record in WALKED:
        assert [offset for _, offset in fields] == list(range(0, size, 4)), record
        lines = "".join(f'  "{name}",\n' for name, _ in fields)
        title = f"\n/** The words of a gm_{record}, in order. */\n"
        return f"{title}export const {record.upper()} = [\n{lines}] as const;\n"
    title = f"\n/** Byte offsets of the fields of a gm_{record}, and its size. */\n"
    lines = "".join(f"  {name} = {offset},\n" for name, offset in fields)
    return f"{title}export const enum {camel(record.capitalize())} {{\n{lines}  sizeof = {size},\n}}\n"


def camel(name: str) -> str:
    """Return snake_case as camelCase."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def render_console() -> str:
    """Return the frame's numbers, the messages with their fields in order, and the codes that only a console has."""
    spec = load("console")
    parts = [f"export const {name.upper()} = {value:#x};\n" for name, value in spec["frame"].items()]
    sources = ", ".join(f"{name}: {i}" for i, name in enumerate(spec["sources"]["names"]))
    parts += [f"\n/** What READ reads. */\nexport const SOURCES = {{ {sources} }} as const;\n"]
    parts += ["\n/** Name -> id, request and reply as [field, type, count]. */\nexport const MESSAGES = {\n"]
    for m in messages():
        parts += [f"  {m.name}: {{ id: {m.id}, request: {field_rows(m.request)}, reply: {field_rows(m.reply)} }},\n"]
    parts += ["} as const;\n", render_faults(spec["fault"])]
    return "".join(parts)


def field_rows(fields: tuple[Field, ...]) -> str:
    return "[" + ", ".join(f'["{camel(f.name)}", "{f.type}", {f.count}]' for f in fields) + "]"


def render_faults(faults: list[dict[str, object]]) -> str:
    rows = [f"  {f['name']}: [{f['code']}, {json.dumps(f['text'])}, {json.dumps(f['hint'])}],\n" for f in faults]
    return (
        "\n/** Name -> code, what was wrong, what to do. */\n"
        f"export const FAULTS = {{\n{''.join(rows)}}} as const;\n\n"
        "/** The name of an error that only a console has. */\nexport type FaultName = keyof typeof FAULTS;\n"
    )


def render() -> dict[str, str]:
    return {"errors.ts": render_errors(), "records.ts": render_records(), "console.ts": render_console()}
