"""gm_opcodes.h and gm_opcodes.c: the codes, and the tables that the verifier and the executor walk."""

from .c_instructions import file_name
from .spec import COUNTS, Opcode, Operand, Param, Terms, opcodes

NEWLINE = "\n"
#: The types of operands whose elements are not words.
ELEMENTS = {"rule": "GM_RULE", "u8": "GM_BYTES", "bit": "GM_BITS", "i8": "GM_I8", "i16": "GM_I16",
            "moment": "GM_MOMENT"}  # fmt: skip
KINDS = ["dim", "stride", "flag", "f32", "i32", "u32", "enum"]

#: Only files that know all instructions include it, since every new opcode recompiles them.
HEADER = """\
#ifndef GM_OPCODES_H
#define GM_OPCODES_H

#include <stdint.h>
#include "gm_config.h"
{includes}

struct gm_session;

enum gm_opcode {{
{enum}
    GM_OP_LIMIT = {limit}
}};

/* Opcodes from here on are not in the tables of a build that has none of them. */
#define GM_OP_TABLES ({grouped} ? GM_OP_LIMIT : {ungrouped})

/* A kernel runs one verified instruction: GM_OK, or a negative gm_error that ends the program. */
typedef int (*gm_kernel)(const struct gm_session *session, const void *instruction);

/* ---- Tables for gm_open() and the executor ---------------------------------------------------------------- */

#define GM_FOLDS 1u     /* written; strides may be 0 */
#define GM_WRITE 2u
#define GM_OPTIONAL 4u
#define GM_STRIDED 8u
#define GM_IN_PLACE 32u /* an output may take its place */
#define GM_TYPE 208u    /* these bits are one of the following, or 0 for elements of 4 bytes */
#define GM_RULE 16u
#define GM_BYTES 64u    /* u8: elements of 1 byte, from a word on */
#define GM_BITS 128u
#define GM_I8 80u
#define GM_I16 144u
/* 4 bytes, or 2 if the kind in the instruction's rule has GM_MOMENTS_BF16 */
#define GM_MOMENT (GM_WITH_SHORT_MOMENTS ? 192u : 0u)

/* An operand may touch, in elements: the product of parameters terms[0..n_terms), or if GM_STRIDED,
 * 1 + sum of (dim - 1) stride over pairs of terms. A term is the index of a word in the instruction, or
 * GM_TERM_COUNT + c for the constant c. */
#define GM_TERM_COUNT 128u

typedef struct gm_operand_info {{
    uint8_t flags, n_terms;
    uint8_t first_term;          /* index into the shape's terms */
}} gm_operand_info;

enum gm_param_kind {{ {kinds} }};

/* What the verifier knows of an instruction; opcodes of one shape share it. */
typedef struct gm_opcode_shape {{
    const gm_operand_info *operands; /* after the operands, what must stay below 2^31, as if it were one */
    const uint8_t *params;           /* a gm_param_kind each; an enum's is GM_PARAM_ENUM + its number of choices */
    const uint8_t *terms;            /* the first n_work: the product that bounds the kernel's trips */
    uint8_t n_operands, n_params, n_work, n_windows;
}} gm_opcode_shape;

/* NULL if no opcode has this code, or this build leaves it out. */
extern const gm_kernel gm_kernels[GM_OP_TABLES];

extern const gm_opcode_shape gm_shapes[];
extern const uint8_t gm_shape_index[GM_OP_TABLES];

/* NULL if the opcode, which is below GM_OP_TABLES, has no kernel. */
static inline const gm_opcode_shape *gm_shape_of(uint32_t opcode)
{{
    return gm_kernels[opcode] ? &gm_shapes[gm_shape_index[opcode]] : 0;
}}

#define GM_MOST_OPERANDS {operands}u   /* of an instruction */

#define GM_MOST_WORDS {words}u

#if GM_THREADS
#define GM_MOST_FACTORS {factors}u     /* of an extent */

typedef struct gm_split_axis {{
    uint8_t dim;                 /* word of the instruction, 0 if there are no more axes */
    uint8_t grain;               /* ranges start at multiples of it */
}} gm_split_axis;

/* How an instruction may be cut. */
typedef struct gm_split_info {{
    gm_split_axis axes[{axes}];
    uint8_t own;                 /* word of an operand that each part needs for itself, or 0 */
    uint8_t ranged;              /* 1: parts get their range, and have the whole instruction */
}} gm_split_info;

extern const gm_split_info gm_splits[GM_OP_LIMIT];
#endif

#endif
"""


def term(op: Opcode, name: str) -> int:
    if name in COUNTS:
        return 128 + COUNTS[name]
    return 1 + len(op.operands) + [p.name for p in op.params].index(name)


def indices(op: Opcode, terms: Terms) -> list[int]:
    return [term(op, n) for pair in terms for n in pair if n is not None]


def param_kind(p: Param) -> str:
    return f"GM_PARAM_ENUM + {len(p.choices)}" if p.kind == "enum" else f"GM_PARAM_{p.kind.upper()}"


def operand_flags(op: Opcode, operand: Operand) -> str:
    flags = ["GM_WRITE"] if "w" in operand.access else []
    flags += ["GM_OPTIONAL"] if operand.optional else []
    flags += ["GM_STRIDED"] if operand.strided else []
    flags += ["GM_IN_PLACE"] if operand.name in op.inplace else []
    flags += ["GM_FOLDS"] if operand.name in op.folds else []
    flags += [ELEMENTS[operand.dtype]] if operand.dtype in ELEMENTS else []
    return " | ".join(flags) or "0"


