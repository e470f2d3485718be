/*
 * The functions that Arduino's API leaves open, and that each core defines in its own way in
 * cores/<core>.cpp. There are, besides these, board_flash_area(), board_flash_erase(),
 * board_flash_program() and board_unique_id() of board.h.
 */
#ifndef CORE_H
#define CORE_H

#include <stdint.h>

#include "board.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Before Serial.begin(): makes room for what arrives while a program runs, where the line waits for
 * nobody. */
void core_start(void);

/* The stack that setup() and loop() run on, without what the core itself keeps at its ends. */
typedef struct core_stack {
    uint32_t *bottom;
    uint32_t *top;
} core_stack;

core_stack core_loop_stack(void);

/* Bytes of flash that the program takes, the core included. */
uint32_t core_code_size(void);

/* Does not return. */
void core_restart(void);

/* The files one after the other, from `start` on. */
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
