#include "repair.h"

#include "gradmote.h"
#include "../../runtime_c/generated/gm_opcodes.h"

static int lies_in(uint32_t offset, uint32_t size, uint32_t end)
{
    return offset % 4 == 0 && offset <= end && size <= end - offset;
}

static uint64_t work_of(const uint32_t *instruction, const gm_opcode_shape *shape)
{
    uint64_t work = 1;
    for (uint32_t i = 0; i < shape->n_work && work <= UINT32_MAX; ++i) {
        uint8_t term = shape->terms[i];
        work *= term < GM_TERM_COUNT ? instruction[term] : term - GM_TERM_COUNT;
    }
    return work;
}

/* The loop and the GUARD around instructions. */
typedef struct repetition {
    uint32_t body;               /* words of the loop that are still to come */
    uint32_t iterations, turns;  /* of that loop; of a GUARD right before, or 0 */
} repetition;

/* Returns how often an instruction runs, and moves on to the next. */
static uint32_t times_run(repetition *r, const uint32_t *instruction)
{
    uint32_t opcode = *instruction & 0xFFFF, words = *instruction >> 16;
    uint32_t times = r->turns != 0 ? r->turns : r->body != 0 ? r->iterations : 1;
    r->body -= words < r->body ? words : r->body;
    r->turns = opcode == GM_OP_GUARD ? ((const gm_insn_guard *)(const void *)instruction)->count : 0;
    if (opcode == GM_OP_LOOP) {
        r->body = ((const gm_insn_loop *)(const void *)instruction)->body;
        r->iterations = ((const gm_insn_loop *)(const void *)instruction)->iterations;
    }
    return times;
}

/* Counts the instructions and their work as the verifier will. */
static void repair_program(gm_program *program, const uint32_t *code)
{
    uint32_t left = program->code_size / 4;
    uint64_t work = 0;
    repetition r = {0, 0, 0};
    program->instructions = 0;
    for (; left != 0; ++program->instructions) {
        uint32_t opcode = *code & 0xFFFF, words = *code >> 16;
        const gm_opcode_shape *shape = opcode < GM_OP_TABLES ? gm_shape_of(opcode) : NULL;
        if (shape == NULL || words > left || words != 1u + shape->n_operands + shape->n_params) {
            break;
        }
        uint64_t once = work_of(code, shape);
        work += once <= UINT32_MAX ? once * times_run(&r, code) : once;
        code += words;
        left -= words;
    }
    program->work_low = (uint32_t)work;
    program->work_high = (uint32_t)(work >> 32);
}

void repair(uint8_t *image, uint32_t size)
{
    gm_header *header = (gm_header *)(void *)image;
    if (header->size < sizeof *header || header->size > size) {
        header->size = size;
    }
    gm_section programs = header->sections[GM_SECTION_PROGRAMS], code = header->sections[GM_SECTION_CODE];
    if (lies_in(programs.offset, programs.size, header->size) && lies_in(code.offset, code.size, header->size) &&
        programs.offset >= sizeof *header) {
        gm_program *program = (gm_program *)(void *)(image + programs.offset);
        for (uint32_t i = 0; i < programs.size / sizeof *program; ++i) {
            if (lies_in(program[i].code_offset, program[i].code_size, code.size)) {
                repair_program(&program[i], (const uint32_t *)(void *)(image + code.offset + program[i].code_offset));
            }
        }
    }
    header->crc = gm_crc32(0, image + 16, header->size - 16);
}
