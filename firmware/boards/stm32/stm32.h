/* The functions that the STM32 families share (stm32.c, flash.c), and those that each family gives
 * to them. */
#ifndef STM32_H
#define STM32_H

#include <stdint.h>

/* 1 once (*reg & mask) == wanted; 0 where that does not come to pass in so many milliseconds.
 * Counts in the ticks of the stated clock: before that runs, it waits longer. */
int stm32_await(const volatile uint32_t *reg, uint32_t mask, uint32_t wanted, uint32_t milliseconds);

/* ---- Given by the family ---------------------------------------------------------------------------------------- */

/* Brings the core to BOARD_CLOCK_HZ. */
void stm32_start_clocks(void);

/* Gives the UART its clock and its pins. */
void stm32_connect_uart(void);

/* 0 in an emulator that has neither clock control nor system memory: its registers read 0. */
int stm32_has_clock_control(void);

/* Bits of the flash controller's status and control registers. */
typedef struct stm32_flash_bits {
    uint32_t busy;
    uint32_t failed; /* any of them; cleared by writing 1 */
    uint32_t lock;
} stm32_flash_bits;
extern const stm32_flash_bits stm32_flash;

/* Erases the unit, and writes the word, that begins there. The controller is unlocked and idle. 1,
 * or 0 where it tells of a failure. */
int stm32_flash_erase(uint32_t address);
int stm32_flash_write(uint32_t address, uint32_t word);

/* ---- For the family's flash controller -------------------------------------------------------------------------- */

/* Waits until what was started has ended. 1, or 0 where it failed. */
int stm32_flash_is_done(void);

#endif
