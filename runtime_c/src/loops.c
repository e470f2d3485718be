#include "loops.h"

#include <string.h>

#include "split.h"
#include "../generated/gm_opcodes.h"

#if GM_WITH_LOOP

static uint32_t words_of(const uint32_t *instruction)
{
    return *instruction >> 16;
}

static int is_guard(const uint32_t *instruction)
{
    return (*instruction & 0xFFFF) == GM_OP_GUARD;
}

/* Runs a copy of the instruction after the GUARD, with its operands advanced. turn: how often it
 * has run before. */
static int run_moved(const gm_session *session, const gm_insn_guard *guard, uint32_t turn)
{
    const uint32_t *guarded = (const uint32_t *)(const void *)(guard + 1);
    uint32_t instruction[GM_MOST_WORDS];
    memcpy(instruction, guarded, words_of(guarded) * sizeof *instruction);
    instruction[1 + guard->operand_a] += turn * guard->step_a;
    instruction[1 + guard->operand_b] += turn * guard->step_b;
    instruction[1 + guard->operand_c] += turn * guard->step_c;
    return gm_execute(session, instruction);
}

/* Runs the instruction after the GUARD, if the GUARD selects this iteration. */
static int run_guarded(const gm_session *session, const gm_insn_guard *guard)
{
    uint32_t since = session->iteration - guard->first;
    if (session->iteration < guard->first || since % guard->period != 0 || since / guard->period >= guard->count) {
        return GM_OK;
    }
    return run_moved(session, guard, since / guard->period);
}

/* Returns the instruction that follows the one at pc. At the loop's end this is the first of the
 * body, unless this is the last iteration. */
static const uint32_t *next_in_loop(gm_session *session, const uint32_t *pc)
{
    const gm_insn_loop *loop = (const gm_insn_loop *)(const void *)session->loop - 1;
    const uint32_t *next = pc + words_of(pc);
    next += is_guard(pc) ? words_of(next) : 0;
    if (next != session->loop + loop->body) {
        return next;
    }
    if (++session->iteration < loop->iterations) {
        return session->loop;
    }
    session->loop = NULL;
    return next;
}

int gm_run_loop(gm_session *session, gm_loop_place *place)
{
    int status = GM_OK;
    if (session->loop == NULL) {
        session->loop = place->pc;
        session->iteration = 0;
    }
    while (place->left != 0 && session->loop != NULL && status == GM_OK) {
        const uint32_t *pc = place->pc;
        status = is_guard(pc) ? run_guarded(session, (const void *)pc) : gm_execute(session, pc);
        place->pc = next_in_loop(session, pc);
        --place->left;
    }
    return status;
}

#endif
