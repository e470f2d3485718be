"""The Python side of the spec: errors, records, opcodes and optimizers as plain literals."""

import pprint

from .spec import COUNTS, load, opcodes, records


def literal(name: str, value: object) -> str:
    return f"{name} = {pprint.pformat(value, width=110, sort_dicts=False)}\n"


def render_errors() -> str:
    table = {e["code"]: (e["name"], e["text"], e["hint"]) for e in load("errors")["error"]}
    return "#: code -> (name, what was wrong, what to do)\n" + literal("ERRORS", table)


def render_records() -> str:
    spec = load("records")
    parts = [f"{n} = {v:#x}\n" for n, v in spec["constants"].items()]
    parts += ["\n"]
    for name, values in spec["enums"].items():
        parts += [literal(name.upper(), {v.lower(): i for i, v in enumerate(values)})]
    fields = {r.name: [(f.name, f.type, f.count) for f in r.fields] for r in records()}
    parts += ["\n#: record -> [(field, type, count)]\n", literal("RECORDS", fields)]
    return "".join(parts)


def render_opcodes() -> str:
    table = {
        o.name: {
            "code": o.code,
            "meaning": o.meaning,
            "operands": {p.name: (p.access, p.dtype, p.terms, p.optional) for p in o.operands},
            "params": {p.name: (p.kind, p.choices) for p in o.params},
            "work": o.work,
            "refuses": o.refuses,
            "inplace": o.inplace,
            "group": o.group,
            "split": tuple(dim for dim, _ in o.split),
            "own": o.own,
        }
        for o in opcodes()
    }
    return (
        "from typing import Any\n\n"
        "#: name -> code, meaning, operands {name: (access, dtype, ((dim, stride), ...), optional)},\n"
        "#: params {name: (kind, choices)}, work, refuses (an error, or None), inplace,\n"
        "#: group (int8 or loops where a build may leave all of these out),\n"
        "#: split (dims of which ranges can run apart), own (scratch operands)\n"
        + literal("OPCODES: dict[str, Any]", table)
        + "\n#: Counts that an extent or work may name besides parameters.\n"
        + literal("COUNTS", COUNTS)
    )


def render_optimizers() -> str:
    table = {
        r["name"]: {k: r[k] for k in ("kind", "slots", "aux", "hyper", "meaning")}
        for r in load("optimizers")["optimizer"]
    }
    return "from typing import Any\n\n" + literal("RULES: dict[str, Any]", table)


def render() -> dict[str, str]:
    return {
        "__init__.py": "",
        "errors.py": render_errors(),
        "records.py": render_records(),
        "opcodes.py": render_opcodes(),
        "optimizers.py": render_optimizers(),
    }
