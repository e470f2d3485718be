/*
 * Views of inputs, outputs, parameters and gradients, and copies into and out of them.
 */
#include <string.h>

#include "image.h"
#include "program.h"

static const char *name_at(const gm_session *session, uint32_t name)
{
    const char *names = gm_section_data(session->header, GM_SECTION_NAMES);
    return name == GM_NONE ? NULL : names + name;
}

/* ---- Inputs and outputs ---------------------------------------------------------------------- */

GM_COLD int gm_tensor_view(const gm_session *session, uint32_t program, uint32_t role, uint32_t index, gm_view *out)
{
    if (session == NULL || session->header == NULL || out == NULL || program >= GM_PROGRAM_COUNT) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    const gm_tensor *tensor = gm_find_tensor(session->header, UINT32_C(1) << program, role, index);
    if (tensor == NULL) {
        return GM_ERR_NOT_FOUND;
    }
    *out = (gm_view){name_at(session, tensor->name),
                     session->arena + tensor->offset,
                     tensor->size,
                     tensor->dtype,
                     tensor->rank,
                     tensor->dims,
                     tensor->offset < session->header->scratch_offset};
    return GM_OK;
}

int gm_write(gm_session *session, uint32_t role, uint32_t index, const void *data, size_t size)
{
    int status = gm_idle(session);
    if (status != GM_OK) {
        return status;
    }
    if (data == NULL || role > GM_ROLE_LABEL) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    const gm_tensor *tensor = gm_find_tensor(session->header, UINT32_MAX, role, index);
    if (tensor == NULL) {
        return GM_ERR_NOT_FOUND;
    }
    if (tensor->size != size) {
        return GM_ERR_WRONG_SIZE;
    }
    memcpy(session->arena + tensor->offset, data, size);
    return GM_OK;
}

/* ---- Parameters one by one ------------------------------------------------------------------- */

/* Finds a parameter, and fills all of `out` except its data. Parameters are first in the state
 * table. */
static int find_parameter(const gm_session *session, uint32_t index, gm_view *out, const gm_state_entry **found)
{
    if (session == NULL || session->header == NULL || out == NULL) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    const gm_state_entry *entry = gm_section_data(session->header, GM_SECTION_STATE);
    if (index >= session->header->sections[GM_SECTION_STATE].size / sizeof *entry ||
        entry[index].role != GM_STATE_ROLE_PARAMETER) {
        return GM_ERR_NOT_FOUND;
    }
    entry += index;
    *out = (gm_view){name_at(session, entry->name), NULL, entry->size, entry->dtype, entry->rank, entry->dims, 1};
    *found = entry;
    return GM_OK;
}

uint32_t gm_parameter_count(const gm_session *session)
{
    const gm_state_entry *entry;
    uint32_t count = 0;
    gm_view view;
    while (find_parameter(session, count, &view, &entry) == GM_OK) {
        ++count;
    }
    return count;
}

int gm_parameter(gm_session *session, uint32_t index, gm_view *out)
{
    const gm_state_entry *entry;
    int status = find_parameter(session, index, out, &entry);
    if (status == GM_OK) {
        out->data = session->arena + entry->offset;
        session->proven = 0;
    }
    return status;
}

int gm_gradient(const gm_session *session, uint32_t index, gm_view *out)
{
    const gm_state_entry *entry;
    int status = find_parameter(session, index, out, &entry);
    if (status != GM_OK) {
        return status;
    }
    if (entry->gradient == GM_NONE) {
        return GM_ERR_NOT_FOUND;
    }
    out->data = session->arena + entry->gradient;
    out->size = gm_gradient_size(entry);
    out->dtype = GM_DTYPE_F32;
    return GM_OK;
}

static int same_text(const char *a, const char *b)
{
    while (*a == *b && *a != '\0') {
        ++a;
        ++b;
    }
    return *a == *b;
}

