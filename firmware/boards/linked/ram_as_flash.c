/* Uses RAM that survives a reset as the flash of linked_areas.c. */
#include <string.h>

#include "board.h"

int board_flash_erase(const uint8_t *at, uint32_t size)
{
    if ((uintptr_t)at % BOARD_ERASE_UNIT || size % BOARD_ERASE_UNIT) {
        return -1;
    }
    memset((void *)(uintptr_t)at, 0xFF, size);
    return 0;
}

/* As in NOR flash, programming only clears bits. */
int board_flash_program(const uint8_t *at, const void *data, uint32_t size)
{
    uint8_t *cell = (uint8_t *)(uintptr_t)at;
    const uint8_t *wanted = data;
    if ((uintptr_t)at % BOARD_PROGRAM_UNIT || size % BOARD_PROGRAM_UNIT) {
        return -1;
    }
    for (uint32_t i = 0; i < size; ++i) {
        cell[i] &= wanted[i];
    }
    return memcmp(at, data, size) ? -1 : 0;
}
