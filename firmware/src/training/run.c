#include "training/run.h"

#include <string.h>

#include "board.h"
#include "console_spec.h"

#define SLICE 8u /* instructions */

void run_reset(run *r)
{
    const uint32_t quiet_nan = 0x7FC00000u;
    memset(r, 0, sizeof *r);
    memcpy(&r->metrics.loss, &quiet_nan, sizeof quiet_nan);
}

/* Notes that the session has begun a program. */
static void begun(run *r, model *m, uint32_t program)
{
    samples_use(&m->samples, &m->session);
    r->active = 1;
    r->program = program;
    r->first_instruction = m->session.instructions;
    r->metrics.ticks = 0;
}

int run_begin(run *r, model *m, uint32_t program)
{
    if (m->status) {
        return m->status;
    }
    if (program >= GM_PROGRAM_COUNT || !model_has(m, program)) {
        return GM_ERR_NO_PROGRAM;
    }
    int error = samples_check(&m->samples, &m->session, program);
    if (error == 0) {
        error = gm_begin(&m->session, program);
    }
    if (error == 0) {
        begun(r, m, program);
    }
    return error;
}

int run_begin_replay(run *r, model *m, uint32_t program)
{
    int error = m->status ? m->status : gm_begin_replay(&m->session, program);
    if (error == 0) {
        samples_lose_labels(&m->samples);
        begun(r, m, program);
    }
    return error;
}

int run_begin_recall(run *r, model *m, uint32_t label, uint32_t first, uint32_t *rows)
{
    int error = m->status ? m->status : gm_begin_recall(&m->session, label, first, rows);
    if (error == 0) {
        begun(r, m, GM_PROGRAM_INFER);
    }
    return error;
}

static void finish(run *r, model *m, int error)
{
    int has_loss = r->program == GM_PROGRAM_EVAL || r->program == GM_PROGRAM_TRAIN || r->program == GM_PROGRAM_STEP;
    r->active = 0;
    r->metrics.instructions = m->session.instructions - r->first_instruction;
    if (error == GM_ERR_NOT_FINITE) {
        ++r->skips;
    } else if (r->program == GM_PROGRAM_STEP || r->program == GM_PROGRAM_OPTIMIZER) {
        r->skips = 0;
    }
    if (error == GM_OK && has_loss) {
        gm_loss(&m->session, r->program, &r->metrics.loss);
    }
}

int run_slice(run *r, model *m)
{
    uint32_t start = board_ticks();
    int result = gm_run(&m->session, SLICE);
    r->metrics.ticks += board_ticks() - start;
    if (result != GM_AGAIN) {
        finish(r, m, result);
    }
    return result;
}
