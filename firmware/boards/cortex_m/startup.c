/* Vector table, start-up code and fault handler of every Cortex-M (ARMv6-M, ARMv7-M, ARMv8-M). */
#include <stdint.h>

#include "../linked/start_program.h"
#include "board.h"
#include "cortex_m.h"
#include "device/fault.h"
#include "interrupts.h"

#if __ARM_ARCH == 6
#define FAULT_STATUS 0u /* ARMv6-M has no fault status register */
#else
#define FAULT_STATUS REGISTER(0xE000ED28u)
#endif
#define SCB_CPACR REGISTER(0xE000ED88u)
#define CPACR_FULL_FPU (0xFu << 20)

extern uint32_t __stack_bottom[], __stack_top[];

void reset_handler(void);
void fault_handler(void);
void record_fault(const uint32_t *frame);

void systick_handler(void) __attribute__((weak, alias("fault_handler")));

/* The processor's own exceptions. The vectors of a family's peripherals follow
 * (INTERRUPT_VECTORS). */
__attribute__((section(".vectors"), used)) static const vector vectors[16] = {
    (vector)(uintptr_t)__stack_top,
    reset_handler,
    fault_handler,
    fault_handler,
    fault_handler,
    fault_handler,
    fault_handler,
    0,
    0,
    0,
    0,
    fault_handler,
    fault_handler,
    0,
    fault_handler,
    systick_handler,
};

static void switch_on_fpu(void)
{
#ifdef __ARM_FP
    SCB_CPACR |= CPACR_FULL_FPU;
    __asm volatile("dsb\n isb");
#endif
}

void reset_handler(void)
{
    switch_on_fpu();
    start_program();
}

/* The stack itself may be corrupt: reset it, and pass its old pointer on. */
__attribute__((naked)) void fault_handler(void)
{
    __asm volatile("mrs r0, msp\n"
                   "ldr r1, =__stack_top\n"
                   "msr msp, r1\n"
                   "b record_fault\n");
}

/* frame: r0 r1 r2 r3 r12 lr pc psr, as the processor stacked them. */
void record_fault(const uint32_t *frame)
{
    int readable = frame >= __stack_bottom && frame + 8 <= __stack_top;
    fault_note(FAULT_STATUS, readable ? frame[6] : 0);
    board_reset();
}
