/*
 * slots.h over a file: of two buffers one holds the checkpoint kept last, the other takes the next one. The file is replaced
 * as a whole, so an interruption leaves the checkpoint before.
 */
#include "storage/slots.h"

#include <string.h>

#include "../files.h"
#include "checkpoint_file.h"
#include "console_spec.h"
#include "storage.h"
#include "storage/kept_file.h"

static uint8_t *buffers[2]; /* STORAGE_AREA bytes each */
static int newest;
static uint32_t kept; /* bytes of the newest; 0: there is none */

void checkpoint_file_open(void)
{
    for (int i = 0; i < 2; ++i) {
        if (buffers[i] == NULL) {
            buffers[i] = memory_map(STORAGE_AREA);
        }
    }
    kept = storage_read(STORAGE_CHECKPOINT, buffers[newest]);
}

uint32_t slots_capacity(void)
{
    return STORAGE_AREA;
}

uint32_t slots_count(const gm_session *session)
{
    return gm_checkpoint_size(session) > slots_capacity() ? 0 : 2;
}

int slots_read(void *user, uint32_t offset, void *data, uint32_t size)
{
    memcpy(data, (const uint8_t *)user + offset, size);
    return 0;
}

static int write_buffer(void *user, uint32_t offset, const void *data, uint32_t size)
{
    memcpy((uint8_t *)user + offset, data, size);
    return 0;
}

flash_span slots_newest(const gm_session *session)
{
    flash_span file = {NULL, 0};
    if (kept_file_fits(session, buffers[newest], kept) &&
        gm_checkpoint_check(session, slots_read, buffers[newest], kept) == 0) {
        file.base = buffers[newest];
        file.size = kept;
    }
    return file;
}

/* The other buffer's file becomes the newest. */
static int commit(uint32_t size)
{
    if (storage_keep(STORAGE_CHECKPOINT, buffers[!newest], size) != 0) {
        return CONSOLE_ERR_FLASH;
    }
    newest = !newest;
    kept = size;
    return 0;
}

int slots_save(const gm_session *session)
{
    uint32_t size = gm_checkpoint_size(session);
    if (size > slots_capacity()) {
        return CONSOLE_ERR_TOO_LARGE;
    }
    int error = gm_checkpoint_save(session, write_buffer, buffers[!newest]);
    return error ? error : commit(size);
}

int slots_load(gm_session *session)
{
    return kept == 0 ? CONSOLE_ERR_NO_CHECKPOINT : gm_checkpoint_load(session, slots_read, buffers[newest], kept);
}

int slots_prepare(const gm_session *session, uint32_t size, const uint8_t **base)
{
    (void)session;
    *base = buffers[!newest];
    return size > slots_capacity() ? CONSOLE_ERR_TOO_LARGE : 0;
}

int slots_adopt(gm_session *session, const uint8_t *base, uint32_t size)
{
    int error = gm_checkpoint_load(session, slots_read, (void *)(uintptr_t)base, size);
    return error ? error : slots_save(session);
}

/* images.c begins no update. */
int slots_has_room_beside(const gm_header *model, flash_span saved)
{
    (void)model;
    (void)saved;
    return 0;
}

int slots_forget(const gm_header *model, flash_span saved)
{
    (void)model;
    (void)saved;
    return 0;
}
