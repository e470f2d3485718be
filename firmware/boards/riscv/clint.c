/*
 * Ticks and sleep, from the core-local interruptor (CLINT) and the platform's interrupt controller
 * (PLIC).
 *
 * mtime and mtimecmp: RISC-V Privileged Architecture, "Machine Timer Registers"; the addresses:
 * SiFive FE310-G000 Manual, "Core-Local Interruptor" and "Platform-Level Interrupt Controller".
 * PLIC context 0 is machine mode of the first core.
 */
#include "board.h"
#include "riscv/riscv.h"

#define MTIMECMP_LO REGISTER(BOARD_CLINT + 0x4000u)
#define MTIMECMP_HI REGISTER(BOARD_CLINT + 0x4004u)
#define MTIME_LO REGISTER(BOARD_CLINT + 0xBFF8u)
#define MTIME_HI REGISTER(BOARD_CLINT + 0xBFFCu)

#define PLIC_PRIORITY(irq) REGISTER(BOARD_PLIC + 4u * (irq))
#define PLIC_ENABLE(irq) REGISTER(BOARD_PLIC + 0x2000u + (irq) / 32u * 4u)
#define PLIC_THRESHOLD REGISTER(BOARD_PLIC + 0x200000u)
#define PLIC_CLAIM REGISTER(BOARD_PLIC + 0x200004u)
#define PLIC_BIT(irq) (1u << (irq) % 32u)

#define MIE_MTIE (1u << 7)
#define MIE_MEIE (1u << 11)

#define WAKE_TICKS (BOARD_TICKS_PER_SECOND / 100u)

uint32_t board_ticks(void)
{
    return MTIME_LO;
}

static uint64_t mtime(void)
{
    uint32_t high, low;
    do {
        high = MTIME_HI;
        low = MTIME_LO;
    } while (high != MTIME_HI);
    return (uint64_t)high << 32 | low;
}

/* Writes in an order that keeps intermediate values in the future. */
static void set_mtimecmp(uint64_t time)
{
    MTIMECMP_HI = 0xFFFFFFFFu;
    MTIMECMP_LO = (uint32_t)time;
    MTIMECMP_HI = (uint32_t)(time >> 32);
}

/* The enable bits in mie let interrupts end WFI; with mstatus.MIE clear the core does not take
 * them. */
void wake_on_uart(void)
{
    uint32_t enabled = MIE_MTIE | MIE_MEIE;
    PLIC_PRIORITY(BOARD_UART_IRQ) = 1u;
    PLIC_ENABLE(BOARD_UART_IRQ) = PLIC_BIT(BOARD_UART_IRQ);
    PLIC_THRESHOLD = 0u;
    __asm volatile("csrs mie, %0" : : "r"(enabled));
}

/* Claims and completes the interrupt that ended the sleep: the main loop polls. */
void board_sleep(void)
{
    set_mtimecmp(mtime() + WAKE_TICKS);
    __asm volatile("wfi" : : : "memory");
    uint32_t claimed = PLIC_CLAIM;
    if (claimed) {
        PLIC_CLAIM = claimed;
    }
}
