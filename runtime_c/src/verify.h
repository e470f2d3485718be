/*
 * What the files of the verifier share. Sizes and offsets are 32-bit words of the image; every sum or product of them is
 * taken in 64 bits and cannot overflow there: a product saturates, a sum has at most 8 terms below 2^62 and stops once it
 * passes 2^32.
 */
#ifndef GM_VERIFY_H
#define GM_VERIFY_H

#include <stddef.h>

#include "gm_image.h"
#include "gm_internal.h"

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

/* NULL where the image has none. */
static inline const gm_store *store_of(const gm_header *header)
{
    return header->sections[GM_SECTION_STORE].size != 0 ? gm_section_data(header, GM_SECTION_STORE) : NULL;
}

/* Bytes of the store in the state: a counter, what is known of each class, labels, scales of INT8 samples, samples. Exact
 * up to SIZE_LIMIT, and larger than that where it is larger. */
uint64_t gm_store_size(const gm_store *store);

/* One program under verification. */
typedef struct gm_verifier {
    const gm_header *header;
    const gm_program *program;
    uint32_t write_floor; /* arena offset below which the program may not write */
    uint64_t work;        /* of the instructions seen so far */
} gm_verifier;

/* The product of the terms [0], [step], [2 step] .. below `count`; UINT64_MAX where that does not fit. */
uint64_t gm_product_of_terms(const uint32_t *instruction, const uint8_t *term, uint32_t count, uint32_t step);

/* How many elements the kernel may touch from an operand on. */
uint64_t gm_extent(const uint32_t *instruction, const gm_opcode_shape *shape, const gm_operand_info *info);

/* The operands of an instruction whose parameters are verified. */
int gm_verify_operands(const gm_verifier *v, const uint32_t *instruction, const gm_opcode_shape *shape);

/* Programs and their instructions, of an image all else of which is verified: GM_OK or what is wrong. */
int gm_verify_programs(const gm_header *header);

#endif
