/*
 * Images in flash: one that may take the whole area, or one in each half, with one of the two in
 * force.
 *
 * A half holds an image and, at its end, a record. The record is programmed last, with its checksum
 * as the very last word, and without it the image does not count. The half with the newest good
 * record is active. If there is none, the image at the start of the area is: it was sent without
 * an update, and may be as long as the area.
 */
#ifndef IMAGES_H
#define IMAGES_H

#include <stdint.h>
#include <string.h>

#include "gradmote.h"

/* A range of flash. base is NULL if there is none. */
typedef struct flash_span {
    const uint8_t *base;
    uint32_t size; /* bytes */
} flash_span;

/* Returns whether `base` holds erased flash, or memory as it is after power-on. */
static inline int images_is_blank(const uint8_t *base)
{
    uint32_t first;
    memcpy(&first, base, sizeof first);
    return first == 0xFFFFFFFFu || first == 0;
}

/* Returns the range that holds the active image. The image itself may be shorter. */
flash_span images_in_force(void);

/* Returns the checkpoint from which the active image carries state over, while flash has it. */
flash_span images_carried(void);

/* Finds the range for an update. running: the image that is open, with the bytes that belong to it.
 * Returns 0, or CONSOLE_ERR_NO_ROOM_TO_UPDATE. */
int images_find_room(flash_span running, flash_span *room);

/* Returns the size in bytes of that range with its record, a multiple of the erase unit. */
uint32_t images_half(flash_span room);

/* Makes the image in `room` the active one. carried: the checkpoint to carry over from, or none. Returns
 * 0 only if a restart would find that image active, else a console_error. */
int images_switch(flash_span room, uint32_t size, flash_span carried);

/* Erases the area. Even if power fails, the image of the other half does not come back. Returns 0
 * or a console_error. */
int images_erase(void);

#endif
