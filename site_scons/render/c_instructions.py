"""instructions/<opcode>.h: an instruction's struct, its kernel's prototype, and whether a build has the kernel.

Each opcode has its own header, so that a new opcode recompiles only the kernels that include it.
"""

from .spec import Opcode, Param, opcodes

C_PARAM = {
    "dim": "uint32_t",
    "stride": "uint32_t",
    "flag": "uint32_t",
    "f32": "float",
    "i32": "int32_t",
    "u32": "uint32_t",
    "enum": "uint32_t",
}
#: The builds that have the opcodes of a group, unless they select opcodes one by one.
BUILDS = {
    "": "!GM_ONLY_SELECTED",
    "int8": "!GM_ONLY_SELECTED && GM_WITH_INT8",
    "loops": "!GM_ONLY_SELECTED && GM_WITH_LOOPS",
    "attention": "!GM_ONLY_SELECTED && GM_WITH_FUSED_ATTENTION",
}
HEADER = """\
#ifndef GM_INSTRUCTIONS_{guard}_H
#define GM_INSTRUCTIONS_{guard}_H

{parts}

#endif
"""


def file_name(name: str) -> str:
    """Return the path of a header from the folder of generated files."""
    return f"instructions/{name.lower()}.h"


def header(name: str, *parts: str) -> dict[str, str]:
    """Return the path and text of a header with these parts; empty ones are dropped."""
    return {file_name(name): HEADER.format(guard=name.upper(), parts="\n\n".join(filter(None, parts)))}


def struct(op: Opcode) -> str:
    lines = [f"/* {op.meaning} */", f"typedef struct gm_insn_{op.name.lower()} {{", "    uint32_t head;"]
    lines += [f"    uint32_t {o.name};" for o in op.operands]
    lines += [f"    {C_PARAM[p.kind]} {p.name};" for p in op.params]
    lines += [f"}} gm_insn_{op.name.lower()};"]
    size = f"sizeof(gm_insn_{op.name.lower()}) == {4 * op.words}"
    lines += [f"typedef char gm_assert_insn_{op.name.lower()}[{size} ? 1 : -1];"]
    return "\n".join(lines)


def prototype(op: Opcode) -> str:
    return f"int gm_kernel_{op.name.lower()}(const struct gm_session *session, const void *instruction);"


def choices(param: Param) -> str:
    """Return the enum of a parameter's choices."""
    names = (f"GM_{param.name.upper()}_{choice.upper()} = {i}" for i, choice in enumerate(param.choices))
    return f"enum gm_{param.name} {{ {', '.join(names)} }};"


def shared_enums(ops: list[Opcode]) -> dict[str, Param]:
    """Return the enums that several opcodes share, by name. Raises ValueError if one has two meanings."""
    seen: dict[str, Param] = {}
    shared: dict[str, Param] = {}
    for param in (p for op in ops for p in op.params if p.kind == "enum"):
        if seen.setdefault(param.name, param) is not param:
            shared[param.name] = param
        if seen[param.name] != param:
            raise ValueError(f"enum {param.name} has two meanings")
    return shared


def callers(op: Opcode, ops: list[Opcode]) -> list[str]:
    """Return the names of the opcodes whose kernels call this one's."""
    return [other.name for other in ops if op.name in other.calls]


def selection(op: Opcode, ops: list[Opcode]) -> str:
    """Return the default of GM_WITH_<opcode>: builds with an opcode also have the kernels that it calls."""
    others = [f" || GM_WITH_{name}" for name in callers(op, ops)]
    builds = f"({BUILDS[op.group]})" if others else BUILDS[op.group]
    return f"#ifndef GM_WITH_{op.name}\n#define GM_WITH_{op.name} ({builds}{''.join(others)})\n#endif"


def instruction(op: Opcode, ops: list[Opcode], shared: dict[str, Param]) -> dict[str, str]:
    """Return the path and the text of an opcode's header."""
    enums = [p for p in op.params if p.kind == "enum"]
    needed = [*(enum_name(p) for p in enums if p.name in shared), *callers(op, ops)]
    includes = ["#include <stdint.h>", '#include "gm_config.h"', *(f'#include "{n.lower()}.h"' for n in needed)]
    own = [choices(p) for p in enums if p.name not in shared]
    parts = ["\n".join(includes), "struct gm_session;", *own, struct(op), prototype(op), selection(op, ops)]
    return header(op.name, *parts)


def enum_name(param: Param) -> str:
    """Return the name of the header of an enum that several opcodes share."""
    return f"enum_{param.name}"


def render() -> dict[str, str]:
    ops = opcodes()
    shared = shared_enums(ops)
    files: dict[str, str] = {}
    for param in shared.values():
        files |= header(enum_name(param), choices(param))
    for op in ops:
        files |= instruction(op, ops, shared)
    return files
