"""gm_records.h: constants, enums and the structs in files, with their sizes asserted."""

from .spec import Field, Record, load, record_words, records

C_TYPES = {"u32": "uint32_t", "i32": "int32_t", "f32": "float", "offset": "uint32_t"}


def declare(f: Field) -> str:
    kind = C_TYPES.get(f.type, f"gm_{f.type}")
    array = f"[{f.count}]" if f.count > 1 else ""
    comment = f" /* {f.comment} */" if f.comment else ""
    return f"    {kind} {f.name}{array};{comment}"


def struct(record: Record, every: list[Record]) -> str:
    body = "\n".join(declare(f) for f in record.fields)
    size = 4 * record_words(record, every)
    return (
        f"/* {record.meaning[0].upper()}{record.meaning[1:]}. */\n"
        f"typedef struct gm_{record.name} {{\n{body}\n}} gm_{record.name};\n"
        f"typedef char gm_assert_{record.name}[sizeof(gm_{record.name}) == {size} ? 1 : -1];\n"
    )


def enum(name: str, values: list[str]) -> str:
    members = ", ".join(f"GM_{name.upper()}_{v} = {i}" for i, v in enumerate(values))
    return f"enum gm_{name}_kind {{ {members}, GM_{name.upper()}_COUNT = {len(values)} }};"


def render() -> dict[str, str]:
    spec = load("records")
    every = records()
    defines = "\n".join(
        f"#define GM_{n} {v:#x}u" if v > 0xFFFF else f"#define GM_{n} {v}u" for n, v in spec["constants"].items()
    )
    enums = "\n".join(enum(n, v) for n, v in spec["enums"].items())
    structs = "\n".join(struct(r, every) for r in every)
    text = (
        "#ifndef GM_RECORDS_H\n#define GM_RECORDS_H\n\n#include <stdint.h>\n\n"
        f"{defines}\n\n{enums}\n\n{structs}\n#endif\n"
    )
    return {"gm_records.h": text}
