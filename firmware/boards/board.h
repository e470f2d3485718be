/*
 * The interface that a board gives to the firmware: ten functions, a linker script, and numbers of
 * its board.toml, which come as
 *   GM_BOARD_NAME           a string, for people and for the host; cores of Arduino have a BOARD_NAME of their own
 *   BOARD_TICKS_PER_SECOND  of board_ticks()
 *   BOARD_ERASE_UNIT        bytes of flash that are erased together
 *   BOARD_PROGRAM_UNIT      bytes of flash that are programmed together, and once after each erase; a multiple of 4
 *   BOARD_FRAME_LIMIT       bytes of a frame's payload at most; two buffers of this size are in RAM
 *   BOARD_UPDATES           0 leaves out the update beside the model that runs; 1 by default
 *   BOARD_ROUNDS            0 leaves out rounds of federated learning; 1 by default
 *   BOARD_CLOCK_HZ, and BOARD_<NAME> of each entry of its [peripherals]
 * Everything else is the same on all boards.
 *
 * The linker script defines, besides the usual sections:
 *   __stack_bottom, __stack_top   the stack; it lies at the bottom of RAM, so that an overflow faults at once
 *   __static_start, __static_end  .data, .bss and .noinit
 *   __arena_start, __arena_end    all RAM that is left; 16-byte aligned
 *   __code_start, __code_end      what the program occupies in flash, initial values of .data included
 * and keeps section .noinit out of what start-up code clears.
 */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

#ifndef BOARD_UPDATES
#define BOARD_UPDATES 1
#endif

#ifndef BOARD_ROUNDS
#define BOARD_ROUNDS 1
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum board_area_kind { BOARD_AREA_IMAGE, BOARD_AREA_CHECKPOINT };

/* A range of flash that is read through plain pointers. base: an address divisible by 16. size: a
 * multiple of erase_unit, for checkpoints two of them at least. */
typedef struct board_area {
    const uint8_t *base;
    uint32_t size;
    uint32_t erase_unit;
} board_area;

/* Starts clocks, UART and timer. Called once, before anything else here. */
void board_init(void);

/* Returns the next received byte, 0 .. 255, or -1 if there is none. Bytes that arrive while a
 * program runs must not be lost for at least one slice of it: a board without hardware flow control
 * receives into a ring buffer. This is called in each round of the main loop, also while a program
 * runs, so it may feed a watchdog. */
int board_uart_get(void);

/* Called when there is nothing to do. May sleep until a byte arrives, but no longer than about 10
 * ms. */
void board_sleep(void);

/* Sends a byte, and waits until that is possible. */
void board_uart_put(uint8_t byte);

/* Returns a clock that counts up, BOARD_TICKS_PER_SECOND, and wraps at 2^32. */
uint32_t board_ticks(void);

/* Returns the range of flash for images or for checkpoints. */
board_area board_flash_area(enum board_area_kind kind);

/* Sets whole erase units to 0xFF. at and size: multiples of the unit, inside one area. Returns 0,
 * or -1. */
int board_flash_erase(const uint8_t *at, uint32_t size);

/* Writes erased flash and reads it back. at and size: multiples of BOARD_PROGRAM_UNIT. Returns 0,
 * or -1 where the bytes differ. */
int board_flash_program(const uint8_t *at, const void *data, uint32_t size);

/* Returns a number that no other part of its kind has; 0 if the part has none. */
uint64_t board_unique_id(void);

/* Restarts the board. Does not return. */
void board_reset(void);

#ifdef __cplusplus
}
#endif

#endif
