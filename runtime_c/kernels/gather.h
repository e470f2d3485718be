/* Helpers for kernels that select along one axis. Their x is (outer, size, inner). */
#ifndef GM_GATHER_H
#define GM_GATHER_H

#include "../src/gm_internal.h"

/* The element that an index selects along the axis; a negative index counts from the end. The
 * result is at least `size` if there is no such element. */
static inline uint32_t gm_element(int32_t index, uint32_t size)
{
    return index < 0 ? (uint32_t)index + size : (uint32_t)index;
}

/* Whether all indices select elements. Kernels check this before they write, so a
 * refused instruction changes nothing, on one thread or several; no instruction writes
 * over its own indices. */
static inline int gm_are_elements(const int32_t *indices, uint32_t count, uint32_t size)
{
    uint32_t i = 0;
    while (i < count && gm_element(indices[i], size) < size) {
        i++;
    }
    return i == count;
}

/* Runs BODY for each index i of each o; the index selects element `at` of x[o]. */
#define GM_FOR_SELECTED(insn, indices, BODY)                      \
    for (uint32_t o = 0; o < (insn)->outer; o++) {                \
        for (uint32_t i = 0; i < (insn)->count; i++) {            \
            uint32_t at = gm_element((indices)[i], (insn)->size); \
            BODY                                                  \
        }                                                         \
    }

#endif
