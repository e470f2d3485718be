/*
 * libFuzzer target: any bytes as the delta of an open session's parameters, and as parameters themselves.
 *
 * The input is an image and the delta; bytes that are missing are 0. gm_apply_delta() and gm_set_parameters() must take
 * exactly the size of all parameters, change these alone, and nothing while a program runs. gm_delta() must give back the
 * bits of integers. Whatever was set must run.
 */
#define _POSIX_C_SOURCE 200112L /* posix_memalign */

#include <string.h>

#include "image_and_more.h"

/* As many bytes as those of the parameters: those of the input, then 0. */
static uint8_t *delta_of(const uint8_t *data, uint32_t given, uint32_t size)
{
    uint8_t *delta = aligned(size);
    memset(delta, 0, size);
    memcpy(delta, data, given < size ? given : size);
    return delta;
}

/* ---- What setting may do --------------------------------------------------------------------------------------------- */

typedef int (*setter)(gm_session *session, const void *data, size_t size);

static int apply(gm_session *session, const void *data, size_t size)
{
    return gm_apply_delta(session, data, size);
}

/* Other sizes, no data, and a program that runs: nothing is set. */
static void refuse(gm_session *session, setter set, const uint8_t *data)
{
    uint32_t size = session->header->parameters_size;
    uint8_t *state = copy_of(session->arena, session->header->state_size);
    require(set(session, data, size + 4u) == GM_ERR_WRONG_SIZE && set(session, data, size + 1u) == GM_ERR_WRONG_SIZE);
    require(size == 0 || set(session, data, size - 1u) == GM_ERR_WRONG_SIZE);
    require(set(session, NULL, size) == GM_ERR_INVALID_ARGUMENT);
    if (gm_begin(session, GM_PROGRAM_INFER) == GM_OK) {
        require(set(session, data, size) == GM_ERR_BUSY);
        finish_program(session);
    }
    require(has_state(session, state));
    free(state);
}

/* Sets the data, which changes only the parameters. */
static void change(gm_session *session, setter set, const uint8_t *data)
{
    uint32_t size = session->header->parameters_size, rest = session->header->state_size - size;
    uint8_t *behind = copy_of(session->arena + size, rest), *given = copy_of(data, size);
    require(set(session, data, size) == GM_OK);
    require(memcmp(session->arena + size, behind, rest) == 0 && memcmp(data, given, size) == 0);
    free(given);
    free(behind);
}

/* ---- What is given back ---------------------------------------------------------------------------------------------- */

/* Whether the elements of all parameters of integers are the same; what fills their last word is not looked at. */
static int same_integers(gm_session *session, const uint8_t *a, const uint8_t *b)
{
    gm_view view;
    for (uint32_t i = 0; i < gm_parameter_count(session); ++i) {
        require(gm_parameter(session, i, &view) == GM_OK);
        uint32_t at = (uint32_t)((const uint8_t *)view.data - session->arena);
        if (view.dtype != GM_DTYPE_F32 && memcmp(a + at, b + at, view.size) != 0) {
            return 0;
        }
    }
    return 1;
}

/* The difference from the initial parameters is the delta, and added again gives the parameters. */
static void come_back(gm_session *session, const uint8_t *delta)
{
    uint32_t size = session->header->parameters_size;
    uint8_t *found = aligned(size), *parameters = copy_of(session->arena, size);
    require(gm_delta(session, (float *)(void *)found, size) == GM_OK);
    require(delta == NULL || same_integers(session, found, delta));
    change(session, apply, found);
    require(same_integers(session, session->arena, parameters));
    free(parameters);
    free(found);
}

/* All parameters as they are, set again, change nothing. */
static void set_again(gm_session *session)
{
    uint8_t *state = copy_of(session->arena, session->header->state_size);
    change(session, gm_set_parameters, state);
    require(has_state(session, state));
    free(state);
}

static void use(gm_session *session, const uint8_t *data, uint32_t given)
{
    uint8_t *delta = delta_of(data, given, session->header->parameters_size);
    refuse(session, apply, delta);
    refuse(session, gm_set_parameters, delta);
    come_back(session, NULL);
    change(session, apply, delta);
    come_back(session, delta);
    run_everything(session);
    change(session, gm_set_parameters, delta);
    come_back(session, NULL);
    run_everything(session);
    set_again(session);
    free(delta);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return open_and_use(data, size, use);
}
