/*
 * Checkpoints in flash: a ring of slots of one size, as many as the area has room for, two at
 * least.
 *
 * A checkpoint slot holds a record, then the checkpoint file. The record is programmed last, with
 * its checksum as the very last word, and without it the slot is invalid. A save goes to the slot
 * after the newest good one, skipping the round's base, so both survive a failed save, and all
 * slots wear alike. The model's size determines the size and number of slots; records of other
 * models are ignored. Anyone with access to the line can write records with any content
 * (CHECKPOINT_DATA).
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdint.h>

#include "gradmote.h"
#include "storage/images.h"

/* Returns the size in bytes of the longest checkpoint that fits. */
uint32_t slots_capacity(void);

/* Returns how many slots the area has for checkpoints of this model. Saves go through them in turn;
 * if there are fewer than 2, none can be kept. */
uint32_t slots_count(const gm_session *session);

/* Returns the newest checkpoint of this model, after a check of the whole file. It is the one that
 * slots_load() loads. */
flash_span slots_newest(const gm_session *session);

/* Returns the newest base, after a check of the whole file: the bytes of all parameters. *round is
 * its number. Returns an empty range, and round 0, if there is none. */
flash_span slots_base(const gm_session *session, uint32_t *round);

/* Reads from a file in flash, as a gm_read_fn. user: the address of the file. */
int slots_read(void *user, uint32_t offset, void *data, uint32_t size);

/* The functions below return 0, a gm_error or a console_error. */

/* Saves a checkpoint of the session. Returns 0 only if slots_load() would now load this very
 * state. */
int slots_save(const gm_session *session);

/* A delta, and the round that it ends. */
typedef struct slots_next {
    const gm_federated_round *round;
    const void *delta;
    uint32_t size; /* bytes */
} slots_next;

/* Saves a checkpoint that a restart loads, with the base of round `round`, 1 or more, as its
 * parameters. It survives all later saves until another base is saved. next: the delta to this
 * base, if the session still has the trained parameters; NULL: the session's parameters are the
 * base. */
int slots_save_base(const gm_session *session, uint32_t round, const slots_next *next);

/* Saves a checkpoint of the session if the newest one is a base, then forgets all bases. */
int slots_forget_base(const gm_session *session);

/* Loads the newest checkpoint that gm_checkpoint_load() accepts. If there is none, returns why one
 * was refused. */
int slots_load(gm_session *session);

/* Erases room for a file of `size` bytes. *base becomes its address. The newest good checkpoint
 * stays. */
int slots_prepare(const gm_session *session, uint32_t size, const uint8_t **base);

/* Loads the file at `base` and, if it is accepted, saves its state as slots_save() does. */
int slots_adopt(gm_session *session, const uint8_t *base, uint32_t size);

/* Returns 1 if the first checkpoint of another model does not overwrite `saved`, else 0. */
int slots_has_room_beside(const gm_header *model, flash_span saved);

/* Forgets all checkpoints of a model except `saved`, because they are older than the state that the
 * model is about to get. */
int slots_forget(const gm_header *model, flash_span saved);

#endif
