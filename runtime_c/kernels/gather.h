/* The helpers that kernels which select along one axis share. Their x is (outer, size, inner). */
#ifndef GM_GATHER_H
#define GM_GATHER_H

#include "../src/gm_internal.h"

/* The element along the axis that an index means; below 0 it counts from the end. Not below `size`
 * where there is none. */
static inline uint32_t gm_element(int32_t index, uint32_t size)
{
    return index < 0 ? (uint32_t)index + size : (uint32_t)index;
}

/* Whether all indices mean elements. Kernels ask this before they write, so that what stops changes
 * nothing, on one thread or several; nothing that an instruction writes lies over its indices. */
static inline int gm_are_elements(const int32_t *indices, uint32_t count, uint32_t size)
{
    uint32_t i = 0;
    while (i < count && gm_element(indices[i], size) < size) {
        i++;
    }
    return i == count;
}

/* Runs BODY for each index i of each o, where it means element `at` of x[o]. */
#define GM_FOR_SELECTED(insn, indices, BODY)                      \
    for (uint32_t o = 0; o < (insn)->outer; o++) {                \
        for (uint32_t i = 0; i < (insn)->count; i++) {            \
            uint32_t at = gm_element((indices)[i], (insn)->size); \
            BODY                                                  \
        }                                                         \
    }

#endif
