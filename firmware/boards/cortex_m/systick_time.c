#include "systick_time.h"

#include "board.h"
#include "cortex_m.h"
#include "interrupts.h"

#ifndef BOARD_WAKE_HZ
#define BOARD_WAKE_HZ 100u
#endif
#define PERIOD (BOARD_CLOCK_HZ / BOARD_WAKE_HZ) /* ticks; SysTick has 24 bits */

static volatile uint32_t periods;

void systick_time_start(void)
{
    SYSTICK_LOAD = PERIOD - 1;
    SYSTICK_VALUE = 0;
    SYSTICK_CTRL = SYSTICK_ON_WITH_INTERRUPT;
}

void systick_handler(void)
{
    ++periods;
}

/* SysTick counts down. If it has reloaded and its interrupt is still pending, `periods` is one
 * short. */
uint32_t board_ticks(void)
{
    mask_interrupts();
    uint32_t left = SYSTICK_VALUE, whole = periods;
    if (SCB_ICSR & ICSR_PENDSTSET) {
        left = SYSTICK_VALUE;
        ++whole;
    }
    unmask_interrupts();
    return whole * PERIOD + (PERIOD - 1 - left);
}
