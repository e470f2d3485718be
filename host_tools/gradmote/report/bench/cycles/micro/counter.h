/* A counter of the core's cycles: DWT CYCCNT, SysTick on cores without it, or the board's clock where both are missing. */
#ifndef MICRO_COUNTER_H
#define MICRO_COUNTER_H

#include "board.h"
#include "cortex_m/cortex_m.h"

#define DEMCR REGISTER(0xE000EDFCu)
#define DEMCR_TRCENA (1u << 24)
#define DWT_CTRL REGISTER(0xE0001000u)
#define DWT_CYCCNT REGISTER(0xE0001004u)
#define DWT_LAR REGISTER(0xE0001FB0u)
#define DWT_LAR_KEY 0xC5ACCE55u /* asked for by the Cortex-M7 */
#define DWT_CTRL_CYCCNTENA 1u

#define SYSTICK_ON_WITHOUT_INTERRUPT 5u
#define SYSTICK_MASK 0xFFFFFFu

static const char *counter_name;
static uint32_t (*counter_read)(void);

static inline uint32_t read_dwt(void)
{
    return DWT_CYCCNT;
}

static inline uint32_t read_systick(void)
{
    return SYSTICK_MASK - SYSTICK_VALUE; /* it counts down */
}

/* Cycles, where its ticks are longer: to the nearest whole number of them. */
static inline uint32_t read_clock(void)
{
    return board_ticks() * (BOARD_CLOCK_HZ / BOARD_TICKS_PER_SECOND);
}

static inline int counts(uint32_t (*read)(void))
{
    uint32_t start = read();
    for (volatile uint32_t i = 0; i < 1000; ++i) {
    }
    return read() != start;
}

/* Starts the best counter there is. Interrupts must be masked: SysTick then is no clock any longer. */
static inline void counter_start(void)
{
#if __ARM_ARCH != 6
    DEMCR |= DEMCR_TRCENA;
    DWT_LAR = DWT_LAR_KEY;
    DWT_CTRL |= DWT_CTRL_CYCCNTENA;
    counter_name = "DWT";
    counter_read = read_dwt;
    if (counts(read_dwt)) {
        return;
    }
#endif
    SYSTICK_LOAD = SYSTICK_MASK;
    SYSTICK_VALUE = 0;
    SYSTICK_CTRL = SYSTICK_ON_WITHOUT_INTERRUPT;
    counter_name = "SysTick";
    counter_read = read_systick;
    if (!counts(read_systick)) {
        counter_name = "clock";
        counter_read = read_clock;
    }
}

#endif
