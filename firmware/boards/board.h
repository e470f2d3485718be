/*
 * The interface between a board and the firmware: ten functions, a linker script, and numbers from
 * its board.toml, as the macros
 *   GM_BOARD_NAME           a string, for people and for the host; Arduino cores define their own BOARD_NAME
 *   BOARD_TICKS_PER_SECOND  of board_ticks()
 *   BOARD_ERASE_UNIT        bytes of flash that are erased together
 *   BOARD_PROGRAM_UNIT      bytes of flash that are programmed together, and once after each erase; a multiple of 4
 *   BOARD_FRAME_LIMIT       maximum bytes of a frame's payload; RAM holds two buffers of this size
 *   BOARD_UPDATES           0 leaves out updates while a model runs; 1 by default
 *   BOARD_ROUNDS            0 leaves out rounds of federated learning; 1 by default
 *   BOARD_EXPORT            0 leaves out the export of the trained model; 1 by default
 *   BOARD_CLOCK_HZ, and BOARD_<NAME> of each entry of its [peripherals]
 * Everything else is the same on all boards.
 *
 * The linker script defines, besides the usual sections:
 *   __stack_bottom, __stack_top   the stack, at the bottom of RAM, so that an overflow faults at once
 *   __static_start, __static_end  .data, .bss and .noinit
 *   __arena_start, __arena_end    all RAM that is left; 16-byte aligned
 *   __code_start, __code_end      the program in flash, including initial values of .data
 * and keeps section .noinit out of the range that start-up code clears.
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

#ifndef BOARD_EXPORT
#define BOARD_EXPORT 1
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum board_area_kind { BOARD_AREA_IMAGE, BOARD_AREA_CHECKPOINT };

/* A range of memory-mapped flash. base: an address divisible by 16. size: a multiple of erase_unit;
 * for checkpoints at least two of them. */
typedef struct board_area {
    const uint8_t *base;
    uint32_t size;
    uint32_t erase_unit;
} board_area;

/* Starts clocks, UART and timer. Called once, before any other function here. */
void board_init(void);

/* Returns the next received byte, 0 .. 255, or -1 if there is none. No byte may be lost during one
 * slice of a program: a board without hardware flow control receives into a ring buffer. The main
 * loop calls this in each round, also while a program runs, so it may feed a watchdog. */
int board_uart_get(void);

/* Called when there is nothing to do. May sleep until a byte arrives, for at most about 10 ms. */
void board_sleep(void);

/* Sends a byte. Blocks until it can. */
void board_uart_put(uint8_t byte);

/* Returns a clock that counts up at BOARD_TICKS_PER_SECOND and wraps at 2^32. */
uint32_t board_ticks(void);

/* Returns the flash area for images or for checkpoints. */
board_area board_flash_area(enum board_area_kind kind);

/* Erases whole erase units to 0xFF. at and size: multiples of the unit, inside one area. Returns 0
 * or -1. */
int board_flash_erase(const uint8_t *at, uint32_t size);

/* Programs erased flash and reads it back. at and size: multiples of BOARD_PROGRAM_UNIT. Returns 0,
 * or -1 if the bytes differ. */
int board_flash_program(const uint8_t *at, const void *data, uint32_t size);

/* Returns a number that is unique among parts of this kind, or 0 if the part has none. */
uint64_t board_unique_id(void);

/* Restarts the board. Does not return. */
void board_reset(void);

#ifdef __cplusplus
}
#endif

#endif