int gm_parameter_named(gm_session *session, const char *name, gm_view *out)
{
    if (name == NULL) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    for (uint32_t i = 0;; ++i) {
        int status = gm_parameter(session, i, out);
        if (status != GM_OK || (out->name != NULL && same_text(out->name, name))) {
            return status;
        }
    }
}

/* ---- Parameters and state as a whole --------------------------------------------------------- */

int gm_state(gm_session *session, gm_view *out)
{
    if (session == NULL || session->header == NULL || out == NULL) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    *out = (gm_view){NULL, session->arena, session->header->state_size, GM_DTYPE_F32, 0, NULL, 1};
    session->proven = 0;
    return GM_OK;
}

int gm_parameters(gm_session *session, gm_view *out)
{
    /* The state begins with the parameters. */
    int status = gm_state(session, out);
    if (status == GM_OK) {
        out->size = session->header->parameters_size;
    }
    return status;
}

/* Returns GM_OK if no program runs and `data` has exactly the size of all parameters. */
static int check_parameters(const gm_session *session, const void *data, size_t size)
{
    int status = gm_idle(session);
    if (status != GM_OK) {
        return status;
    }
    if (data == NULL) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    return size == session->header->parameters_size ? GM_OK : GM_ERR_WRONG_SIZE;
}

int gm_set_parameters(gm_session *session, const void *data, size_t size)
{
    int status = check_parameters(session, data, size);
    if (status == GM_OK) {
        memcpy(session->arena, data, size);
        session->proven = 0;
    }
    return status;
}

/* Computes out = a - b or a + b of n numbers. */
static void combine_floats(float *out, const float *a, const float *b, uint32_t n, int subtract)
{
    for (uint32_t i = 0; i < n; ++i) {
        out[i] = subtract ? a[i] - b[i] : a[i] + b[i];
    }
}

#if GM_WITH_INT8

/* Computes out = a - b or a + b of integers of `width` bytes, modulo 256^width: byte by byte, with
 * the carry of the byte before. a - b is a + ~b + 1. */
static void combine_integers(uint8_t *out, const uint8_t *a, const uint8_t *b, uint32_t size, uint32_t width,
                             uint32_t subtract)
{
    uint32_t carry = 0;
    for (uint32_t i = 0; i < size; ++i) {
        carry = i % width == 0 ? subtract : carry;
        uint32_t other = subtract != 0 ? b[i] ^ 0xFFu : b[i], sum = a[i] + other + carry;
        out[i] = (uint8_t)sum;
        carry = sum >> 8;
    }
}

#endif

/* Computes out = a - b or a + b of all parameters, each in its own type. */
static void combine(const gm_session *session, void *out, const void *a, const void *b, int subtract)
{
#if GM_WITH_INT8
    const gm_state_entry *entry = gm_section_data(session->header, GM_SECTION_STATE);
    for (uint32_t at = 0, size; at < session->header->parameters_size; at += size, ++entry) {
        uint8_t *to = (uint8_t *)out + at;
        const uint8_t *left = (const uint8_t *)a + at, *right = (const uint8_t *)b + at;
        size = (entry->size + 3) / 4 * 4;
        if (entry->dtype == GM_DTYPE_F32) {
            combine_floats((float *)(void *)to, (const float *)(const void *)left, (const float *)(const void *)right,
                           size / 4, subtract);
        } else {
            combine_integers(to, left, right, size, gm_element_size(entry->dtype), (uint32_t)subtract);
        }
    }
#else
    combine_floats(out, a, b, session->header->parameters_size / 4, subtract);
#endif
}

int gm_delta(const gm_session *session, float *out, size_t size)
{
    int status = check_parameters(session, out, size);
    if (status == GM_OK) {
        combine(session, out, session->arena, gm_section_data(session->header, GM_SECTION_INITIAL), 1);
    }
    return status;
}

int gm_apply_delta(gm_session *session, const float *delta, size_t size)
{
    int status = check_parameters(session, delta, size);
    if (status == GM_OK) {
        combine(session, session->arena, gm_section_data(session->header, GM_SECTION_INITIAL), delta, 0);
        session->proven = 0;
    }
    return status;
}
