/* What the kernels that select along one axis share: x (outer, size, inner). */
#ifndef GM_GATHER_H
#define GM_GATHER_H

#include "../src/gm_internal.h"

/* Sets *at to the element along the axis that an index means; below 0 it counts from the end. False where there is no
 * such element. An image may let any two operands overlap, so an index is checked each time it is read. */
static inline int gm_index(int32_t index, uint32_t size, uint32_t *at)
{
    *at = index < 0 ? (uint32_t)index + size : (uint32_t)index;
    return *at < size;
}

#endif
