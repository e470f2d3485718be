/*
 * The MPS2 and MPS3 family: CMSDK UART and timer.
 *
 * Registers: Arm Cortex-M System Design Kit TRM (DDI 0479), "APB UART" and "APB timer"; without
 * this timer, Arm Corstone SSE-300 TRM (101773), "System counter". The UART has a one-byte receive
 * buffer and no FIFO, but the emulator holds further bytes back until the program reads it, so
 * polling loses none.
 */
#include "board.h"
#include "cortex_m/cortex_m.h"

#define UART_DATA REGISTER(BOARD_UART)
#define UART_STATE REGISTER(BOARD_UART + 0x04u)
#define UART_CTRL REGISTER(BOARD_UART + 0x08u)
#define UART_INTCLEAR REGISTER(BOARD_UART + 0x0Cu)
#define UART_BAUDDIV REGISTER(BOARD_UART + 0x10u)
#define UART_TX_FULL 1u
#define UART_RX_FULL 2u
#define UART_RX_INTERRUPT 2u
#define UART_TX_RX_AND_RX_INTERRUPT 0xBu

#ifndef BOARD_UART_CLOCK
#define BOARD_UART_CLOCK BOARD_CLOCK_HZ
#endif

#ifdef BOARD_TIMER
#define TIMER_CTRL REGISTER(BOARD_TIMER)
#define TIMER_VALUE REGISTER(BOARD_TIMER + 0x04u)
#define TIMER_RELOAD REGISTER(BOARD_TIMER + 0x08u)
#else
#define COUNTER_CNTCR REGISTER(BOARD_COUNTER_CONTROL)
#define COUNTER_CNTCV_LO REGISTER(BOARD_COUNTER_STATUS)
#define CNTCR_EN 1u
#endif

#define BAUD 115200u
#define WAKE_HZ 100u

#ifdef BOARD_TIMER
static void start_ticks(void)
{
    TIMER_RELOAD = 0xFFFFFFFFu;
    TIMER_VALUE = 0xFFFFFFFFu;
    TIMER_CTRL = 1u;
}

uint32_t board_ticks(void)
{
    return ~TIMER_VALUE; /* the timer counts down */
}
#else
static void start_ticks(void)
{
    COUNTER_CNTCR = CNTCR_EN;
}

uint32_t board_ticks(void)
{
    return COUNTER_CNTCV_LO;
}
#endif

/* Interrupts stay masked: they only end board_sleep(). */
static void start_wake_ups(void)
{
    mask_interrupts();
    NVIC_ENABLE(BOARD_UART_RECEIVE_IRQ) = NVIC_BIT(BOARD_UART_RECEIVE_IRQ);
    SYSTICK_LOAD = BOARD_CLOCK_HZ / WAKE_HZ - 1;
    SYSTICK_CTRL = SYSTICK_ON_WITH_INTERRUPT;
}

void board_init(void)
{
    UART_BAUDDIV = BOARD_UART_CLOCK / BAUD;
    UART_CTRL = UART_TX_RX_AND_RX_INTERRUPT;
    (void)UART_DATA; /* discard a stale byte; in the emulator this also wakes the receiver, which would sleep on */
    start_ticks();
    start_wake_ups();
}

/* Clears the pending interrupts that ended the sleep: the main loop polls. */
void board_sleep(void)
{
    wait_for_interrupt();
    SCB_ICSR = ICSR_PENDSTCLR;
    UART_INTCLEAR = UART_RX_INTERRUPT;
    NVIC_CLEAR_PENDING(BOARD_UART_RECEIVE_IRQ) = NVIC_BIT(BOARD_UART_RECEIVE_IRQ);
}

int board_uart_get(void)
{
    return (UART_STATE & UART_RX_FULL) ? (int)(UART_DATA & 0xFFu) : -1;
}

void board_uart_put(uint8_t byte)
{
    while (UART_STATE & UART_TX_FULL) {
    }
    UART_DATA = byte;
}

uint64_t board_unique_id(void)
{
    return 0;
}
