/*
 * Ranges of an image's bytes, computed without wrapping.
 *
 * Sizes and offsets are 32-bit words of the image. Sums and products of them use 64 bits:
 * a product saturates, and a sum has at most 8 terms below 2^62 and stops once it passes 2^32.
 */
#ifndef GM_RANGES_H
#define GM_RANGES_H

#include <stddef.h>

#include "gradmote.h"

/* The largest file and the largest arena, in bytes. Byte offsets then fit 31 bits, and the sum of
 * two fits 32. */
#define SIZE_LIMIT (UINT32_C(1) << 30)

#define WORD 4u

/* Returns whether bytes [offset, offset + size) are in [begin, end). */
static inline int is_within(uint32_t offset, uint64_t size, uint32_t begin, uint64_t end)
{
    return offset >= begin && offset + size <= end;
}

/* Returns whether bytes [offset, offset + size) are in [begin, end) and start at a word. */
static inline int lies_in(uint32_t offset, uint64_t size, uint32_t begin, uint64_t end)
{
    return offset % WORD == 0 && is_within(offset, size, begin, end);
}

/* Returns whether two byte ranges overlap. Both must end below 2^32. */
static inline int overlaps(uint32_t a, uint32_t a_size, uint32_t b, uint32_t b_size)
{
    return a_size != 0 && b_size != 0 && a < b + b_size && b < a + a_size;
}

/* Returns a b, or UINT64_MAX if it does not fit. */
static inline uint64_t saturating_product(uint64_t a, uint32_t b)
{
    uint64_t low = (a & UINT32_MAX) * b;
    uint64_t high = (a >> 32) * b + (low >> 32);
    return high >> 32 != 0 ? UINT64_MAX : high << 32 | (low & UINT32_MAX);
}

/* Returns the number of records in a section. */
static inline uint32_t section_records(const gm_header *header, uint32_t section, size_t record_size)
{
    return header->sections[section].size / (uint32_t)record_size;
}

/* Returns the arena offset of the inputs and labels that no program overwrites. They end at
 * scratch_offset. */
static inline uint32_t inputs_offset(const gm_header *header)
{
    return header->gradients_offset + header->gradients_size;
}

#endif
