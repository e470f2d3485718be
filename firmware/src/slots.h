/*
 * Checkpoints in flash, in two slots that are written in turn: losing power while one is written leaves the other.
 *
 * A slot is a 16-byte record, then, in units of flash that it does not share with it, the checkpoint file. The record
 * is programmed last; without it the slot does not count.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdint.h>

#include "gradmote.h"

/* Longest checkpoint, in bytes. */
uint32_t slots_capacity(void);

/* The checkpoint kept last, and its size; NULL and 0 where there is none. */
const uint8_t *slots_newest(uint32_t *size);

/* The functions below return 0, a gm_error or a console_error. */

int slots_save(const gm_session *session);

/* Loads the newest checkpoint that gm_checkpoint_load() accepts; the reason of the newest one's refusal otherwise. */
int slots_load(gm_session *session);

/* Erases the slot that is not the newest; *base is where its file goes. */
int slots_prepare(const uint8_t **base);

/* Loads the file that was written after slots_prepare(), and makes it the newest if it is accepted. */
int slots_adopt(gm_session *session, uint32_t size);

#endif
