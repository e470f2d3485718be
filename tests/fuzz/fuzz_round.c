/*
 * libFuzzer target: any bytes as the quantized delta that ends a round of an open session.
 *
 * The input is an image and the delta. It is taken as it is, and again with its model id, size, base and checksum put
 * right, so that exponents and codes are reached. gm_round_check() must read inside the file alone and change nothing;
 * gm_round_apply() and gm_round_save() must agree with it, and change the parameters that the file has, or nothing. What a
 * session sends must be what it accepts, and the same in parts. Whatever was applied must run.
 */
#define _POSIX_C_SOURCE 200112L /* posix_memalign */

#include <string.h>

#include "delta.h"
#include "file.h"
#include "image_and_more.h"

/* ---- What a delta may do --------------------------------------------------------------------------------------------- */

/* Only the parameters in the file change, and what is kept is what is then there. */
static void apply(gm_session *session, const gm_federated_round *round, const uint8_t *delta, uint32_t size)
{
    uint32_t parameters = session->header->parameters_size;
    uint8_t *state = copy_of(session->arena, session->header->state_size);
    file kept = {NULL, gm_checkpoint_size(session)};
    kept.bytes = aligned(kept.size);
    int status = gm_round_check(session, round, delta, size);
    require(status <= GM_OK && gm_round_save(session, round, delta, size, file_write, &kept) == status);
    require(has_state(session, state) && gm_round_apply(session, round, delta, size) == status);
    require(memcmp(session->arena + parameters, state + parameters, session->header->state_size - parameters) == 0);
    if (status != GM_OK) {
        require(has_state(session, state));
    } else if (round->keep_loss == 0) {
        uint8_t *applied = copy_of(session->arena, parameters);
        require(gm_checkpoint_load(session, file_read, &kept, kept.size) == GM_OK);
        require(memcmp(session->arena, applied, parameters) == 0);
        free(applied);
    }
    free(kept.bytes);
    free(state);
}

/* Puts right the fields by which a delta belongs to this session. */
static void put_right(const gm_session *session, uint8_t *delta, uint32_t size)
{
    static const gm_federated_round first;
    gm_delta_header header;
    gm_delta_walk w;
    memcpy(&header, delta, sizeof header);
    header.magic = GM_DELTA_MAGIC;
    header.version = GM_DELTA_VERSION;
    memcpy(header.model_id, session->header->model_id, sizeof header.model_id);
    header.bits = gm_delta_has_bits(header.bits) ? header.bits : 4;
    header.size = size;
    header.round = 0;
    memcpy(delta, &header, sizeof header);
    gm_delta_set(&w, session, &first, delta);
    (void)gm_delta_begin(&w);
    if (w.codes_at <= size) {
        header.base_crc = gm_delta_base_crc(&w);
        header.size = w.from <= size ? w.from : size;
    }
    memcpy(delta, &header, sizeof header);
    header.crc = gm_crc32(0, delta + 16, header.size - 16);
    memcpy(delta, &header, sizeof header);
}

/* ---- What a session sends -------------------------------------------------------------------------------------------- */

static void check_parts(const gm_session *session, const gm_federated_round *round, const uint8_t *whole, uint32_t size)
{
    for (uint32_t from = 0, length = 1; from + length <= size; from += length, length = length * 3 + 1) {
        uint8_t *part = aligned(length);
        require(gm_round_delta_part(session, round, from, part, length) == GM_OK);
        require(memcmp(part, whole + from, length) == 0);
        free(part);
    }
}

/* It is refused because of its numbers, or it ends the round. */
static void send(gm_session *session, const gm_federated_round *round)
{
    uint8_t *state = copy_of(session->arena, session->header->state_size);
    uint32_t size = gm_round_delta_size(session, round);
    uint8_t *delta = aligned(size);
    int status = gm_round_delta_part(session, round, 0, delta, size);
    require((status == GM_OK || status == GM_ERR_NOT_FINITE) && has_state(session, state));
    if (status == GM_OK) {
        check_parts(session, round, delta, size);
        status = gm_round_check(session, round, delta, size);
        require(status == GM_OK || status == GM_ERR_NOT_FINITE);
        apply(session, round, delta, size);
    }
    free(delta);
    free(state);
}

static void use(gm_session *session, const uint8_t *given, uint32_t size)
{
    static const uint8_t some[] = {0x55, 0xAA, 0x0F};
    gm_federated_round round = {NULL, NULL, 0, 4, size, 0};
    uint8_t *delta = copy_of(given, size);
    apply(session, &round, delta, size);
    if (size >= sizeof(gm_delta_header)) {
        put_right(session, delta, size);
    }
    round.keep_loss = size % 2;
    apply(session, &round, delta, size);
    for (round.bits = 2; round.bits <= 8; round.bits *= 2) {
        round.shared = gm_parameter_count(session) <= 8 * sizeof some && size % 3 == 0 ? some : NULL;
        send(session, &round);
        run_everything(session);
    }
    free(delta);
}

/* Parameters of any bits, as a checkpoint can bring them. */
static void set_any(gm_session *session, const uint8_t *given, uint32_t size)
{
    uint32_t parameters = session->header->parameters_size;
    memcpy(session->arena, given, size < parameters ? size : parameters);
}

static void use_twice(gm_session *session, const uint8_t *given, uint32_t size)
{
    use(session, given, size);
    set_any(session, given, size);
    use(session, given, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return open_and_use(data, size, use_twice);
}
