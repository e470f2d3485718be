#include "training/federated.h"

#include <string.h>

#include "console_spec.h"
#include "device/memory.h"
#include "storage/slots.h"

int federated_round(const model *m, gm_federated_round *round)
{
    memset(round, 0, sizeof *round);
    if (m->status) {
        return m->status;
    }
    round->base = slots_base(&m->session, &round->number).base;
    return 0;
}

int federated_begin(model *m, uint32_t number)
{
    if (m->status) {
        return m->status;
    }
    upload_abandon(&m->upload);
    return number != 0 ? slots_save_base(&m->session, number, NULL) : slots_forget_base(&m->session);
}

/* ---- The delta to the next base --------------------------------------------------------------- */

/* Returns the address of a waiting delta. A program that begins needs nothing in this memory,
 * except for samples that it may overwrite. */
static uint8_t *waiting_room(const model *m)
{
    return m->session.arena + m->session.header->scratch_offset;
}

int federated_expect(model *m, uint32_t size)
{
    if (m->status) {
        return m->status;
    }
    m->delta_size = 0;
    if (size > memory_arena_size() - m->session.header->scratch_offset) {
        return CONSOLE_ERR_TOO_LARGE;
    }
    samples_use(&m->samples, &m->session);
    m->delta_size = size;
    m->delta_received = 0;
    return 0;
}

int federated_take(model *m, uint32_t offset, const uint8_t *data, uint32_t count)
{
    if (m->status) {
        return m->status;
    }
    if (offset > m->delta_received || count > m->delta_size - offset) {
        return CONSOLE_ERR_OUT_OF_ORDER;
    }
    if (offset + count > m->delta_received) {
        memcpy(waiting_room(m) + offset, data, count);
        m->delta_received = offset + count;
    }
    return 0;
}

/* Saves the next base, then changes the parameters. A power cut in between does not hurt the round:
 * a restart finds the next base, and loses only the quantization error that it was to keep. */
static int go_on(model *m, const gm_federated_round *round, uint32_t next_number)
{
    slots_next next = {round, waiting_room(m), m->delta_size};
    upload_abandon(&m->upload);
    int error = slots_save_base(&m->session, next_number, &next);
    return error ? error : gm_round_apply(&m->session, round, next.delta, next.size);
}

int federated_end(model *m, uint32_t bits, uint32_t seed, uint32_t *number)
{
    gm_federated_round round;
    int error = federated_round(m, &round);
    if (error) {
        return error;
    }
    *number = round.number + 1;
    if (m->delta_size == 0 || m->delta_received != m->delta_size || *number == 0) {
        return CONSOLE_ERR_OUT_OF_ORDER;
    }
    error = gm_round_check(&m->session, &round, waiting_room(m), m->delta_size);
    if (error == 0) {
        round.bits = bits;
        round.seed = seed;
        round.keep_loss = bits != 0;
        error = go_on(m, &round, *number);
    }
    m->delta_size = 0;
    return error;
}
