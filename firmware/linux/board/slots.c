/*
 * Implements slots.h with two files: the checkpoint, and the base of the round, which is a record
 * and a checkpoint. Each is replaced as a whole, so an interruption leaves the previous one.
 */
#include "storage/slots.h"

#include <string.h>

#include "../files.h"
#include "checkpoint_file.h"
#include "console_spec.h"
#include "storage.h"
#include "storage/kept_file.h"

/* A file with two buffers: one holds the current contents, the other takes the next ones. */
typedef struct kept {
    enum storage_file file;
    uint8_t *buffers[2]; /* STORAGE_AREA bytes each */
    int newest;
    uint32_t size;  /* bytes of the newest; 0: there is none */
    uint32_t check; /* its CRC-32 */
} kept;

/* Precedes a checkpoint. A restart loads that checkpoint unless another one was saved later. */
typedef struct base_record {
    uint32_t check;  /* CRC-32 of all that follows */
    uint32_t round;  /* 1 or more */
    uint32_t before; /* CRC-32 of the checkpoint file when the base was saved; 0: there was none */
} base_record;

static kept checkpoint = {.file = STORAGE_CHECKPOINT}, base = {.file = STORAGE_BASE};

static uint8_t *newest_of(const kept *k)
{
    return k->buffers[k->newest];
}

static uint8_t *next_of(const kept *k)
{
    return k->buffers[!k->newest];
}

static uint32_t check_of_record(const uint8_t *file, uint32_t size)
{
    return gm_crc32(0, file + sizeof(uint32_t), size - sizeof(uint32_t));
}

static base_record record_of_base(void)
{
    base_record record;
    memcpy(&record, newest_of(&base), sizeof record);
    return record;
}

/* ---- Files ------------------------------------------------------------------------------------------------------ */

static void open_kept(kept *k)
{
    for (int i = 0; i < 2; ++i) {
        if (k->buffers[i] == NULL) {
            k->buffers[i] = memory_map(STORAGE_AREA);
        }
    }
    k->size = storage_read(k->file, newest_of(k));
    k->check = gm_crc32(0, newest_of(k), k->size);
}

/* Returns whether the base's file has the form that commit_base() writes; its bytes may be
 * anything. kept_file_fits() checks that the checkpoint is of the active model, and
 * gm_checkpoint_load() checks all of it. */
static int base_is_whole(void)
{
    const uint32_t start = (uint32_t)sizeof(base_record), least = start + (uint32_t)sizeof(gm_checkpoint);
    return base.size >= least && record_of_base().check == check_of_record(newest_of(&base), base.size) &&
           record_of_base().round != 0 && kept_file_is_plain(newest_of(&base) + start);
}

void checkpoint_file_open(void)
{
    open_kept(&checkpoint);
    open_kept(&base);
    if (base.size != 0 && !base_is_whole()) {
        storage_refuse(STORAGE_BASE, "is damaged, so the board is in round 0");
        base.size = 0;
    }
}

/* Makes the other buffer's contents the newest. */
static int commit(kept *k, uint32_t size)
{
    if (storage_keep(k->file, next_of(k), size) != 0) {
        return CONSOLE_ERR_FLASH;
    }
    k->newest = !k->newest;
    k->size = size;
    k->check = gm_crc32(0, newest_of(k), size);
    return 0;
}

