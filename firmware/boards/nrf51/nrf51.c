/*
 * nRF51: crystal, UART, timer. Registers: nRF51 Series Reference Manual 3.0, "CLOCK", "UART",
 * "TIMER", "FICR".
 *
 * Events are words that a peripheral sets to 1 and the program to 0; writing 1 to a task starts it.
 * The receiver holds 6 bytes, half a millisecond at this rate; its interrupt moves them to the
 * ring. While the ring is full they stay in the receiver.
 */
#include "board.h"
#include "cortex_m/cortex_m.h"
#include "cortex_m/interrupts.h"
#include "cortex_m/receive_ring.h"

#define CLOCK_HFCLKSTART REGISTER(0x40000000u)
#define CLOCK_HFCLKSTARTED REGISTER(0x40000100u)

#define UART_STARTRX REGISTER(0x40002000u)
#define UART_STARTTX REGISTER(0x40002008u)
#define UART_RXDRDY REGISTER(0x40002108u)
#define UART_TXDRDY REGISTER(0x4000211Cu)
#define UART_INTENSET REGISTER(0x40002304u)
#define UART_ENABLE REGISTER(0x40002500u)
#define UART_PSELTXD REGISTER(0x4000250Cu)
#define UART_PSELRXD REGISTER(0x40002514u)
#define UART_RXD REGISTER(0x40002518u)
#define UART_TXD REGISTER(0x4000251Cu)
#define UART_BAUDRATE REGISTER(0x40002524u)
#define UART_IRQ 2u
#define UART_INT_RXDRDY (1u << 2)
#define UART_ON 4u
#define UART_115200_BAUD 0x01D7E000u

#define TIMER_START REGISTER(0x40008000u)
#define TIMER_CAPTURE_NOW REGISTER(0x40008040u)
#define TIMER_WAKE REGISTER(0x40008144u)
#define TIMER_INTENSET REGISTER(0x40008304u)
#define TIMER_BITMODE REGISTER(0x40008508u)
#define TIMER_PRESCALER REGISTER(0x40008510u)
#define TIMER_NOW REGISTER(0x40008540u)
#define TIMER_WAKE_AT REGISTER(0x40008544u)
#define TIMER_IRQ 8u
#define TIMER_INT_WAKE (1u << 17)
#define TIMER_32_BIT 3u

#define GPIO_OUTSET REGISTER(0x50000508u)
#define GPIO_DIRSET REGISTER(0x50000518u)

#define FICR_DEVICEID_LOW REGISTER(0x10000060u)
#define FICR_DEVICEID_HIGH REGISTER(0x10000064u)

#define WAKE_HZ 100u

void uart_interrupt(void);
void timer_interrupt(void);

INTERRUPT_VECTORS = {[UART_IRQ] = uart_interrupt, [TIMER_IRQ] = timer_interrupt};

/* Starts the 16 MHz crystal: the internal oscillator is not accurate enough for a UART. */
static void start_crystal(void)
{
    CLOCK_HFCLKSTARTED = 0;
    CLOCK_HFCLKSTART = 1;
    while (CLOCK_HFCLKSTARTED == 0) {
    }
}

static void start_uart(void)
{
    GPIO_OUTSET = 1u << BOARD_TX_PIN;
    GPIO_DIRSET = 1u << BOARD_TX_PIN;
    UART_PSELTXD = BOARD_TX_PIN;
    UART_PSELRXD = BOARD_RX_PIN;
    UART_BAUDRATE = UART_115200_BAUD;
    UART_ENABLE = UART_ON;
    UART_INTENSET = UART_INT_RXDRDY;
    NVIC_ENABLE(UART_IRQ) = NVIC_BIT(UART_IRQ);
    UART_STARTTX = 1;
    UART_STARTRX = 1;
}

/* TIMER0 counts at 16 MHz, like the core; it is the only 32-bit timer. */
static void start_timer(void)
{
    TIMER_BITMODE = TIMER_32_BIT;
    TIMER_PRESCALER = 0;
    TIMER_INTENSET = TIMER_INT_WAKE;
    NVIC_ENABLE(TIMER_IRQ) = NVIC_BIT(TIMER_IRQ);
    TIMER_START = 1;
}

void board_init(void)
{
    start_crystal();
    start_timer();
    start_uart();
}

/* Clear the event before reading the byte: reading sets it again if there is another byte. */
void uart_interrupt(void)
{
    while (UART_RXDRDY) {
        if (receive_ring_is_full()) {
            NVIC_DISABLE(UART_IRQ) = NVIC_BIT(UART_IRQ);
            return;
        }
        UART_RXDRDY = 0;
        receive_ring_put((uint8_t)UART_RXD);
    }
}

int board_uart_get(void)
{
    int byte = receive_ring_take();
    NVIC_ENABLE(UART_IRQ) = NVIC_BIT(UART_IRQ); /* in case the ring was full */
    return byte;
}

void board_uart_put(uint8_t byte)
{
    UART_TXDRDY = 0;
    UART_TXD = byte;
    while (UART_TXDRDY == 0) {
    }
}

uint32_t board_ticks(void)
{
    TIMER_CAPTURE_NOW = 1;
    return TIMER_NOW;
}

void timer_interrupt(void)
{
    TIMER_WAKE = 0;
}

/* Interrupts are masked, so that a byte that comes after the check of the ring still ends the
 * sleep. */
void board_sleep(void)
{
    mask_interrupts();
    TIMER_WAKE_AT = board_ticks() + BOARD_CLOCK_HZ / WAKE_HZ;
    if (receive_ring_is_empty()) {
        wait_for_interrupt();
    }
    unmask_interrupts();
}

uint64_t board_unique_id(void)
{
    return (uint64_t)FICR_DEVICEID_HIGH << 32 | FICR_DEVICEID_LOW;
}
