/*
 * USART of the STM32F1 and F4. RM0041 (F100), RM0090 (F405), RM0390 (F446), "Universal synchronous
 * asynchronous receiver transmitter"; RM0041 and RM0090, "Device electronic signature".
 *
 * The receiver holds one byte; its interrupt moves it to the ring. When the ring is full, the
 * interrupt is masked in the NVIC until the main loop takes a byte.
 */
#include "stm32.h"

#include "board.h"
#include "cortex_m/cortex_m.h"
#include "cortex_m/interrupts.h"
#include "cortex_m/receive_ring.h"
#include "cortex_m/systick_time.h"

#define USART_SR REGISTER(BOARD_UART)
#define USART_DR REGISTER(BOARD_UART + 0x04u)
#define USART_BRR REGISTER(BOARD_UART + 0x08u)
#define USART_CR1 REGISTER(BOARD_UART + 0x0Cu)
#define SR_OVERRUN (1u << 3)
#define SR_RECEIVED (1u << 5)
#define SR_SENDER_EMPTY (1u << 7)
#define CR1_RECEIVER (1u << 2)
#define CR1_SENDER (1u << 3)
#define CR1_RECEIVE_INTERRUPT (1u << 5)
#define CR1_ON (1u << 13)

#define BAUD 115200u

void usart_interrupt(void);

INTERRUPT_VECTORS = {[BOARD_UART_IRQ] = usart_interrupt};

/* BRR: the divider of the bus clock, in sixteenths of a sample; 16 samples a bit. */
static void start_usart(void)
{
    USART_BRR = (BOARD_UART_CLOCK + BAUD / 2) / BAUD;
    USART_CR1 = CR1_ON | CR1_SENDER | CR1_RECEIVER | CR1_RECEIVE_INTERRUPT;
    NVIC_ENABLE(BOARD_UART_IRQ) = NVIC_BIT(BOARD_UART_IRQ);
}

void board_init(void)
{
    systick_time_start();
    if (stm32_has_clock_control()) {
        stm32_start_clocks();
    }
    stm32_connect_uart();
    start_usart();
}

/* ---- Time ------------------------------------------------------------------------------------------------------- */

int stm32_await(const volatile uint32_t *reg, uint32_t mask, uint32_t wanted, uint32_t milliseconds)
{
    uint32_t start = board_ticks(), limit = BOARD_CLOCK_HZ / 1000 * milliseconds;
    while ((*reg & mask) != wanted) {
        if (board_ticks() - start > limit) {
            return 0;
        }
    }
    return 1;
}

/* Interrupts are masked, so that a byte that comes after the check of the ring still ends the
 * sleep. */
void board_sleep(void)
{
    mask_interrupts();
    if (receive_ring_is_empty()) {
        wait_for_interrupt();
    }
    unmask_interrupts();
}

/* ---- The serial line -------------------------------------------------------------------------------------------- */

/* Reading status and data clears both bits. An overrun on its own has no byte, but interrupts
 * too. */
void usart_interrupt(void)
{
    if (receive_ring_is_full()) {
        NVIC_DISABLE(BOARD_UART_IRQ) = NVIC_BIT(BOARD_UART_IRQ);
        return;
    }
    uint32_t status = USART_SR;
    if (status & (SR_RECEIVED | SR_OVERRUN)) {
        uint8_t byte = (uint8_t)USART_DR;
        if (status & SR_RECEIVED) {
            receive_ring_put(byte);
        }
    }
}

int board_uart_get(void)
{
    int byte = receive_ring_take();
    NVIC_ENABLE(BOARD_UART_IRQ) = NVIC_BIT(BOARD_UART_IRQ); /* in case the ring was full */
    return byte;
}

void board_uart_put(uint8_t byte)
{
    while ((USART_SR & SR_SENDER_EMPTY) == 0) {
    }
    USART_DR = byte;
}

/* ---- The part --------------------------------------------------------------------------------------------------- */

/* Returns the part's 96-bit ID folded into 64 bits: die position, wafer and lot. Returns 0 in an
 * emulator without clock control. */
uint64_t board_unique_id(void)
{
    if (!stm32_has_clock_control()) {
        return 0;
    }
    const volatile uint32_t *id = &REGISTER(BOARD_UNIQUE_ID);
    return (uint64_t)(id[1] ^ id[2]) << 32 | id[0];
}
