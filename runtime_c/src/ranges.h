/*
 * Ranges of an image's bytes, in arithmetic that cannot wrap.
 *
 * Sizes and offsets are 32-bit words of the image. Every sum or product of them is taken in 64 bits:
 * a product saturates, and a sum has at most 8 terms below 2^62 and stops once it passes 2^32.
 */
#ifndef GM_RANGES_H
#define GM_RANGES_H

#include <stddef.h>

#include "gradmote.h"

/* Largest file and largest arena: byte offsets then fit 31 bits, and their sums fit 32. */
#define SIZE_LIMIT (UINT32_C(1) << 30)

#define WORD 4u

/* Bytes [offset, offset + size) lie in [begin, end) and start at a word. */
static inline int lies_in(uint64_t offset, uint64_t size, uint32_t begin, uint64_t end)
{
    return offset % WORD == 0 && offset >= begin && offset + size <= end;
}

/* Ranges that end below 2^32. */
static inline int overlaps(uint32_t a, uint32_t a_size, uint32_t b, uint32_t b_size)
{
    return a_size != 0 && b_size != 0 && a < b + b_size && b < a + a_size;
}

/* a b, or UINT64_MAX where that does not fit. */
static inline uint64_t saturating_product(uint64_t a, uint32_t b)
{
    uint64_t low = (a & UINT32_MAX) * b;
    uint64_t high = (a >> 32) * b + (low >> 32);
    return high >> 32 != 0 ? UINT64_MAX : high << 32 | (low & UINT32_MAX);
}

static inline uint32_t section_records(const gm_header *header, uint32_t section, size_t record_size)
{
    return header->sections[section].size / (uint32_t)record_size;
}

/* Inputs and labels that nothing overwrites lie from here to scratch_offset. */
static inline uint32_t inputs_offset(const gm_header *header)
{
    return header->gradients_offset + header->gradients_size;
}

#endif
