#include "samples.h"

#include <string.h>

#include "../generated/console_spec.h"

#define MAX_TENSORS 16u /* of one role */

/* The rows of the image's tensor table that samples can be written to, one after the other. */
typedef struct cursor {
    const gm_tensor *tensor;
    const gm_tensor *end;
    uint32_t next_index[2]; /* of the next input, and of the next label */
    uint32_t index;         /* of this tensor among those of its role, as gm_write() counts */
    uint32_t copy_offset;   /* of this tensor in samples.copy */
} cursor;

static cursor first_row(const gm_session *session)
{
    const gm_section *table = &session->header->sections[GM_SECTION_TENSORS];
    cursor c = { 0 };
    c.tensor = (const gm_tensor *)(const void *)(session->image + table->offset);
    c.end = c.tensor + table->size / sizeof *c.tensor;
    return c;
}

static int is_sample(const gm_tensor *tensor)
{
    return tensor->role == GM_ROLE_INPUT || tensor->role == GM_ROLE_LABEL;
}

/* Moves on to the next input or label, if this row is none; 0 past the last one. */
static int at_sample(cursor *c)
{
    while (c->tensor < c->end && !is_sample(c->tensor)) {
        ++c->tensor;
    }
    if (c->tensor == c->end) {
        return 0;
    }
    c->index = c->next_index[c->tensor->role == GM_ROLE_LABEL];
    return 1;
}

static void advance(cursor *c)
{
    ++c->next_index[c->tensor->role == GM_ROLE_LABEL];
    c->copy_offset += c->tensor->size;
    ++c->tensor;
}

static uint32_t bit_of(const cursor *c)
{
    return c->index < MAX_TENSORS ? 1u << (c->index + (c->tensor->role == GM_ROLE_LABEL ? MAX_TENSORS : 0)) : 0;
}

void samples_open(samples *s, const gm_session *session, uint8_t *spare, uint32_t spare_size)
{
    cursor c = first_row(session);
    while (at_sample(&c)) {
        advance(&c);
    }
    int fits = c.copy_offset <= spare_size;
    s->copy = fits ? spare : NULL;
    s->copy_size = fits ? c.copy_offset : 0;
    s->written = 0;
}

/* Where samples for this tensor go: to the copy, or to its place in the arena where none is kept. */
static uint8_t *place(const samples *s, const gm_session *session, const cursor *c)
{
    return s->copy != NULL ? s->copy + c->copy_offset : session->arena + c->tensor->offset;
}

static int find(const gm_session *session, uint32_t role, uint32_t index, cursor *out)
{
    *out = first_row(session);
    for (; at_sample(out); advance(out)) {
        if (out->tensor->role == role && out->index == index) {
            return index < MAX_TENSORS ? GM_OK : GM_ERR_NOT_FOUND;
        }
    }
    return GM_ERR_NOT_FOUND;
}

int samples_write(samples *s, const gm_session *session, uint32_t role, uint32_t index, uint32_t offset,
                  const uint8_t *data, uint32_t count)
{
    cursor c;
    int error = find(session, role, index, &c);
    if (error) {
        return error;
    }
    if (offset > c.tensor->size || count > c.tensor->size - offset) {
        return GM_ERR_WRONG_SIZE;
    }
    memcpy(place(s, session, &c) + offset, data, count);
    s->written |= bit_of(&c);
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
    cursor c;
    int error = find(session, role, index, &c);
    if (error) {
        return error;
    }
    uint32_t elements = c.tensor->size / 4;
    if (element > elements || count > elements - element) {
        return GM_ERR_WRONG_SIZE;
    }
    widen(place(s, session, &c) + 4 * element, c.tensor->dtype, map, data, count);
    s->written |= bit_of(&c);
    return 0;
}

int samples_load(const samples *s, const gm_session *session, uint32_t program)
{
    cursor c = first_row(session);
    for (; at_sample(&c); advance(&c)) {
        if (!(c.tensor->programs >> program & 1u)) {
            continue;
        }
        if (!(s->written & bit_of(&c))) {
            return CONSOLE_ERR_NO_SAMPLES;
        }
        if (s->copy != NULL) {
            memcpy(session->arena + c.tensor->offset, place(s, session, &c), c.tensor->size);
        }
    }
    return 0;
}

void samples_used(samples *s)
{
    if (s->copy == NULL) {
        s->written = 0;
    }
}
