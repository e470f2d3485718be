/* The verifier of operands: which bytes an instruction may touch. */
#ifndef GM_VERIFY_OPERANDS_H
#define GM_VERIFY_OPERANDS_H

#include "loops.h"
#include "shapes.h"

/* A program being verified. */
typedef struct gm_verifier {
    const gm_header *header;
    const gm_program *program;
    uint32_t write_floor; /* lowest arena offset that the program may write */
    uint64_t work;        /* of the instructions seen so far, in inner-loop trips */
#if GM_WITH_LOOP
    uint32_t body;              /* words of the LOOP's body still to come; 0 outside */
    uint32_t iterations;        /* of that LOOP; 1 outside */
    const gm_insn_guard *guard; /* of the instruction, or NULL */
#endif
} gm_verifier;

/* Returns the product of the terms [0], [step], [2 step] .. below `count`, or UINT64_MAX if it does
 * not fit. */
uint64_t gm_product_of_terms(const uint32_t *instruction, const uint8_t *term, uint32_t count, uint32_t step);

/* Returns how many elements the kernel may touch, counted from the operand's first one. */
uint64_t gm_extent(const uint32_t *instruction, const gm_opcode_shape *shape, const gm_operand_info *info);

/* Verifies the operands of an instruction whose parameters are verified. Returns GM_OK,
 * GM_ERR_BAD_OPERAND, or GM_ERR_BAD_OPCODE if this build lacks the update rule. */
int gm_verify_operands(const gm_verifier *v, const uint32_t *instruction, const gm_opcode_shape *shape);

#endif
