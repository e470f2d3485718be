/*
 * The running program, and its effects beyond its instructions: it starts gradients from zero,
 * counts steps, and advances the schedule.
 */
#include "program.h"

#include "borrowed_input.h"
#include "fresh_sums.h"
#include "image.h"
#include "schedule.h"

int gm_idle(const gm_session *session)
{
    if (session == NULL || session->header == NULL) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    return session->pc != NULL ? GM_ERR_BUSY : GM_OK;
}

/* Prepares the gradients: those of the first micro-batch start from 0, and an update uses the mean
 * of all. */
static int prepare_gradients(gm_session *session, const gm_program *program)
{
    gm_control *control = gm_control_of(session);
    uint32_t kind = program->kind;
    if (kind == GM_PROGRAM_OPTIMIZER && control->accumulated == 0) {
        return GM_ERR_NO_GRADIENTS;
    }
    if (kind == GM_PROGRAM_OPTIMIZER) {
        control->gradient_scale = 1.0f / (float)control->accumulated;
    } else if (control->accumulated == 0) {
        gm_begin_fresh_sums(session, program);
    }
    return GM_OK;
}

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

GM_COLD int gm_begin(gm_session *session, uint32_t program)
{
    int status = gm_idle(session);
    if (status != GM_OK) {
        return status;
    }
    const gm_program *found = find_program(session->header, program);
    if (found == NULL) {
        return GM_ERR_NO_PROGRAM;
    }
    if (GM_TRAINING && (program == GM_PROGRAM_TRAIN || program == GM_PROGRAM_OPTIMIZER)) {
        status = prepare_gradients(session, found);
        if (status != GM_OK) {
            return status;
        }
    }
    const uint8_t *code = gm_section_data(session->header, GM_SECTION_CODE);
    session->pc = (const uint32_t *)(const void *)(code + found->code_offset);
    session->end = session->pc + found->code_size / sizeof *session->pc;
    if (GM_WITH_LOOP) {
        session->loop = NULL;
    }
    session->running = program;
    return GM_OK;
}

/* Forgets the running program, and restores the input's first sample. */
static void leave_program(gm_session *session)
{
    session->pc = NULL;
    session->execute = NULL;
    if (GM_WITH_STORE && session->borrowed) {
        gm_return_input(session);
    }
}

/* Counts a program that has ended, and advances the schedule. status: how it ended. */
static void count_program(gm_control *control, uint32_t kind, int status)
{
    int trains = kind == GM_PROGRAM_TRAIN || kind == GM_PROGRAM_STEP;
    int updates = kind == GM_PROGRAM_OPTIMIZER || kind == GM_PROGRAM_STEP;
    if (status != GM_OK) {
        control->skipped_steps += (trains || updates) && status == GM_ERR_NOT_FINITE;
        if (kind == GM_PROGRAM_OPTIMIZER) {
            control->accumulated = 0; /* it would refuse these gradients again */
        }
        return;
    }
    control->accumulated += kind == GM_PROGRAM_TRAIN;
    control->train_steps += (uint32_t)trains;
    if (updates) {
        ++control->optimizer_steps;
        gm_advance_schedule(control);
    }
}

int gm_end_program(gm_session *session, int status)
{
    leave_program(session);
    gm_end_fresh_sums(session, status == GM_OK);
    if (GM_TRAINING) {
        count_program(gm_control_of(session), session->running, status);
    }
    return status;
}

void gm_abort(gm_session *session)
{
    if (session == NULL || session->pc == NULL) {
        return;
    }
    leave_program(session);
    gm_end_fresh_sums(session, 0);
    if (session->running == GM_PROGRAM_TRAIN) {
        gm_control_of(session)->accumulated = 0; /* the gradients may include half a micro-batch */
    }
}

int gm_lazy_reset_grad(gm_session *session)
{
    int status = gm_idle(session);
    if (status == GM_OK) {
        gm_control_of(session)->accumulated = 0;
    }
    return status;
}
