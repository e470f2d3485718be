/*
 * The executor. gm_open() has verified every instruction, so nothing is checked here.
 */
#include "../generated/gm_opcodes.h"
#include "gm_image.h"
#include "split.h"

static const gm_program *find_program(const gm_header *header, uint32_t kind)
{
    const gm_program *program = gm_section_data(header, GM_SECTION_PROGRAMS);
    for (uint32_t left = header->sections[GM_SECTION_PROGRAMS].size; left != 0; left -= (uint32_t)sizeof *program) {
        if (program->kind == kind) {
            return program;
        }
        ++program;
    }
    return NULL;
}

int gm_begin(gm_session *session, uint32_t program)
{
    int status = gm_idle(session);
    if (status != GM_OK) {
        return status;
    }
    const gm_program *found = find_program(session->header, program);
    if (found == NULL) {
        return GM_ERR_NO_PROGRAM;
    }
    status = gm_before_program(session, program);
    if (status != GM_OK) {
        return status;
    }
    const uint8_t *code = gm_section_data(session->header, GM_SECTION_CODE);
    session->pc = (const uint32_t *)(const void *)(code + found->code_offset);
    session->end = session->pc + found->code_size / sizeof *session->pc;
    session->running = program;
    return GM_OK;
}

int gm_run(gm_session *session, uint32_t max_instructions)
{
    if (session == NULL || session->pc == NULL) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    const uint32_t *pc = session->pc;
    const uint32_t *const end = session->end;
    uint32_t left = max_instructions;
    int status = GM_TRAINING && session->proven != GM_PROVEN ? gm_prove(session) : GM_OK;
    while (left != 0 && pc != end && status == GM_OK) {
        status = gm_execute(session, pc);
        pc += *pc >> 16;
        --left;
    }
    session->instructions += max_instructions - left;
    if (pc == end || status != GM_OK) {
        return gm_end_program(session, status);
    }
    session->pc = pc;
    return GM_AGAIN;
}
