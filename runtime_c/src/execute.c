/*
 * The executor. gm_open() has verified every instruction, so nothing is checked here.
 */
#include "../generated/gm_opcodes.h"
#include "gm_image.h"
#include "split.h"

static const gm_program *find_program(const gm_header *header, uint32_t kind)
{
    const gm_program *program = gm_section_data(header, GM_SECTION_PROGRAMS);
    uint32_t count = header->sections[GM_SECTION_PROGRAMS].size / (uint32_t)sizeof *program;
    for (uint32_t i = 0; i < count; ++i) {
        if (program[i].kind == kind) {
            return &program[i];
        }
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

static void end_program(gm_session *session)
{
    session->pc = NULL;
    if (GM_WITH_STORE && session->lent) {
        gm_return_sample(session);
    }
}

int gm_run(gm_session *session, uint32_t max_instructions)
{
    if (session == NULL || session->pc == NULL) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    const uint32_t *pc = session->pc;
    const uint32_t *const end = session->end;
    uint32_t left = max_instructions;
    int status = GM_OK;
    while (left != 0 && pc != end && status == GM_OK) {
        const uint32_t *next = pc + (*pc >> 16);
        status = gm_execute(session, pc);
        pc = next;
        --left;
    }
    session->instructions += max_instructions - left;
    if (pc != end && status == GM_OK) {
        session->pc = pc;
        return GM_AGAIN;
    }
    end_program(session);
    gm_after_program(session, session->running, status);
    return status;
}

void gm_abort(gm_session *session)
{
    if (session == NULL || session->pc == NULL) {
        return;
    }
    end_program(session);
    if (session->running == GM_PROGRAM_TRAIN) {
        gm_control_of(session)->accumulated = 0; /* half a micro-batch may be in the gradient region */
    }
}