/* size: bytes of the checkpoint after the record in the base's other buffer. */
static int commit_base(uint32_t size, uint32_t round, uint32_t before)
{
    base_record record = {0, round, before};
    size += (uint32_t)sizeof record;
    memcpy(next_of(&base), &record, sizeof record);
    record.check = check_of_record(next_of(&base), size);
    memcpy(next_of(&base), &record, sizeof record);
    return commit(&base, size);
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

/* ---- Kept files ------------------------------------------------------------------------------------------------- */

static flash_span checked(const gm_session *session, flash_span file)
{
    flash_span none = {NULL, 0};
    int good = file.size != 0 && kept_file_fits(session, file.base, file.size) &&
               gm_checkpoint_check(session, slots_read, (void *)(uintptr_t)file.base, file.size) == 0;
    return good ? file : none;
}

static flash_span checkpoint_file(void)
{
    flash_span file = {newest_of(&checkpoint), checkpoint.size};
    return file;
}

/* Returns the checkpoint of the base, if it is of this model. base_is_whole() checked its bytes
 * when it read the file: reading them all again for each frame of a round would take too long. */
static flash_span base_file(const gm_session *session)
{
    flash_span none = {NULL, 0}, file = {newest_of(&base) + sizeof(base_record), 0};
    file.size = base.size != 0 ? base.size - (uint32_t)sizeof(base_record) : 0;
    return kept_file_fits(session, file.base, file.size) ? file : none;
}

/* Returns the file that a restart loads, or another model's if there is no other. */
static flash_span file_in_force(const gm_session *session)
{
    flash_span saved = checkpoint_file(), of_base = base_file(session);
    int none_since =
        of_base.base != NULL && (record_of_base().before == checkpoint.check || checked(session, saved).base == NULL);
    return none_since ? of_base : saved;
}

uint32_t slots_capacity(void)
{
    return STORAGE_AREA - (uint32_t)sizeof(base_record);
}

uint32_t slots_count(const gm_session *session)
{
    return gm_checkpoint_size(session) > slots_capacity() ? 0 : 2;
}

flash_span slots_newest(const gm_session *session)
{
    return checked(session, file_in_force(session));
}

int slots_load(gm_session *session)
{
    flash_span file = file_in_force(session);
    return file.size == 0 ? CONSOLE_ERR_NO_CHECKPOINT
                          : gm_checkpoint_load(session, slots_read, (void *)(uintptr_t)file.base, file.size);
}

/* ---- Saving ----------------------------------------------------------------------------------------------------- */

/* Called when the bytes to save equal the checkpoint from before the base: changes the base's
 * record, which would otherwise stay the newer one. Nothing else is needed, since the checkpoint's
 * file already has these bytes. */
static int let_base_be_older(void)
{
    base_record record = record_of_base();
    uint32_t size = base.size - (uint32_t)sizeof record;
    memcpy(next_of(&base) + sizeof record, newest_of(&base) + sizeof record, size);
    return commit_base(size, record.round, ~record.before);
}

int slots_save(const gm_session *session)
{
    uint32_t size = gm_checkpoint_size(session);
    if (size > slots_capacity()) {
        return CONSOLE_ERR_TOO_LARGE;
    }
    int error = gm_checkpoint_save(session, write_buffer, next_of(&checkpoint));
    if (error == 0 && base.size != 0 && gm_crc32(0, next_of(&checkpoint), size) == record_of_base().before) {
        error = let_base_be_older();
    }
    return error ? error : commit(&checkpoint, size);
}

int slots_prepare(const gm_session *session, uint32_t size, const uint8_t **file)
{
    (void)session;
    *file = next_of(&checkpoint);
    return size > slots_capacity() ? CONSOLE_ERR_TOO_LARGE : 0;
}

int slots_adopt(gm_session *session, const uint8_t *file, uint32_t size)
{
    int error = gm_checkpoint_load(session, slots_read, (void *)(uintptr_t)file, size);
    return error ? error : slots_save(session);
}

/* ---- The base of a round ---------------------------------------------------------------------------------------- */

int slots_save_base(const gm_session *session, uint32_t round, const slots_next *next)
{
    uint32_t size = gm_checkpoint_size(session);
    uint8_t *file = next_of(&base) + sizeof(base_record);
    if (size > slots_capacity()) {
        return CONSOLE_ERR_TOO_LARGE;
    }
    int error = next != NULL ? gm_round_save(session, next->round, next->delta, next->size, write_buffer, file)
                             : gm_checkpoint_save(session, write_buffer, file);
    return error ? error : commit_base(size, round, checkpoint.check);
}

flash_span slots_base(const gm_session *session, uint32_t *round)
{
    flash_span file = base_file(session), parameters = {NULL, 0};
    *round = 0;
    if (file.base != NULL) {
        *round = record_of_base().round;
        parameters.base = file.base + file.size - session->header->state_size;
        parameters.size = session->header->parameters_size;
    }
    return parameters;
}

/* Also removes a refused file, but not another model's. */
int slots_forget_base(const gm_session *session)
{
    flash_span of_base = base_file(session);
    int error = of_base.base != NULL && file_in_force(session).base == of_base.base ? slots_save(session) : 0;
    if (error != 0 || (of_base.base == NULL && base.size != 0)) {
        return error;
    }
    if (storage_remove(STORAGE_BASE) != 0) {
        return CONSOLE_ERR_FLASH;
    }
    base.size = 0;
    return 0;
}

/* ---- For an update of the image --------------------------------------------------------------------------------- */

/* images.c does not begin updates. */
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
