/* Start-up code and trap handler of a RISC-V core that runs only in machine mode. CSRs: The RISC-V
 * Instruction Set Manual, Volume II: Privileged Architecture, "Machine-Level CSRs". */
#include <stdint.h>

#include "../linked/start_program.h"
#include "board.h"
#include "device/fault.h"

void start(void);
void reset_handler(void);
void trap_handler(void);
void record_fault(uint32_t cause, uint32_t pc);

/* The linker puts this first: cores start here after a reset. Interrupts are off, also after the
 * jump of board_reset(). */
__attribute__((naked, section(".vectors"), used)) void start(void)
{
    __asm volatile("csrw mie, zero\n"
                   "la sp, __stack_top\n"
                   "la t0, trap_handler\n"
                   "csrw mtvec, t0\n"
                   "j reset_handler\n");
}

static void switch_on_fpu(void)
{
#ifdef __riscv_flen
    uint32_t fs_initial = 1u << 13;
    __asm volatile("csrs mstatus, %0\n csrw fcsr, zero" : : "r"(fs_initial)); /* round to nearest even */
#endif
}

static void switch_on_vectors(void)
{
#if defined(GM_ZVE32F) && GM_ZVE32F
    uint32_t vs_initial = 1u << 9;
    __asm volatile("csrs mstatus, %0" : : "r"(vs_initial));
#endif
}

void reset_handler(void)
{
    switch_on_fpu();
    switch_on_vectors();
    start_program();
}

/* Handles only exceptions, because interrupts stay masked. The stack itself may be corrupt, so this
 * resets it. aligned: the low two bits of mtvec are its mode. */
__attribute__((naked, aligned(4))) void trap_handler(void)
{
    __asm volatile("csrr a0, mcause\n"
                   "csrr a1, mepc\n"
                   "la sp, __stack_top\n"
                   "j record_fault\n");
}

void record_fault(uint32_t cause, uint32_t pc)
{
    fault_note(cause, pc);
    board_reset();
}
