/* The start of a Cortex-M4F on QEMU's mps2-an386: vectors, and newlib's own start over semihosting. */
#include <stddef.h>
#include <stdint.h>

extern void _start(void);
extern uint32_t __stack[];

/* newlib for bare boards has none; nothing is freed. */
void *aligned_alloc(size_t alignment, size_t size)
{
    static _Alignas(16) uint8_t memory[1 << 20];
    static size_t used;
    size_t start = (used + alignment - 1) & ~(alignment - 1);
    used = start + size;
    return used <= sizeof memory ? memory + start : NULL;
}

#define CPACR (*(volatile uint32_t *)0xE000ED88u)

static void reset(void)
{
    CPACR |= 0xFu << 20; /* the floating-point unit */
    __asm volatile("dsb\n\tisb");
    _start();
}

static void fault(void)
{
    for (;;) {
    }
}

__attribute__((section(".vectors"), used)) static void (*const vectors[])(void) = {
    (void (*)(void))__stack, reset, fault, fault, fault, fault, fault,
};
