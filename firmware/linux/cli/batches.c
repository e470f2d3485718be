#include "batches.h"

uint32_t batches_next(const dataset *d, uint32_t first, uint32_t *rows)
{
    uint32_t left = first < d->samples ? d->samples - first : 0;
    uint32_t count = left < d->batch ? left : d->batch;
    for (uint32_t i = 0; i < d->batch && count > 0; ++i) {
        rows[i] = first + i % count;
    }
    return count;
}
