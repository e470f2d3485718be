#include "training/samples.h"

#include <string.h>

#include "console_spec.h"

#define MAX_TENSORS 16u /* of one role */

static uint32_t tensor_count(const gm_session *session)
{
    return session->header->sections[GM_SECTION_TENSORS].size / (uint32_t)sizeof(gm_tensor);
}

static const gm_tensor *tensors(const gm_session *session)
{
    return (const gm_tensor *)(const void *)(session->image + session->header->sections[GM_SECTION_TENSORS].offset);
}

/* Returns whether gm_write() counts the tensor among those of this role. */
static int has_role(const gm_tensor *tensor, uint32_t role)
{
    return tensor->role == role && tensor->programs != 0;
}

/* Returns NULL if there is none. */
static const gm_tensor *find(const gm_session *session, uint32_t role, uint32_t index)
{
    const gm_tensor *tensor = tensors(session), *end = tensor + tensor_count(session);
    if ((role != GM_ROLE_INPUT && role != GM_ROLE_LABEL) || index >= MAX_TENSORS) {
        return NULL;
    }
    for (; tensor < end; ++tensor) {
        if (has_role(tensor, role) && index-- == 0) {
            return tensor;
        }
    }
    return NULL;
}

static uint32_t bit_of(uint32_t role, uint32_t index)
{
    return 1u << (index + (role == GM_ROLE_LABEL ? MAX_TENSORS : 0));
}

int samples_address(samples *s, const gm_session *session, uint32_t role, uint32_t index, void **data, uint32_t *size)
{
    const gm_tensor *tensor = find(session, role, index);
    if (tensor == NULL) {
        return GM_ERR_NOT_FOUND;
    }
    *data = session->arena + tensor->offset;
    *size = tensor->size;
    s->written |= bit_of(role, index);
    return 0;
}

int samples_write(samples *s, const gm_session *session, uint32_t role, uint32_t index, uint32_t offset,
                  const uint8_t *data, uint32_t count)
{
    const gm_tensor *tensor = find(session, role, index);
    if (tensor == NULL) {
        return GM_ERR_NOT_FOUND;
    }
    if (offset > tensor->size || count > tensor->size - offset) {
        return GM_ERR_WRONG_SIZE;
    }
    memcpy(session->arena + tensor->offset + offset, data, count);
    s->written |= bit_of(role, index);
    return 0;
}

uint32_t samples_element_size(uint32_t dtype)
{
    return dtype == GM_DTYPE_F32 || dtype == GM_DTYPE_I32 ? 4 : dtype == GM_DTYPE_I16 ? 2 : 1;
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
    const gm_tensor *tensor = find(session, role, index);
    if (tensor == NULL) {
        return GM_ERR_NOT_FOUND;
    }
    uint32_t elements = tensor->size / samples_element_size(tensor->dtype);
    if (element > elements || count > elements - element || tensor->dtype == GM_DTYPE_I16) {
        return GM_ERR_WRONG_SIZE;
    }
    if (samples_element_size(tensor->dtype) == 1) {
        return samples_write(s, session, role, index, element, data, count);
    }
    widen(session->arena + tensor->offset + 4 * element, tensor->dtype, map, data, count);
    s->written |= bit_of(role, index);
    return 0;
}

static int has_samples(const samples *s, const gm_session *session, uint32_t program, uint32_t role)
{
    const gm_tensor *tensor = tensors(session), *end = tensor + tensor_count(session);
    for (uint32_t index = 0; tensor < end; ++tensor) {
        if (!has_role(tensor, role)) {
            continue;
        }
        int is_read = (tensor->programs >> program & 1u) != 0;
        if (is_read && (index >= MAX_TENSORS || (s->written & bit_of(role, index)) == 0)) {
            return 0;
        }
        ++index;
    }
    return 1;
}

static void use(samples *s, const gm_session *session, uint32_t role)
{
    const gm_tensor *tensor;
    for (uint32_t index = 0; (tensor = find(session, role, index)) != NULL; ++index) {
        if (tensor->offset >= session->header->scratch_offset) {
            s->written &= ~bit_of(role, index);
        }
    }
}

void samples_use(samples *s, const gm_session *session)
{
    use(s, session, GM_ROLE_INPUT);
    use(s, session, GM_ROLE_LABEL);
}

int samples_check(const samples *s, const gm_session *session, uint32_t program)
{
    return has_samples(s, session, program, GM_ROLE_INPUT) && has_samples(s, session, program, GM_ROLE_LABEL)
               ? 0
               : CONSOLE_ERR_NO_SAMPLES;
}

int samples_has_input(const samples *s)
{
    return (s->written & bit_of(GM_ROLE_INPUT, 0)) != 0;
}

void samples_lose_labels(samples *s)
{
    s->written &= (1u << MAX_TENSORS) - 1u;
}
