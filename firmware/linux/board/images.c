/* Implements images.h with a file: one image, replaced as a whole. There are no updates while a
 * model runs: a computer has the room to send the model again, and keeps the checkpoint in its own
 * file. */
#include "storage/images.h"

#include "board.h"
#include "console_spec.h"

flash_span images_in_force(void)
{
    board_area area = board_flash_area(BOARD_AREA_IMAGE);
    flash_span image = {area.base, area.size}, none = {NULL, 0};
    return images_is_blank(area.base) ? none : image;
}

flash_span images_carried(void)
{
    flash_span none = {NULL, 0};
    return none;
}

int images_find_room(flash_span running, flash_span *room)
{
    (void)running;
    (void)room;
    return CONSOLE_ERR_NO_ROOM_TO_UPDATE;
}

uint32_t images_half(flash_span room)
{
    return room.size;
}

int images_switch(flash_span room, uint32_t size, flash_span carried)
{
    (void)room;
    (void)size;
    (void)carried;
    return CONSOLE_ERR_FLASH;
}

int images_erase(void)
{
    board_area area = board_flash_area(BOARD_AREA_IMAGE);
    return board_flash_erase(area.base, area.size) ? CONSOLE_ERR_FLASH : 0;
}
