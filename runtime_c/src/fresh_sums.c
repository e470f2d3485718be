#include "fresh_sums.h"

#if GM_FRESH_SUMS

#include "image.h"
#include "shapes.h"

/* ---- How an instruction uses gradients ------------------------------------------------------- */

/* Returns whether the instruction accumulates into its output, element by element. */
static int adds_to_output(const uint32_t *instruction)
{
    const void *insn = instruction;
    const gm_insn_add *add = insn;
    switch (*instruction & 0xFFFF) {
    case GM_OP_GEMM: return ((const gm_insn_gemm *)insn)->accumulate != 0;
    case GM_OP_REDUCE_SUM: return ((const gm_insn_reduce_sum *)insn)->accumulate != 0;
    case GM_OP_CONV_GRAD_W: return ((const gm_insn_conv_grad_w *)insn)->accumulate != 0;
    case GM_OP_CONV_GRAD_W_S8: return ((const gm_insn_conv_grad_w_s8 *)insn)->accumulate != 0;
    case GM_OP_CONV_GRAD_W_S16: return ((const gm_insn_conv_grad_w_s16 *)insn)->accumulate != 0;
    case GM_OP_SUM_S16: return ((const gm_insn_sum_s16 *)insn)->accumulate != 0;
    case GM_OP_ADD: return add->a == add->y && add->d0 == 1 && add->d1 == 1 && add->d2 == 1 && add->a3 == 1;
    default: return 0;
    }
}

/* Returns the bytes from the operand's first element to its last one. */
static uint32_t size_of(const uint32_t *instruction, const gm_opcode_shape *shape, uint32_t index)
{
    const gm_operand_info *info = &shape->operands[index];
    return gm_bytes_of(info->flags, gm_extent_of(instruction, shape, info));
}

/* Returns whether an operand overlaps the gradients. */
static int touches_gradients(const gm_session *session, uint32_t operand, uint32_t size)
{
    uint32_t start = session->header->gradients_offset, end = start + session->header->gradients_size;
    return operand != GM_NONE && (operand & GM_CONSTANT_BIT) == 0 && operand < end && operand + size > start;
}

/* ---- Whether each gradient is the sum of one instruction -------------------------------------- */

/* Marks words of the gradients, which are zero until an instruction claims them. Returns 0 if one
 * is already marked, or if the range leaves the gradients. */
static int mark(const gm_session *session, uint32_t operand, uint32_t size)
{
    uint32_t *word = (uint32_t *)(void *)(session->arena + operand);
    uint32_t start = session->header->gradients_offset, end = start + session->header->gradients_size;
    if (operand < start || operand + size > end) {
        return 0;
    }
    for (uint32_t left = size / sizeof *word; left > 0; left--) {
        if (*word != 0) {
            return 0;
        }
        *word++ = 1;
    }
    return 1;
}

/* Marks the gradients that the instruction adds to. Returns 0 if it uses gradients in any other
 * way. */
static int mark_sums_of(const gm_session *session, const uint32_t *instruction)
{
    const gm_opcode_shape *shape = gm_shape_of(*instruction & 0xFFFF);
    int adds = adds_to_output(instruction);
    for (uint32_t i = 0; i < shape->n_operands; i++) {
        uint32_t operand = instruction[1 + i];
        uint32_t size = size_of(instruction, shape, i);
        if (!touches_gradients(session, operand, size)) {
            continue;
        }
        int is_output = (shape->operands[i].flags & GM_WRITE) != 0;
        int is_added_to = i == 0 && (*instruction & 0xFFFF) == GM_OP_ADD;
        if (!adds || !(is_output ? mark(session, operand, size) : is_added_to)) {
            return 0;
        }
    }
    return 1;
}

/* Returns whether all gradients of a parameter are marked. */
static int is_marked(const gm_session *session, const gm_state_entry *parameter)
{
    const uint32_t *word = (const uint32_t *)(const void *)(session->arena + parameter->gradient);
    for (uint32_t left = gm_gradient_size(parameter) / sizeof *word; left > 0; left--) {
        if (*word++ == 0) {
            return 0;
        }
    }
    return 1;
}

static int are_all_marked(const gm_session *session)
{
    const gm_state_entry *entry = gm_section_data(session->header, GM_SECTION_STATE);
    const gm_state_entry *end = entry + session->header->sections[GM_SECTION_STATE].size / sizeof *entry;
    for (; entry != end; entry++) {
        if (entry->role == GM_STATE_ROLE_PARAMETER && entry->gradient != GM_NONE && !is_marked(session, entry)) {
            return 0;
        }
    }
    return 1;
}

/* Returns whether each gradient is the sum of one instruction of TRAIN. Leaves its marks in the
 * gradients, with zeros between them. */
static int are_single_sums(const gm_session *session, const gm_program *program)
{
    const uint8_t *code = gm_section_data(session->header, GM_SECTION_CODE);
    const uint32_t *pc = (const uint32_t *)(const void *)(code + program->code_offset);
    const uint32_t *end = pc + program->code_size / sizeof *pc;
    gm_clear_gradients(session);
    for (; pc != end; pc += *pc >> 16) {
        if ((*pc & 0xFFFF) == GM_OP_LOOP || !mark_sums_of(session, pc)) {
            return 0;
        }
    }
    return are_all_marked(session);
}

/* ---- Running --------------------------------------------------------------------------------- */

void gm_begin_fresh_sums(gm_session *session, const gm_program *program)
{
    if (session->sums == GM_SUMS_UNKNOWN) {
        session->sums = are_single_sums(session, program) ? GM_SUMS_SINGLE : GM_SUMS_OTHER;
    }
    session->fresh = session->sums == GM_SUMS_SINGLE;
    if (!session->fresh) {
        gm_clear_gradients(session);
    }
}

void gm_clear_fresh_sum(const gm_session *session, const uint32_t *instruction)
{
    uint32_t opcode = *instruction & 0xFFFF;
    if (opcode == GM_OP_GEMM || !adds_to_output(instruction)) {
        return;
    }
    const gm_opcode_shape *shape = gm_shape_of(opcode);
    for (uint32_t i = 0; i < shape->n_operands; i++) {
        uint32_t operand = instruction[1 + i];
        if ((shape->operands[i].flags & GM_WRITE) != 0 && gm_is_fresh_sum(session, operand)) {
            memset(session->arena + operand, 0, size_of(instruction, shape, i));
        }
    }
}

#endif
