/* Start-up code and trap handler of a RISC-V core that runs in machine mode alone.
 * CSRs: The RISC-V Instruction Set Manual, Volume II: Privileged Architecture, "Machine-Level CSRs". */
#include <stdint.h>

#include "board.h"
#include "fault.h"

extern uint32_t __data_load[], __data_start[], __data_end[], __bss_start[], __bss_end[];

int main(void);
void start(void);
void reset_handler(void);
void trap_handler(void);
void record_fault(uint32_t cause, uint32_t pc);

/* The linker puts this first: cores begin here after a reset. Interrupts are off, also where board_reset() jumps here. */
__attribute__((naked, section(".vectors"), used)) void start(void)
{
    __asm volatile(
        "csrw mie, zero\n"
        "la sp, __stack_top\n"
        "la t0, trap_handler\n"
        "csrw mtvec, t0\n"
        "j reset_handler\n");
}

static void switch_on_fpu(void)
{
#ifdef __riscv_flen
    uint32_t fs_initial = 1u << 13;
    __asm volatile("csrs mstatus, %0\n csrw fcsr, zero" : : "r"(fs_initial)); /* rounds to nearest even */
#endif
}

void reset_handler(void)
{
    switch_on_fpu();
    const uint32_t *from = __data_load;
    for (uint32_t *to = __data_start; to < __data_end;) {
        *to++ = *from++;
    }
    for (uint32_t *to = __bss_start; to < __bss_end;) {
        *to++ = 0;
    }
    main();
    board_reset();
}

/* Exceptions alone come here: interrupts stay masked. The stack may be what is broken: it starts anew.
 * aligned: the low two bits of mtvec are its mode. */
__attribute__((naked, aligned(4))) void trap_handler(void)
{
    __asm volatile(
        "csrr a0, mcause\n"
        "csrr a1, mepc\n"
        "la sp, __stack_top\n"
        "j record_fault\n");
}

void record_fault(uint32_t cause, uint32_t pc)
{
    fault_note(cause, pc);
    board_reset();
}
