#include "samples.h"

#include <string.h>

#include "../generated/console_spec.h"

#define MAX_TENSORS 16u /* of one role */

static uint32_t bit_of(uint32_t role, uint32_t index)
{
    return 1u << (index + (role == GM_ROLE_LABEL ? MAX_TENSORS : 0));
}

/* An input or label has one place for all programs, so any program that has it will do. */
static int find(const gm_session *session, uint32_t role, uint32_t index, gm_view *out)
{
    if ((role != GM_ROLE_INPUT && role != GM_ROLE_LABEL) || index >= MAX_TENSORS) {
        return GM_ERR_NOT_FOUND;
    }
    for (uint32_t program = 0; program < GM_PROGRAM_COUNT; ++program) {
        if (gm_tensor_view(session, program, role, index, out) == GM_OK) {
            return GM_OK;
        }
    }
    return GM_ERR_NOT_FOUND;
}

static uint32_t sum_of_sizes(const gm_session *session, uint32_t role, uint32_t count)
{
    uint32_t sum = 0;
    gm_view view;
    for (uint32_t i = 0; i < count && find(session, role, i, &view) == GM_OK; ++i) {
        sum += (view.size + 3u) & ~3u;
    }
    return sum;
}

void samples_open(samples *s, const gm_session *session, uint8_t *spare, uint32_t spare_size)
{
    uint32_t inputs = sum_of_sizes(session, GM_ROLE_INPUT, MAX_TENSORS);
    uint32_t labels = sum_of_sizes(session, GM_ROLE_LABEL, MAX_TENSORS);
    int fits = inputs + labels <= spare_size;
    s->copy = fits ? spare : NULL;
    s->copy_size = fits ? inputs + labels : 0;
    s->written = 0;
}

/* Where the tensor's copy lies, or its place in the arena where none is kept. */
static uint8_t *place(const samples *s, const gm_session *session, uint32_t role, uint32_t index, const gm_view *view)
{
    if (s->copy == NULL) {
        return view->data;
    }
    uint32_t inputs = role == GM_ROLE_LABEL ? sum_of_sizes(session, GM_ROLE_INPUT, MAX_TENSORS) : 0;
    return s->copy + inputs + sum_of_sizes(session, role, index);
}

int samples_write(samples *s, const gm_session *session, uint32_t role, uint32_t index, uint32_t offset,
                  const uint8_t *data, uint32_t count)
{
    gm_view view;
    int error = find(session, role, index, &view);
    if (error) {
        return error;
    }
    if (offset > view.size || count > view.size - offset) {
        return GM_ERR_WRONG_SIZE;
    }
    memcpy(place(s, session, role, index, &view) + offset, data, count);
    s->written |= bit_of(role, index);
    return 0;
}

static void widen(uint8_t *out, uint32_t dtype, u8_scale map, const uint8_t *data, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        float real = ((float)data[i] - map.zero) * map.scale;
        int32_t integer = data[i];
        memcpy(out + 4 * i, dtype == GM_DTYPE_F32 ? (const void *)&real : (const void *)&integer, 4);
    }
}

int samples_write_u8(samples *s, const gm_session *session, uint32_t role, uint32_t index, uint32_t element,
                     u8_scale map, const uint8_t *data, uint32_t count)
{
    gm_view view;
    int error = find(session, role, index, &view);
    if (error) {
        return error;
    }
    uint32_t elements = view.size / 4;
    if (element > elements || count > elements - element) {
        return GM_ERR_WRONG_SIZE;
    }
    widen(place(s, session, role, index, &view) + 4 * element, view.dtype, map, data, count);
    s->written |= bit_of(role, index);
    return 0;
}

static int load_role(const samples *s, const gm_session *session, uint32_t program, uint32_t role)
{
    gm_view view;
    for (uint32_t i = 0; gm_tensor_view(session, program, role, i, &view) == GM_OK; ++i) {
        if (i >= MAX_TENSORS || !(s->written & bit_of(role, i))) {
            return CONSOLE_ERR_NO_SAMPLES;
        }
        if (s->copy != NULL) {
            memcpy(view.data, place(s, session, role, i, &view), view.size);
        }
    }
    return 0;
}

int samples_load(const samples *s, const gm_session *session, uint32_t program)
{
    int error = load_role(s, session, program, GM_ROLE_INPUT);
    return error ? error : load_role(s, session, program, GM_ROLE_LABEL);
}

void samples_used(samples *s)
{
    if (s->copy == NULL) {
        s->written = 0;
    }
}
