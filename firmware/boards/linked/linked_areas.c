/* The areas for files, one after the other, at the addresses from firmware.ld. The sizes from
 * board.toml are absolute symbols, so their addresses are the values. */
#include "board.h"

extern const uint8_t __files_start[], IMAGE_SIZE[], CHECKPOINT_SIZE[];

board_area board_flash_area(enum board_area_kind kind)
{
    uint32_t image = (uint32_t)(uintptr_t)IMAGE_SIZE, checkpoint = (uint32_t)(uintptr_t)CHECKPOINT_SIZE;
    board_area image_area = {__files_start, image, BOARD_ERASE_UNIT};
    board_area checkpoint_area = {__files_start + image, checkpoint, BOARD_ERASE_UNIT};
    return kind == BOARD_AREA_IMAGE ? image_area : checkpoint_area;
}
