/*
 * The executor. It checks nothing: gm_open() has verified every instruction.
 */
#include "fresh_sums.h"
#include "loops.h"
#include "program.h"
#include "sound_state.h"
#include "split.h"

/* Returns whether the next instruction belongs to a loop. status: from the previous instruction. */
static int is_looping(const gm_session *session, int status)
{
    return GM_WITH_LOOP && (status == GM_LOOPING || (status == GM_OK && session->loop != NULL));
}

static int execute(const gm_session *session, const uint32_t *instruction)
{
    return session->execute != NULL ? session->execute(session, instruction) : gm_execute(session, instruction);
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
    for (;;) {
        if (is_looping(session, status)) {
            gm_loop_place place = {pc, left};
            status = gm_run_loop(session, &place);
            pc = place.pc;
            left = place.left;
        }
        while (left != 0 && pc != end && status == GM_OK) {
            gm_before_instruction(session, pc);
            status = execute(session, pc);
            pc += *pc >> 16;
            --left;
        }
        if (!GM_WITH_LOOP || status != GM_LOOPING) {
            break;
        }
    }
    session->instructions += max_instructions - left;
    if (pc == end || status != GM_OK) {
        return gm_end_program(session, status);
    }
    session->pc = pc;
    return GM_AGAIN;
}
