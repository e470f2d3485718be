/* A file in memory, which gm_checkpoint_save() and gm_checkpoint_load() use at its own bytes alone. */
#ifndef FILE_H
#define FILE_H

#include <string.h>

#include "repair.h"

typedef struct file {
    uint8_t *bytes;
    uint32_t size;
} file;

static inline int file_write(void *user, uint32_t offset, const void *data, uint32_t size)
{
    file *f = user;
    require(offset <= f->size && size <= f->size - offset);
    memcpy(f->bytes + offset, data, size);
    return 0;
}

static inline int file_read(void *user, uint32_t offset, void *data, uint32_t size)
{
    file *f = user;
    require(offset <= f->size && size <= f->size - offset);
    memcpy(data, f->bytes + offset, size);
    return 0;
}

#endif
