/*
 * Functions outside Arduino's API, which each core defines in cores/<core>.cpp. It also defines
 * board_flash_area(), board_flash_erase(), board_flash_program() and board_unique_id() of board.h.
 */
#ifndef CORE_H
#define CORE_H

#include <stdint.h>

#include "board.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Called before Serial.begin(). Makes room for bytes that arrive while a program runs, on lines
 * without flow control. */
void core_start(void);

/* The stack of setup() and loop(), without the words that the core keeps at its ends. */
typedef struct core_stack {
    uint32_t *bottom;
    uint32_t *top;
} core_stack;

core_stack core_loop_stack(void);

/* Returns the size in bytes of the program in flash, including the core. */
uint32_t core_code_size(void);

/* Restarts the board. Does not return. */
void core_restart(void);

/* Returns the area of a file. The files follow one another, beginning at `start`. */
static inline board_area core_area(const uint8_t *start, enum board_area_kind kind)
{
    board_area image = {start, BOARD_IMAGE_SIZE, BOARD_ERASE_UNIT};
    board_area checkpoint = {start + BOARD_IMAGE_SIZE, BOARD_CHECKPOINT_SIZE, BOARD_ERASE_UNIT};
    return kind == BOARD_AREA_IMAGE ? image : checkpoint;
}

#ifdef __cplusplus
}
#endif

#endif
