/* The verifier of programs: how much an instruction may do. "V14" to "V30" are invariants in
 * docs/SPEC.md. */
#include "verify_programs.h"

#include "image.h"
#include "ranges.h"
#include "verify_operands.h"
#include "../generated/gm_opcodes.h"

#if GM_MAX_WORK > (UINT64_C(1) << 62)
#error "GM_MAX_WORK must not exceed 2^62, so that sums of work cannot overflow"
#endif

/* ---- Instructions ---------------------------------------------------------------------------- */

static int check_param(uint32_t kind, uint32_t value)
{
    uint32_t limit = UINT32_MAX;
    if (kind == GM_PARAM_DIM || kind == GM_PARAM_STRIDE) {
        limit = INT32_MAX;
    } else if (kind == GM_PARAM_FLAG) {
        limit = 1;
    } else if (kind >= GM_PARAM_ENUM) {
        limit = kind - GM_PARAM_ENUM - 1;
    }
    return value <= limit && (value != 0 || kind != GM_PARAM_DIM) ? GM_OK : GM_ERR_BAD_INSTRUCTION;
}

/* V15: each parameter has a value that its kind allows. */
static int check_params(const uint32_t *instruction, const gm_opcode_shape *shape)
{
    for (uint32_t i = 0; i < shape->n_params; ++i) {
        int status = check_param(shape->params[i], instruction[1u + shape->n_operands + i]);
        if (status != GM_OK) {
            return status;
        }
    }
    return GM_OK;
}

/* V25: the numbers that kernels compute about windows stay below 2^31, and so never wrap. */
static int check_windows(const uint32_t *instruction, const gm_opcode_shape *shape)
{
    const gm_operand_info *window = shape->operands + shape->n_operands;
    for (uint32_t i = 0; i < shape->n_windows; ++i) {
        if (gm_extent(instruction, shape, &window[i]) > INT32_MAX) {
            return GM_ERR_BAD_INSTRUCTION;
        }
    }
    return GM_OK;
}

/* ---- Loops ----------------------------------------------------------------------------------- */

#if GM_WITH_LOOP

/* Returns the work of an instruction in one run of the program. work: of one execution. */
static uint64_t work_of_all(const gm_verifier *v, uint64_t work)
{
    return saturating_product(work, v->guard != NULL ? v->guard->count : v->iterations);
}

/* V29: a loop is not nested and does not follow a GUARD, and its body ends inside the program.
 * left: words after the LOOP. */
static int enter_loop(gm_verifier *v, const gm_insn_loop *loop, uint32_t left)
{
    if (v->body != 0 || v->guard != NULL || loop->body > left) {
        return GM_ERR_BAD_INSTRUCTION;
    }
    v->body = loop->body;
    v->iterations = loop->iterations;
    return GM_OK;
}

/* V30: a GUARD is in a loop that reaches all its turns, and the instruction after it is not a
 * GUARD.
 * left: words after it in the loop. */
static int enter_guard(gm_verifier *v, const gm_insn_guard *guard, uint32_t left)
{
    uint64_t last = guard->first + (uint64_t)(guard->count - 1) * guard->period;
    if (v->guard != NULL || v->body == 0 || left == 0 || last >= v->iterations) {
        return GM_ERR_BAD_INSTRUCTION;
    }
    v->guard = guard;
    return GM_OK;
}

/* V30: a GUARD advances only operands that its instruction has. */
static int has_moved_operands(const gm_verifier *v, const gm_opcode_shape *shape)
{
    const gm_insn_guard *g = v->guard;
    return g == NULL ||
           (g->operand_a < shape->n_operands && g->operand_b < shape->n_operands && g->operand_c < shape->n_operands);
}

/* Returns how many words remain in the loop, or in the program. */
static uint32_t words_left(const gm_verifier *v, uint32_t left)
{
    return v->body != 0 ? v->body : left;
}

/* Continues after an instruction. left: words after it, in its loop if it is in one. */
static int end_instruction(gm_verifier *v, const uint32_t *instruction, uint32_t left)
{
    if (v->body != 0) {
        v->body = left;
        v->iterations = left != 0 ? v->iterations : 1;
    }
    if ((instruction[0] & 0xFFFF) == GM_OP_LOOP) {
        return enter_loop(v, (const gm_insn_loop *)(const void *)instruction, left);
    }
    if ((instruction[0] & 0xFFFF) == GM_OP_GUARD) {
        return enter_guard(v, (const gm_insn_guard *)(const void *)instruction, left);
    }
    v->guard = NULL;
    return GM_OK;
}

