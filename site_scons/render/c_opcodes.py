"""gm_opcodes.h and gm_opcodes.c: instruction structs, kernel prototypes, and the tables that the verifier and the
executor walk."""

from .spec import COUNTS, Opcode, Operand, Param, opcodes

ACCESS = {"r": "GM_READ", "w": "GM_WRITE", "rw": "GM_READ | GM_WRITE"}
C_PARAM = {"dim": "uint32_t", "stride": "uint32_t", "flag": "uint32_t", "f32": "float", "i32": "int32_t",
           "u32": "uint32_t", "enum": "uint32_t"}
KINDS = ["dim", "stride", "flag", "f32", "i32", "u32", "enum"]

HEADER = """\
#ifndef GM_OPCODES_H
#define GM_OPCODES_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

enum gm_opcode {{
{enum}
    GM_OP_LIMIT = {limit}
}};

{choices}

{structs}

/* A kernel runs one verified instruction: GM_OK, or a negative gm_error that ends the program. */
typedef int (*gm_kernel)(const struct gm_session *session, const void *instruction);

{prototypes}

{selections}

/* ---- Tables for gm_open() and the executor ---------------------------------------------------------------- */

#define GM_READ 1u
#define GM_WRITE 2u
#define GM_OPTIONAL 4u
#define GM_STRIDED 8u
#define GM_RULE 16u
#define GM_INDEX 32u  /* holds indices: no other operand of the instruction may write over it */

/* An operand may touch, in elements of 4 bytes: the product of parameters terms[0..n_terms), or where GM_STRIDED,
 * 1 + sum of (dim - 1) stride over pairs of terms. A term is the index of a word in the instruction, or
 * GM_TERM_COUNT + c for the constant c. */
#define GM_TERM_COUNT 128u

typedef struct gm_operand_info {{
    uint8_t flags, n_terms;
    uint16_t first_term;         /* index into gm_terms */
}} gm_operand_info;

enum gm_param_kind {{ {kinds} }};

typedef struct gm_opcode_info {{
    gm_kernel kernel;            /* NULL where this build leaves it out */
    uint8_t n_operands, n_params, n_work;
    uint16_t first_operand, first_param, first_work; /* indices into gm_operands, gm_param_kinds, gm_terms */
}} gm_opcode_info;

extern const gm_opcode_info gm_opcodes[GM_OP_LIMIT];
extern const gm_operand_info gm_operands[];
/* A gm_param_kind; an enum's kind is GM_PARAM_ENUM + its number of choices. */
extern const uint8_t gm_param_kinds[];
extern const uint8_t gm_terms[];

#endif
"""


def struct(op: Opcode) -> str:
    lines = [f"/* {op.meaning} */", f"typedef struct gm_insn_{op.name.lower()} {{", "    uint32_t head;"]
    lines += [f"    uint32_t {o.name};" for o in op.operands]
    lines += [f"    {C_PARAM[p.kind]} {p.name};" for p in op.params]
    lines += [f"}} gm_insn_{op.name.lower()};"]
    size = f"sizeof(gm_insn_{op.name.lower()}) == {4 * op.words}"
    lines += [f"typedef char gm_assert_insn_{op.name.lower()}[{size} ? 1 : -1];"]
    return "\n".join(lines)


def choices(ops: list[Opcode]) -> str:
    seen: dict[str, tuple[str, ...]] = {}
    for p in (p for op in ops for p in op.params if p.kind == "enum"):
        assert seen.setdefault(p.name, p.choices) == p.choices, f"enum {p.name} has two meanings"
    return "\n".join(
        f"enum gm_{n} {{ {', '.join(f'GM_{n.upper()}_{c.upper()} = {i}' for i, c in enumerate(cs))} }};"
        for n, cs in seen.items()
    )


def term(op: Opcode, name: str) -> int:
    if name in COUNTS:
        return 128 + COUNTS[name]
    return 1 + len(op.operands) + [p.name for p in op.params].index(name)


def operand_terms(op: Opcode, operand: Operand) -> list[int]:
    return [term(op, n) for pair in operand.terms for n in pair if n is not None]


def param_kind(p: Param) -> str:
    return f"GM_PARAM_ENUM + {len(p.choices)}" if p.kind == "enum" else f"GM_PARAM_{p.kind.upper()}"


def operand_flags(operand: Operand) -> str:
    flags = [ACCESS[operand.access]]
    flags += ["GM_OPTIONAL"] if operand.optional else []
    flags += ["GM_STRIDED"] if operand.strided else []
    flags += ["GM_RULE"] if operand.dtype == "rule" else []
    flags += ["GM_INDEX"] if operand.dtype == "i32" else []
    return " | ".join(flags)


def tables(ops: list[Opcode]) -> str:
    terms: list[int] = []
    operands: list[str] = []
    params: list[str] = []
    infos: list[str] = []
    for op in ops:
        first_operand, first_param = len(operands), len(params)
        for o in op.operands:
            mine = operand_terms(op, o)
            operands.append(f"    {{ {operand_flags(o)}, {len(mine)}, {len(terms)} }}, /* {op.name} {o.name} */")
            terms += mine
        params += [f"    {param_kind(p)}, /* {op.name} {p.name} */" for p in op.params]
        work = [term(op, n) for n in op.work]
        infos.append(
            f"    [GM_OP_{op.name}] = {{ GM_KERNEL_{op.name}, {len(op.operands)}, {len(op.params)}, {len(work)}, "
            f"{first_operand}, {first_param}, {len(terms)} }},"
        )
        terms += work
    rows = [", ".join(map(str, terms[i : i + 16])) for i in range(0, len(terms), 16)]
    return "\n".join(
        [
            "const gm_opcode_info gm_opcodes[GM_OP_LIMIT] = {", *infos, "};", "",
            "const gm_operand_info gm_operands[] = {", *operands, "};", "",
            "const uint8_t gm_param_kinds[] = {", *params, "};", "",
            "const uint8_t gm_terms[] = {", *(f"    {r}," for r in rows), "};", "",
        ]
    )


def kernel_macro(op: Opcode) -> str:
    return (
        f"#if GM_WITH_{op.name}\n#define GM_KERNEL_{op.name} gm_kernel_{op.name.lower()}\n"
        f"#else\n#define GM_KERNEL_{op.name} NULL\n#endif"
    )


def render() -> dict[str, str]:
    ops = opcodes()
    header = HEADER.format(
        enum="\n".join(f"    GM_OP_{o.name} = {o.code}," for o in ops),
        limit=ops[-1].code + 1,
        choices=choices(ops),
        structs="\n\n".join(struct(o) for o in ops),
        prototypes="\n".join(
            f"int gm_kernel_{o.name.lower()}(const struct gm_session *session, const void *instruction);" for o in ops
        ),
        selections="\n".join(
            f"#ifndef GM_WITH_{o.name}\n#define GM_WITH_{o.name} (!GM_ONLY_SELECTED)\n#endif" for o in ops
        ),
        kinds=", ".join(f"GM_PARAM_{k.upper()}" for k in KINDS),
    )
    source = '#include <stddef.h>\n#include "gm_opcodes.h"\n\n'
    source += "\n".join(kernel_macro(o) for o in ops) + "\n\n" + tables(ops)
    return {"gm_opcodes.h": header, "gm_opcodes.c": source}
