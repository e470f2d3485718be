/*
 * What a board gives to the firmware. Eleven functions and a linker script; everything else is the same on all boards.
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

enum board_area_kind { BOARD_AREA_IMAGE, BOARD_AREA_CHECKPOINT };

/* A piece of flash that is read through plain pointers. base: 16-byte aligned. size: a multiple of 2 erase_unit. */
typedef struct board_area {
    const uint8_t *base;
    uint32_t size;
    uint32_t erase_unit;
} board_area;

/* Clocks, UART and timer. Called once, before anything else here. */
void board_init(void);

/* For people and for the host; the same as the board's folder. */
const char *board_name(void);

/* The next received byte, 0 .. 255, or -1 where there is none. Bytes that arrive while a program runs must not be
 * lost for at least one slice of it: a board without hardware flow control receives into a ring buffer. */
int board_uart_get(void);

/* Nothing to do: may sleep until a byte arrives, but no longer than about 10 ms. */
void board_sleep(void);

/* Waits until the byte can be sent. */
void board_uart_put(uint8_t byte);

/* Counts up and wraps at 2^32. */
uint32_t board_ticks(void);
uint32_t board_ticks_per_second(void);

board_area board_flash_area(enum board_area_kind kind);

/* Sets whole erase units to 0xFF. at and size: multiples of the unit, inside one area. Returns 0, or -1. */
int board_flash_erase(const uint8_t *at, uint32_t size);

/* Writes erased flash and reads it back. at and size: multiples of 4. Returns 0, or -1 where the bytes differ. */
int board_flash_program(const uint8_t *at, const void *data, uint32_t size);

/* Does not return. */
void board_reset(void);

#endif
