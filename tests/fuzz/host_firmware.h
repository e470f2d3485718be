/* The firmware as a part of the program that includes this, with its device in reach: once in a program. */
#ifndef HOST_FIRMWARE_H
#define HOST_FIRMWARE_H

#include "../../firmware/src/firmware.c" /* for the_device */
#include "host_board.h"

/* An open image stays as it was verified, and no checkpoint goes before there is one to take its place. */
int host_may_change(enum board_area_kind kind, const uint8_t *at, uint32_t size)
{
    const gm_session *session = &the_device.model.session;
    int is_open = the_device.model.status == 0 && session->header != NULL;
    if (kind == BOARD_AREA_CHECKPOINT) {
        return !the_device.run.active;
    }
    return !is_open || at + size <= session->image || at >= session->image + session->header->size;
}

#endif
