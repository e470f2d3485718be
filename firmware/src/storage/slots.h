/*
 * Checkpoints in flash: a ring of slots of one size, as many as the area has room for, two at least.
 *
 * A slot is a record, then the checkpoint file. The record is programmed last, its checksum as the last word of all;
 * without it the slot does not count. A save goes to the slot after the newest good one, which therefore outlives
 * whatever happens to the save, and all slots wear alike. How long a slot is, and so how many there are, follows from
 * the model: records of other models are passed over. Anyone at the line can write records that say anything (CHECKPOINT_DATA).
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdint.h>

#include "gradmote.h"
#include "storage/images.h"

/* Longest checkpoint that fits, in bytes. */
uint32_t slots_capacity(void);

/* Slots that the area has for checkpoints of this model; they are written in turn. Fewer than 2 keep none. */
uint32_t slots_count(const gm_session *session);

/* The checkpoint of this model kept last, checked as a whole: what slots_load() loads. */
flash_span slots_newest(const gm_session *session);

/* gm_read_fn of a file in flash; user: where it begins. */
int slots_read(void *user, uint32_t offset, void *data, uint32_t size);

/* The functions below return 0, a gm_error or a console_error. */

/* Returns 0 only where slots_load() would now load this very state. */
int slots_save(const gm_session *session);

/* Loads the newest checkpoint that gm_checkpoint_load() accepts; otherwise tells why one of them is refused. */
int slots_load(gm_session *session);

/* Erases room for a file of `size` bytes, and leaves the newest good checkpoint; *base is where the file goes. */
int slots_prepare(const gm_session *session, uint32_t size, const uint8_t **base);

/* Loads the file that was written there, and if it is accepted keeps what it holds as slots_save() does. */
int slots_adopt(gm_session *session, const uint8_t *base, uint32_t size);

/* 1 where the first checkpoint of another model leaves `saved` alone. */
int slots_has_room_beside(const gm_header *model, flash_span saved);

/* Forgets what flash has of a model but `saved`: it is older than what the model will be given. */
int slots_forget(const gm_header *model, flash_span saved);

#endif
