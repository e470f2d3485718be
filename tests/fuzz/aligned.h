/* Memory of fuzz targets: each piece on its own, so that a sanitizer sees every byte beside it. */
#ifndef ALIGNED_H
#define ALIGNED_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gradmote.h"
#include "repair.h"

/* Returns `size` bytes, aligned as an image or an arena must be; free() takes them back. */
static inline void *aligned(size_t size)
{
    void *memory = NULL;
    require(posix_memalign(&memory, GM_SECTION_ALIGN, size == 0 ? 1 : size) == 0);
    return memory;
}

static inline uint8_t *copy_of(const void *data, size_t size)
{
    uint8_t *copy = aligned(size);
    memcpy(copy, data, size);
    return copy;
}

#endif
