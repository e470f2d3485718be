/*
 * Images in flash: one, or two halves of the area, of which one is in force.
 *
 * A half is an image and, at its end, a record that makes it count, programmed last, its checksum as the last word of
 * all. The half with the newest good record is in force; where there is none, what lies at the start of the area: an
 * image that was sent without an update, and may be as long as the area.
 */
#ifndef IMAGES_H
#define IMAGES_H

#include <stdint.h>
#include <string.h>

#include "gradmote.h"

/* A piece of flash. base: NULL where there is none. */
typedef struct flash_span {
    const uint8_t *base;
    uint32_t size; /* bytes */
} flash_span;

/* Erased flash, or memory as it is after power-on. */
static inline int images_is_blank(const uint8_t *base)
{
    uint32_t first;
    memcpy(&first, base, sizeof first);
    return first == 0xFFFFFFFFu || first == 0;
}

/* The image that is in force; its file may be shorter. */
flash_span images_in_force(void);

/* The checkpoint that the image in force carries over from, while flash has it. */
flash_span images_carried(void);

/* The functions below return 0 or a console_error. */

/* Where an update of the image that `running` has open goes. CONSOLE_ERR_NO_ROOM_TO_UPDATE where there is no such place. */
int images_find_room(const gm_session *running, flash_span *room);

/* Bytes of that place with its record: whole erase units. */
uint32_t images_half(flash_span room);

/* Puts the image there in force: 0 only where a restart would find it so. carried: the checkpoint to carry over from, or none. */
int images_switch(flash_span room, uint32_t size, flash_span carried);

/* Erases the area; an image of another half never comes back, whenever power fails. */
int images_erase(void);

#endif
