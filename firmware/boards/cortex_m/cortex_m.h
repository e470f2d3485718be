/* The core's own registers and instructions, common to all Cortex-M (Armv6-M, Armv7-M and Armv8-M
 * Architecture Reference Manuals, "System Control Space"). */
#ifndef CORTEX_M_H
#define CORTEX_M_H

#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))

#define SYSTICK_CTRL REGISTER(0xE000E010u)
#define SYSTICK_LOAD REGISTER(0xE000E014u)
#define SYSTICK_VALUE REGISTER(0xE000E018u)
#define SYSTICK_ON_WITH_INTERRUPT 7u

#define NVIC_ENABLE(irq) REGISTER(0xE000E100u + (irq) / 32u * 4u)
#define NVIC_DISABLE(irq) REGISTER(0xE000E180u + (irq) / 32u * 4u)
#define NVIC_CLEAR_PENDING(irq) REGISTER(0xE000E280u + (irq) / 32u * 4u)
#define NVIC_BIT(irq) (1u << (irq) % 32u)

#define SCB_ICSR REGISTER(0xE000ED04u)
#define ICSR_PENDSTCLR (1u << 25)
#define ICSR_PENDSTSET (1u << 26)
#define SCB_AIRCR REGISTER(0xE000ED0Cu)
#define AIRCR_SYSRESETREQ 0x05FA0004u

/* Even a masked interrupt ends wait_for_interrupt() when it is pending. */
static inline void mask_interrupts(void)
{
    __asm volatile("cpsid i" ::: "memory");
}

static inline void unmask_interrupts(void)
{
    __asm volatile("cpsie i" ::: "memory");
}

/* Waits until earlier writes have completed. */
static inline void synchronize(void)
{
    __asm volatile("dsb" ::: "memory");
}

static inline void wait_for_interrupt(void)
{
    __asm volatile("wfi" ::: "memory");
}

#endif
