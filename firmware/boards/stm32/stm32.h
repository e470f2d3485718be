/* Functions that the STM32 families share (stm32.c, flash.c), and those that each family must
 * provide. */
#ifndef STM32_H
#define STM32_H

#include <stdint.h>

/* Returns 1 once (*reg & mask) == wanted, or 0 if that does not happen in so many milliseconds.
 * Counts ticks at BOARD_CLOCK_HZ: before that clock runs, it waits longer. */
int stm32_await(const volatile uint32_t *reg, uint32_t mask, uint32_t wanted, uint32_t milliseconds);

/* ---- Provided by the family ------------------------------------------------------------------------------------- */

/* Runs the core at BOARD_CLOCK_HZ. */
void stm32_start_clocks(void);

/* Enables the UART's clock and its pins. */
void stm32_connect_uart(void);

/* Returns 0 in an emulator without clock control and system memory, where these registers read
 * 0. */
int stm32_has_clock_control(void);

/* Bits of the flash controller's status and control registers. */
typedef struct stm32_flash_bits {
    uint32_t busy;
    uint32_t failed; /* any of them; cleared by writing 1 */
    uint32_t lock;
} stm32_flash_bits;
extern const stm32_flash_bits stm32_flash;

/* Erases the unit, or writes the word, at this address. The controller is unlocked and idle.
 * Returns 1, or 0 if it reports a failure. */
int stm32_flash_erase(uint32_t address);
int stm32_flash_write(uint32_t address, uint32_t word);

/* ---- For the family's flash controller -------------------------------------------------------------------------- */

/* Waits until the operation has ended. Returns 1, or 0 if it failed. */
int stm32_flash_is_done(void);

#endif
