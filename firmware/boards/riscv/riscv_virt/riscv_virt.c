/*
 * QEMU's RISC-V machine `virt`: NS16550 UART, and SiFive's test device for the reset.
 *
 * UART: TI PC16550D data sheet. Test device: QEMU, hw/misc/sifive_test.c. Physical memory
 * protection: RISC-V Privileged Architecture, "Physical Memory Protection CSRs".
 */
#include "board.h"
#include "riscv/riscv.h"

#define UART(offset) (*(volatile uint8_t *)(BOARD_UART + (offset)))
#define UART_RBR_THR UART(0u)
#define UART_IER UART(1u)
#define UART_FCR UART(2u)
#define UART_LCR UART(3u)
#define UART_LSR UART(5u)
#define IER_RECEIVED 1u
#define FCR_ENABLE_AND_CLEAR 7u
#define LCR_8_BITS 3u
#define LSR_DATA_READY 1u
#define LSR_THR_EMPTY 0x20u

#define TEST_FINISHER REGISTER(BOARD_TEST_DEVICE)
#define FINISHER_RESET 0x7777u

#define PMPCFG_LOCKED_NAPOT 0x98u
#define GUARD_SIZE 0x1000u

extern const uint8_t __stack_bottom[];

/* There is memory below the stack too, with the checkpoints in it, so this makes its last page
 * inaccessible. Only locked entries apply to machine mode. */
static void guard_stack(void)
{
    uint32_t base = (uint32_t)(uintptr_t)__stack_bottom - GUARD_SIZE;
    uint32_t address = base >> 2 | (GUARD_SIZE / 8u - 1u);
    uint32_t config = PMPCFG_LOCKED_NAPOT;
    __asm volatile("csrw pmpaddr0, %0\n csrw pmpcfg0, %1" : : "r"(address), "r"(config));
}

void board_init(void)
{
    guard_stack();
    UART_LCR = LCR_8_BITS;
    UART_FCR = FCR_ENABLE_AND_CLEAR;
    UART_IER = IER_RECEIVED;
    wake_on_uart();
}

int board_uart_get(void)
{
    return (UART_LSR & LSR_DATA_READY) ? UART_RBR_THR : -1;
}

void board_uart_put(uint8_t byte)
{
    while (!(UART_LSR & LSR_THR_EMPTY)) {
    }
    UART_RBR_THR = byte;
}

uint64_t board_unique_id(void)
{
    return 0;
}

void board_reset(void)
{
    TEST_FINISHER = FINISHER_RESET;
    for (;;) {
    }
}
