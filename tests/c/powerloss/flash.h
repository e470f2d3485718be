/*
 * NOR flash on this computer that keeps the contract of board.h, with what goes wrong in it: power that fails in any
 * program or erase operation and leaves it undone, torn, half done or done, bits that rot, and misuse, which ends the
 * test. One operation programs one unit, or erases one.
 */
#ifndef FLASH_H
#define FLASH_H

#include <setjmp.h>

#include "board.h"

/* The image area is in front of that of checkpoints. */
#define FLASH_IMAGE_SIZE (BOARD_ERASE_UNIT * FLASH_IMAGE_UNITS)
#define FLASH_CHECKPOINT_SIZE (BOARD_ERASE_UNIT * FLASH_CHECKPOINT_UNITS)
#define FLASH_SIZE (FLASH_IMAGE_SIZE + FLASH_CHECKPOINT_SIZE)

/* What an operation leaves if power fails in it: nothing; the first half of its bytes; any of its bits; all. */
enum flash_cut { CUT_BEFORE, CUT_TORN, CUT_WEAK, CUT_AFTER, CUT_KINDS };

/* Copied to go back to an earlier time. */
typedef struct flash {
    uint8_t cells[FLASH_SIZE] __attribute__((aligned(16)));
    uint8_t written[FLASH_SIZE / BOARD_PROGRAM_UNIT]; /* 1: programmed since it was erased */
    uint32_t erasures[FLASH_SIZE / BOARD_ERASE_UNIT];
} flash;

extern flash the_flash;

/* Erased and new. */
void flash_init(void);

/* The fewest and the most times that a unit was erased, of those that were. */
void flash_wear(uint32_t *least, uint32_t *most);

/* Operations since the last call. */
uint32_t flash_operations(void);

/* Power fails in operation `number` from now, from 0; it then jumps to flash_power_failed. seed: of the bits. */
void flash_cut(uint32_t number, enum flash_cut kind, uint32_t seed);
/* Power does not fail. */
void flash_keep_power(void);
extern jmp_buf flash_power_failed;

/* Inverts one bit. */
void flash_rot(uint32_t byte, uint32_t bit);

#endif
