/*
 * The MPS2 family: CMSDK UART and timer, and flash that is modelled in the code memory.
 *
 * Registers: Arm Cortex-M System Design Kit TRM (DDI 0479), "APB UART" and "APB timer". The UART has one byte of
 * receive buffer and no FIFO; the emulator holds further bytes back until it is read, so polling loses none.
 */
#include <string.h>

#include "board.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))

#define UART_DATA REGISTER(0x40004000u)
#define UART_STATE REGISTER(0x40004004u)
#define UART_CTRL REGISTER(0x40004008u)
#define UART_BAUDDIV REGISTER(0x40004010u)
#define UART_TX_FULL 1u
#define UART_RX_FULL 2u
#define UART_TX_AND_RX_ENABLE 3u

#define TIMER_CTRL REGISTER(0x40000000u)
#define TIMER_VALUE REGISTER(0x40000004u)
#define TIMER_RELOAD REGISTER(0x40000008u)

#define SCB_AIRCR REGISTER(0xE000ED0Cu)
#define AIRCR_SYSRESETREQ 0x05FA0004u

#define CLOCK_HZ 25000000u
#define BAUD 115200u

/* The code memory is RAM that outlives a reset. Its upper half plays the flash for files; firmware.ld leaves it out. */
#define AREA_SIZE 0x100000u
#define IMAGE_AREA 0x200000u
#define CHECKPOINT_AREA 0x300000u
#define ERASE_UNIT 4096u

void board_init(void)
{
    UART_BAUDDIV = CLOCK_HZ / BAUD;
    UART_CTRL = UART_TX_AND_RX_ENABLE;
    TIMER_RELOAD = 0xFFFFFFFFu;
    TIMER_VALUE = 0xFFFFFFFFu;
    TIMER_CTRL = 1u;
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

uint32_t board_ticks(void)
{
    return ~TIMER_VALUE; /* the timer counts down */
}

uint32_t board_ticks_per_second(void)
{
    return CLOCK_HZ;
}

board_area board_flash_area(enum board_area_kind kind)
{
    uintptr_t base = kind == BOARD_AREA_IMAGE ? IMAGE_AREA : CHECKPOINT_AREA;
    board_area area = { (const uint8_t *)base, AREA_SIZE, ERASE_UNIT };
    return area;
}

int board_flash_erase(const uint8_t *at, uint32_t size)
{
    if ((uintptr_t)at % ERASE_UNIT || size % ERASE_UNIT) {
        return -1;
    }
    memset((void *)(uintptr_t)at, 0xFF, size);
    return 0;
}

/* As in NOR flash, programming only clears bits. */
int board_flash_program(const uint8_t *at, const void *data, uint32_t size)
{
    uint8_t *cell = (uint8_t *)(uintptr_t)at;
    const uint8_t *wanted = data;
    if ((uintptr_t)at % 4 || size % 4) {
        return -1;
    }
    for (uint32_t i = 0; i < size; ++i) {
        cell[i] &= wanted[i];
    }
    return memcmp(at, data, size) ? -1 : 0;
}

void board_reset(void)
{
    SCB_AIRCR = AIRCR_SYSRESETREQ;
    for (;;) {
    }
}
