/*
 * The LM3S6965, by polling: everything that board.h requires, and no more.
 *
 * Registers: Stellaris LM3S6965 Microcontroller Data Sheet (DS-LM3S6965), chapters "System
 * Control", "Internal Memory", "GPIOs" and "UART". The UART's 16-byte receive FIFO lasts 1.4 ms at
 * 115200 baud.
 */
#include <string.h>

#include "board.h"
#include "cortex_m/cortex_m.h"
#include "cortex_m/systick_time.h"

#define SYSCTL_RIS REGISTER(0x400FE050u)
#define SYSCTL_RCC REGISTER(0x400FE060u)
#define SYSCTL_RCGC1 REGISTER(0x400FE104u)
#define SYSCTL_RCGC2 REGISTER(0x400FE108u)
#define SYSCTL_USECRL REGISTER(0x400FE140u)
#define RIS_PLL_LOCKED (1u << 6)
#define RCC_BYPASS (1u << 11)
#define RCC_PLL_50_MHZ 0x01C00380u /* 8 MHz crystal, PLL, 200 MHz / 4 */
#define PLL_LOCK_POLLS 0x8000u

#define GPIOA_AFSEL REGISTER(0x40004420u)
#define GPIOA_DEN REGISTER(0x4000451Cu)
#define GPIOA_UART_PINS 3u

#define UART_DATA REGISTER(0x4000C000u)
#define UART_FLAGS REGISTER(0x4000C018u)
#define UART_IBRD REGISTER(0x4000C024u)
#define UART_FBRD REGISTER(0x4000C028u)
#define UART_LCRH REGISTER(0x4000C02Cu)
#define UART_CTL REGISTER(0x4000C030u)
#define FLAGS_RX_EMPTY (1u << 4)
#define FLAGS_TX_FULL (1u << 5)
#define LCRH_8_BITS_WITH_FIFO 0x70u
#define CTL_TX_AND_RX 0x301u
#define BAUD_IN_64THS ((BOARD_CLOCK_HZ * 4u + BAUD / 2u) / BAUD)
#define BAUD 115200u

#define FLASH_ADDRESS REGISTER(0x400FD000u)
#define FLASH_DATA REGISTER(0x400FD004u)
#define FLASH_CONTROL REGISTER(0x400FD008u)
#define FLASH_KEY 0xA4420000u
#define FLASH_WRITE 1u
#define FLASH_ERASE 2u

static void start_clock(void)
{
    SYSCTL_RCC = RCC_PLL_50_MHZ | RCC_BYPASS;
    for (uint32_t polls = PLL_LOCK_POLLS; polls > 0 && !(SYSCTL_RIS & RIS_PLL_LOCKED); --polls) {
    }
    SYSCTL_RCC = RCC_PLL_50_MHZ;
    SYSCTL_USECRL = BOARD_CLOCK_HZ / 1000000u - 1;
}

static void start_uart(void)
{
    SYSCTL_RCGC1 |= 1u;
    SYSCTL_RCGC2 |= 1u;
    (void)SYSCTL_RCGC2; /* a gated clock takes a moment to start */
    GPIOA_AFSEL |= GPIOA_UART_PINS;
    GPIOA_DEN |= GPIOA_UART_PINS;
    UART_IBRD = BAUD_IN_64THS / 64u;
    UART_FBRD = BAUD_IN_64THS % 64u;
    UART_LCRH = LCRH_8_BITS_WITH_FIFO;
    UART_CTL = CTL_TX_AND_RX;
}

void board_init(void)
{
    start_clock();
    start_uart();
    systick_time_start();
}

int board_uart_get(void)
{
    return (UART_FLAGS & FLAGS_RX_EMPTY) ? -1 : (int)(UART_DATA & 0xFFu);
}

void board_uart_put(uint8_t byte)
{
    while (UART_FLAGS & FLAGS_TX_FULL) {
    }
    UART_DATA = byte;
}

/* SysTick ends it after 1 ms. */
void board_sleep(void)
{
    wait_for_interrupt();
}

static void run_flash(uint32_t command)
{
    FLASH_CONTROL = FLASH_KEY | command;
    while (FLASH_CONTROL & command) {
    }
}

int board_flash_erase(const uint8_t *at, uint32_t size)
{
    for (uint32_t offset = 0; offset < size; offset += BOARD_ERASE_UNIT) {
        FLASH_ADDRESS = (uint32_t)(uintptr_t)(at + offset);
        run_flash(FLASH_ERASE);
    }
    return at[0] == 0xFF ? 0 : -1;
}

int board_flash_program(const uint8_t *at, const void *data, uint32_t size)
{
    for (uint32_t offset = 0; offset < size; offset += 4) {
        uint32_t word;
        memcpy(&word, (const uint8_t *)data + offset, 4);
        FLASH_ADDRESS = (uint32_t)(uintptr_t)(at + offset);
        FLASH_DATA = word;
        run_flash(FLASH_WRITE);
    }
    return memcmp(at, data, size) ? -1 : 0;
}

/* The part has no unique ID. */
uint64_t board_unique_id(void)
{
    return 0;
}
