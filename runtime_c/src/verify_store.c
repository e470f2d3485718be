/* The verifier of the sample store. "V23" and "V24" are in docs/SPEC.md. */
#include "verify_store.h"

#include "image.h"
#include "ranges.h"

/* The forms in this build: without quantized models, samples are not stored as bytes. */
#define STORE_DTYPES (GM_WITH_INT8 ? GM_STORE_DTYPE_COUNT : GM_STORE_DTYPE_BYTES)

uint64_t gm_store_size(const gm_store *store)
{
    int is_int8 = store->dtype == GM_STORE_DTYPE_INT8, is_f32 = store->dtype == GM_STORE_DTYPE_F32;
    uint64_t bytes = ((uint64_t)store->elements + 3) / WORD * WORD;
    uint64_t sample = is_f32 ? WORD + WORD * (uint64_t)store->elements : 2 * WORD + bytes;
    sample -= GM_WITH_INT8 && !is_int8 && !is_f32 ? WORD : 0;
    uint64_t samples = saturating_product(sample, store->capacity);
    samples = samples > SIZE_LIMIT ? SIZE_LIMIT + 1 : samples;
    return WORD + sizeof(gm_store_class) * (uint64_t)store->classes + samples;
}

/* V23: samples stored as bytes are I8 or U8, all others F32. */
static int fits_dtype(const gm_store *store, uint32_t dtype)
{
    int is_byte = dtype == GM_DTYPE_I8 || dtype == GM_DTYPE_U8;
    return GM_WITH_INT8 && store->dtype == GM_STORE_DTYPE_BYTES ? is_byte : dtype == GM_DTYPE_F32;
}

/* V23: the tensors that the store fills are the only ones of their roles: `batch` samples of
 * `elements` numbers, and as many I32 labels. Returns the batch, or 0 if they are not. */
static uint32_t store_batch(const gm_header *header, const gm_store *store)
{
    const gm_tensor *input = gm_find_tensor(header, UINT32_MAX, GM_ROLE_INPUT, 0);
    const gm_tensor *label = gm_find_tensor(header, UINT32_MAX, GM_ROLE_LABEL, 0);
    if (input == NULL || label == NULL || gm_find_tensor(header, UINT32_MAX, GM_ROLE_INPUT, 1) != NULL ||
        gm_find_tensor(header, UINT32_MAX, GM_ROLE_LABEL, 1) != NULL || !fits_dtype(store, input->dtype) ||
        label->dtype != GM_DTYPE_I32) {
        return 0;
    }
    uint32_t batch = label->size / WORD;
    return (uint64_t)batch * store->elements * gm_element_size(input->dtype) == input->size ? batch : 0;
}

/* V23: the room for the input's first sample is among the inputs, and does not overlap the
 * input. */
static int is_aside(const gm_header *header, const gm_store *store)
{
    const gm_tensor *input = gm_find_tensor(header, UINT32_MAX, GM_ROLE_INPUT, 0);
    uint64_t size = gm_element_size(input->dtype) * (uint64_t)store->elements;
    return store->aside == GM_NONE || (lies_in(store->aside, size, inputs_offset(header), header->scratch_offset) &&
                                       !overlaps(store->aside, (uint32_t)size, input->offset, input->size));
}

/* V24: a replay is no more work than a program may be. It searches the whole store for each sample
 * of a batch. */
static int is_little_work(const gm_store *store, uint32_t batch)
{
    uint64_t look = (uint64_t)store->capacity + store->classes + store->elements;
    return saturating_product(look, batch) <= GM_MAX_WORK;
}

/* V23: there is at most one store. It is in the state after the parameters, and does not overlap
 * control record and properties. */
GM_COLD int gm_verify_store(const gm_header *header)
{
    const gm_store *store = gm_store_of(header);
    uint64_t properties_size = (uint64_t)header->properties_count * sizeof(gm_property);
    if (store == NULL) {
        return GM_OK;
    }
    if (!GM_WITH_STORE) {
        return GM_ERR_BAD_OPCODE;
    }
    uint64_t size = gm_store_size(store);
    uint32_t batch = store_batch(header, store);
    if (header->sections[GM_SECTION_STORE].size != sizeof *store || store->capacity == 0 || store->classes == 0 ||
        store->classes > INT32_MAX || store->elements == 0 || store->dtype >= STORE_DTYPES || batch == 0 ||
        !lies_in(store->offset, size, header->parameters_size, header->state_size) ||
        overlaps(store->offset, (uint32_t)size, header->control_offset, sizeof(gm_control)) ||
        overlaps(store->offset, (uint32_t)size, header->properties_offset, (uint32_t)properties_size) ||
        !is_aside(header, store)) {
        return GM_ERR_BAD_STORE;
    }
    return is_little_work(store, batch) ? GM_OK : GM_ERR_TOO_MUCH_WORK;
}
