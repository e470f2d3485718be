/* find_room: the longest image that may run from the start of the area while an update goes to its second half. */
#include <stdio.h>

#include "../../../firmware/src/storage/images.h"
#include "../../../firmware/src/storage/signature.h"
#include "board.h"

#define UNIT 1024u
#define HALF (4u * UNIT)

static uint8_t area[2 * HALF] __attribute__((aligned(16)));

board_area board_flash_area(enum board_area_kind kind)
{
    board_area images = {area, sizeof area, UNIT}, none = {area, 0, UNIT};
    return kind == BOARD_AREA_IMAGE ? images : none;
}

int board_flash_erase(const uint8_t *at, uint32_t size)
{
    (void)at;
    (void)size;
    return 0;
}

int board_flash_program(const uint8_t *at, const void *data, uint32_t size)
{
    (void)at;
    (void)data;
    (void)size;
    return 0;
}

int main(void)
{
    flash_span running = {area, 0}, room;
    uint32_t longest = 0;
    for (uint32_t size = 1; size <= sizeof area; ++size) {
        running.size = size + signature_size();
        longest = images_find_room(running, &room) == 0 ? size : longest;
    }
    printf("%u of %u\n", (unsigned)longest, HALF);
    return 0;
}
