/* Reads an instruction's operands from the tables of all opcodes. Kernels know their own operands
 * and do not need this. */
#ifndef GM_SHAPES_H
#define GM_SHAPES_H

#include "gradmote.h"
#include "../generated/gm_opcodes.h"

/* Returns the value of a term in a shape of opcodes.toml: a word of the instruction, or a
 * constant. */
static inline uint32_t gm_term_value(const uint32_t *instruction, uint8_t term)
{
    return term < GM_TERM_COUNT ? instruction[term] : term - GM_TERM_COUNT;
}

/* Returns the number of elements from an operand's first to its last. gm_open() has verified that
 * their bytes fit. */
static inline uint32_t gm_extent_of(const uint32_t *instruction, const gm_opcode_shape *shape,
                                    const gm_operand_info *info)
{
    const uint8_t *term = shape->terms + info->first_term;
    int is_strided = (info->flags & GM_STRIDED) != 0;
    uint32_t elements = 1;
    for (uint32_t i = 0; i < info->n_terms; i += is_strided ? 2 : 1) {
        uint32_t dim = gm_term_value(instruction, term[i]);
        elements = is_strided ? elements + (dim - 1) * gm_term_value(instruction, term[i + 1]) : elements * dim;
    }
    return elements;
}

/* Returns the word of the operand of type rule, or GM_NONE if the instruction has none. */
static inline uint32_t gm_rule_operand(const uint32_t *instruction, const gm_opcode_shape *shape)
{
    for (uint32_t i = 0; i < shape->n_operands; i++) {
        if ((shape->operands[i].flags & GM_TYPE) == GM_RULE) {
            return instruction[1 + i];
        }
    }
    return GM_NONE;
}

/* Returns the size in bytes of an operand's elements. flags: of its gm_operand_info. */
static inline uint32_t gm_bytes_of(uint32_t flags, uint32_t elements)
{
    switch (flags & GM_TYPE) {
    case GM_BITS: return (elements + 7) / 8;
    case GM_BYTES:
    case GM_I8: return elements;
    case GM_I16: return 2 * elements;
    default: return 4 * elements;
    }
}

#endif
