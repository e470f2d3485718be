/* Access to the records of a verified image, in place. */
#ifndef GM_IMAGE_H
#define GM_IMAGE_H

#include "gradmote.h"
#include "compiler.h"

/* Marks functions that run once for an image, a checkpoint, a state or a run of a program, or that
 * look up a tensor. The compiler optimizes them, and everything that only they call, for size. */
#if defined(__GNUC__)
#define GM_COLD __attribute__((cold))
#else
#define GM_COLD
#endif

/* Marks static functions that the compiler must not inline. */
#if defined(__GNUC__)
#define GM_CALLED __attribute__((noinline))
#else
#define GM_CALLED
#endif

/* The first byte that an image's checksum covers, after magic, version, size and the checksum. */
#define GM_IMAGE_CRC_START 16u

/* Returns the first byte of a section. Sections are 16-byte aligned, so code reads records in
 * place. */
static inline const void *gm_section_data(const gm_header *header, uint32_t section)
{
    return (const uint8_t *)header + header->sections[section].offset;
}

/* Returns the sample store's record, or NULL if the image has no store. */
static inline const gm_store *gm_store_of(const gm_header *header)
{
    return header->sections[GM_SECTION_STORE].size != 0 ? gm_section_data(header, GM_SECTION_STORE) : NULL;
}

/* Returns the control record in the state of an open session. */
static inline gm_control *gm_control_of(const gm_session *session)
{
    return (gm_control *)(void *)(session->arena + session->header->control_offset);
}

/* Returns whether the build lacks support for elements of this type. */
static inline int gm_lacks_dtype(uint32_t dtype)
{
    return !GM_WITH_INT8 && dtype >= GM_DTYPE_I8 && dtype < GM_DTYPE_COUNT;
}

/* Returns the size in bytes of an element of a tensor or a state entry. */
static inline uint32_t gm_element_size(uint32_t dtype)
{
#if GM_WITH_INT8
    static const uint8_t size[GM_DTYPE_COUNT] = {4, 4, 1, 1, 2, 2};
    return size[dtype];
#else
    (void)dtype;
    return 4;
#endif
}

/* Returns the size in bytes of a parameter's gradient, which is f32 whatever the parameter is. */
static inline uint32_t gm_gradient_size(const gm_state_entry *entry)
{
    return GM_WITH_INT8 ? entry->size / gm_element_size(entry->dtype) * 4 : entry->size;
}

/* Returns the size in bytes of one sample of the input. */
static inline uint32_t gm_sample_size(const gm_store *store)
{
    return GM_WITH_INT8 && store->dtype == GM_STORE_DTYPE_BYTES ? store->elements : 4u * store->elements;
}

/* Returns whether some program can count the samples of the tensor, and so fewer than the batch. */
static inline int gm_has_rows(const gm_tensor *tensor)
{
    return tensor->programs >> GM_PROGRAM_COUNT != 0;
}

/* Returns the bytes of one sample, or of the whole tensor if no program counts its samples. */
static inline uint32_t gm_row_size(const gm_header *header, const gm_tensor *tensor)
{
    int is_whole = !gm_has_rows(tensor) || header->batch == 0 || tensor->size < header->batch;
    return is_whole ? tensor->size : tensor->size / header->batch;
}

/* Returns the index-th tensor with this role in any of the programs, or NULL past the last one.
 * programs: bit p stands for program kind p. */
const gm_tensor *gm_find_tensor(const gm_header *header, uint32_t programs, uint32_t role, uint32_t index);

#endif
