/*
 * SiFive FE310-G000, as QEMU's machine `sifive_e`: UART0, and read-only flash.
 *
 * Registers: SiFive FE310-G000 Manual, "Universal Asynchronous Receiver/Transmitter (UART)" and
 * "General Purpose Input/Output Controller (GPIO)".
 */
#include "board.h"
#include "riscv/riscv.h"

#define UART_TXDATA REGISTER(BOARD_UART)
#define UART_RXDATA REGISTER(BOARD_UART + 0x04u)
#define UART_TXCTRL REGISTER(BOARD_UART + 0x08u)
#define UART_RXCTRL REGISTER(BOARD_UART + 0x0Cu)
#define UART_IE REGISTER(BOARD_UART + 0x10u)
#define UART_DIV REGISTER(BOARD_UART + 0x18u)
#define TXDATA_FULL (1u << 31)
#define RXDATA_EMPTY (1u << 31)
#define CTRL_ENABLE 1u
#define IE_RECEIVE 2u

#define GPIO_IOF_EN REGISTER(BOARD_GPIO + 0x38u)
#define GPIO_IOF_SEL REGISTER(BOARD_GPIO + 0x3Cu)
#define UART0_PINS (3u << 16)

#define BAUD 115200u

void start(void);

void board_init(void)
{
    GPIO_IOF_SEL &= ~UART0_PINS;
    GPIO_IOF_EN |= UART0_PINS;
    UART_DIV = BOARD_CLOCK_HZ / BAUD - 1u;
    UART_TXCTRL = CTRL_ENABLE;
    UART_RXCTRL = CTRL_ENABLE;
    UART_IE = IE_RECEIVE;
    wake_on_uart();
}

int board_uart_get(void)
{
    uint32_t received = UART_RXDATA;
    return (received & RXDATA_EMPTY) ? -1 : (int)(received & 0xFFu);
}

void board_uart_put(uint8_t byte)
{
    while (UART_TXDATA & TXDATA_FULL) {
    }
    UART_TXDATA = byte;
}

/* The part programs its flash through a QSPI controller, which the emulator does not model. The
 * host puts the image there from outside. */
int board_flash_erase(const uint8_t *at, uint32_t size)
{
    (void)at;
    (void)size;
    return -1;
}

int board_flash_program(const uint8_t *at, const void *data, uint32_t size)
{
    (void)at;
    (void)data;
    (void)size;
    return -1;
}

uint64_t board_unique_id(void)
{
    return 0;
}

/* The part resets through its watchdog, which the emulator does not model. So this restarts the
 * program, and the peripherals keep their state until board_init(). */
void board_reset(void)
{
    start();
    for (;;) {
    }
}