def shape_key(op: Opcode) -> tuple[object, ...]:
    """Return a key that is equal for opcodes that look the same to the verifier."""
    return (
        tuple((operand_flags(op, o), tuple(indices(op, o.terms))) for o in op.operands),
        tuple(map(param_kind, op.params)),
        tuple(tuple(indices(op, w)) for w in op.windows),
        tuple(term(op, n) for n in op.work),
    )


def shape_tables(sharing: list[Opcode]) -> str:
    """Return the static tables of one shape, for builds that have any opcode with it."""
    op, name = sharing[0], sharing[0].name.lower()
    terms = [term(op, n) for n in op.work]
    extents = []
    operands = [(operand_flags(op, o), o.terms) for o in op.operands]
    for flags, extent in operands + [("GM_STRIDED", w) for w in op.windows]:
        mine = indices(op, extent)
        extents.append(f"{{ {flags}, {len(mine)}, {len(terms)} }}")
        terms += mine
    params = map(param_kind, op.params)
    extents = extents or ["{ 0, 0, 0 }"]  # C has no empty arrays
    return "\n".join(
        [
            f"#if {any_of(sharing)}",
            f"static const gm_operand_info operands_{name}[] = {{\n    {f',{NEWLINE}    '.join(extents)},\n}};",
            f"static const uint8_t params_{name}[] = {{\n    {f',{NEWLINE}    '.join(params)},\n}};",
            f"static const uint8_t terms_{name}[] = {{ {', '.join(map(str, terms))} }};",
            "#endif\n",
        ]
    )


def any_of(sharing: list[Opcode]) -> str:
    return " || ".join(f"GM_WITH_{op.name}" for op in sharing)


def shape_number(sharing: list[Opcode]) -> str:
    return f"#if {any_of(sharing)}\n    SHAPE_{sharing[0].name},\n#endif"


def shape_row(sharing: list[Opcode]) -> str:
    op, name = sharing[0], sharing[0].name.lower()
    parts = f"operands_{name}, params_{name}, terms_{name}"
    counts = f"{len(op.operands)}, {len(op.params)}, {len(op.work)}, {len(op.windows)}"
    return f"#if {any_of(sharing)}\n    {{ {parts}, {counts} }},\n#endif"


def opcode_row(op: Opcode, value: str) -> str:
    return f"#if GM_WITH_{op.name}\n    [GM_OP_{op.name}] = {value},\n#endif"


def tables(ops: list[Opcode]) -> str:
    shapes: dict[tuple[object, ...], list[Opcode]] = {}
    for op in ops:
        shapes.setdefault(shape_key(op), []).append(op)
    number_of = {op.name: f"SHAPE_{sharing[0].name}" for sharing in shapes.values() for op in sharing}
    kernels = [opcode_row(op, f"gm_kernel_{op.name.lower()}") for op in ops]
    numbers = [opcode_row(op, number_of[op.name]) for op in ops]
    return "\n".join(
        [
            *map(shape_tables, shapes.values()),
            "enum {",
            *map(shape_number, shapes.values()),
            "    SHAPE_COUNT",
            "};\n",
            "const gm_opcode_shape gm_shapes[SHAPE_COUNT > 0 ? SHAPE_COUNT : 1] = {",
            *map(shape_row, shapes.values()),
            "};\n",
            "const uint8_t gm_shape_index[GM_OP_TABLES] = {",
            *numbers,
            "};\n",
            "const gm_kernel gm_kernels[GM_OP_TABLES] = {",
            *kernels,
            "};\n",
        ]
    )


def split_row(op: Opcode) -> str:
    axes = ", ".join(f"{{ {term(op, name)}, {grain} }}" for name, grain in op.cut)
    own = [1 + index for index, operand in enumerate(op.operands) if operand.name in op.own]
    assert len(own) == len(op.own) <= 1, f"{op.name}: own names one operand at most"
    return f"    [GM_OP_{op.name}] = {{ {{ {axes} }}, {own[0] if own else 0}, {int(not op.split)} }},"


def split_table(ops: list[Opcode]) -> str:
    rows = [split_row(op) for op in ops if op.cut]
    return "\n".join(["#if GM_THREADS", "const gm_split_info gm_splits[GM_OP_LIMIT] = {", *rows, "};", "#endif", ""])


def render() -> dict[str, str]:
    ops = opcodes()
    first = min(op.code for op in ops if op.group)
    later = [f"GM_WITH_{op.name}" for op in ops if op.code > first and op.group in ("", "attention")]
    header = HEADER.format(
        includes="\n".join(f'#include "{file_name(o.name)}"' for o in ops),
        enum="\n".join(f"    GM_OP_{o.name} = {o.code}," for o in ops),
        limit=ops[-1].code + 1,
        grouped=" || ".join(["GM_WITH_INT8", "GM_WITH_LOOPS", "GM_WITH_LOOP", *later]),
        ungrouped=first,
        kinds=", ".join(f"GM_PARAM_{k.upper()}" for k in KINDS),
        words=max(o.words for o in ops),
        operands=max(len(o.operands) for o in ops),
        factors=max(len(operand.terms) for o in ops for operand in o.operands),
        axes=max(len(o.cut) for o in ops),
    )
    source = '#include <stddef.h>\n#include "gm_opcodes.h"\n\n'
    source += tables(ops) + "\n" + split_table(ops)
    return {"gm_opcodes.h": header, "gm_opcodes.c": source}
