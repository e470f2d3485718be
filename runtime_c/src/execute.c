/*
 * The executor. gm_open() has verified every instruction, so none is checked here.
 */
#include "program.h"
#include "sound_state.h"
#include "split.h"

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