#else

#define work_of_all(v, work) (work)
#define has_moved_operands(v, shape) 1
#define words_left(v, left) (left)
#define end_instruction(v, instruction, left) GM_OK

#endif

/* V14: the opcode is known and in this build, and the instruction has its length. available: words
 * left in the program, at least 1. */
static int check_instruction(gm_verifier *v, const uint32_t *instruction, uint32_t available)
{
    uint32_t opcode = instruction[0] & 0xFFFF, words = instruction[0] >> 16;
    const gm_opcode_shape *shape = opcode < GM_OP_TABLES ? gm_shape_of(opcode) : NULL;
    if (shape == NULL) {
        return GM_ERR_BAD_OPCODE;
    }
    if (words != 1u + shape->n_operands + shape->n_params || words > available || !has_moved_operands(v, shape)) {
        return GM_ERR_BAD_INSTRUCTION;
    }
    int status = check_params(instruction, shape);
    if (status == GM_OK) {
        status = check_windows(instruction, shape);
    }
    if (status == GM_OK) {
        status = gm_verify_operands(v, instruction, shape);
    }
    if (status != GM_OK) {
        return status;
    }
    uint64_t work = work_of_all(v, gm_product_of_terms(instruction, shape->terms, shape->n_work, 1));
    if (work > GM_MAX_WORK || v->work + work > GM_MAX_WORK) { /* V20 */
        return GM_ERR_TOO_MUCH_WORK;
    }
    v->work += work;
    return end_instruction(v, instruction, available - words);
}

/* ---- Programs -------------------------------------------------------------------------------- */

/* Returns the lowest arena offset that a program may write: only training writes gradients, and
 * only an update writes the state. */
static uint32_t write_floor(const gm_header *header, uint32_t kind)
{
    if (kind == GM_PROGRAM_TRAIN) {
        return header->gradients_offset;
    }
    return kind == GM_PROGRAM_OPTIMIZER || kind == GM_PROGRAM_STEP ? 0 : header->scratch_offset;
}

/* V22: the program's record has the right count and work of its instructions. */
static int check_code(const gm_header *header, const gm_program *program)
{
    gm_verifier v = {.header = header, .program = program, .write_floor = write_floor(header, program->kind)};
#if GM_WITH_LOOP
    v.iterations = 1;
#endif
    const uint8_t *code = gm_section_data(header, GM_SECTION_CODE);
    const uint32_t *instruction = (const uint32_t *)(const void *)(code + program->code_offset);
    uint32_t left = program->code_size / WORD, count = 0;
    while (left != 0) {
        int status = check_instruction(&v, instruction, words_left(&v, left));
        if (status != GM_OK) {
            return status;
        }
        left -= instruction[0] >> 16;
        instruction += instruction[0] >> 16;
        ++count;
    }
    uint64_t work = (uint64_t)program->work_high << 32 | program->work_low;
    return count == program->instructions && v.work == work ? GM_OK : GM_ERR_BAD_PROGRAM;
}

static int trains(uint32_t kind)
{
    return kind == GM_PROGRAM_TRAIN || kind == GM_PROGRAM_OPTIMIZER || kind == GM_PROGRAM_STEP;
}

/* V21: there is at most one program of each kind, its code is inside section CODE, and its arena is
 * no larger than the image's. */
GM_COLD int gm_verify_programs(const gm_header *header)
{
    const gm_program *program = gm_section_data(header, GM_SECTION_PROGRAMS);
    uint32_t count = section_records(header, GM_SECTION_PROGRAMS, sizeof *program), seen = 0;
    for (uint32_t i = 0; i < count; ++i, ++program) {
        if (program->kind >= GM_PROGRAM_COUNT || (seen >> program->kind & 1) != 0 || program->code_size % WORD != 0 ||
            !lies_in(program->code_offset, program->code_size, 0, header->sections[GM_SECTION_CODE].size) ||
            program->arena_size > header->arena_size) {
            return GM_ERR_BAD_PROGRAM;
        }
        seen |= UINT32_C(1) << program->kind;
        int status = !GM_TRAINING && trains(program->kind) ? GM_ERR_BAD_OPCODE : check_code(header, program);
        if (status != GM_OK) {
            return status;
        }
    }
    return GM_OK;
}
