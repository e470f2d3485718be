/* Files of the programs here: images, samples and checkpoints. */
#ifndef KEPT_FILES_H
#define KEPT_FILES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "gradmote.h"

/* Returns the bytes of a file in memory of its own, aligned to 16 bytes, or NULL. */
static inline uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        return NULL;
    }
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = aligned_alloc(16, (*size + 15) / 16 * 16);
    size_t got = data == NULL ? 0 : fread(data, 1, *size, file);
    fclose(file);
    return got == *size ? data : NULL;
}

static inline int write_part(void *user, uint32_t offset, const void *data, uint32_t size)
{
    return fseek(user, (long)offset, SEEK_SET) != 0 || fwrite(data, 1, size, user) != size;
}

static inline int read_part(void *user, uint32_t offset, void *data, uint32_t size)
{
    return fseek(user, (long)offset, SEEK_SET) != 0 || fread(data, 1, size, user) != size;
}

/* Returns GM_OK if there is no such file. */
static inline int go_on_from(gm_session *session, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return GM_OK;
    }
    int status = gm_checkpoint_load(session, read_part, file, gm_checkpoint_size(session));
    fclose(file);
    return status;
}

/* Writes the checkpoint to go on from. */
static inline int write_checkpoint(const gm_session *session, const char *path)
{
    FILE *file = fopen(path, "wb");
    int status = file != NULL ? gm_checkpoint_save(session, write_part, file) : GM_ERR_IO;
    return file != NULL && fclose(file) != 0 ? GM_ERR_IO : status;
}

#endif
