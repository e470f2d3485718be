/* Functions that the port lacks, because its own boards have neither FPU nor files. */
#include <stdint.h>

#define CPACR (*(volatile uint32_t *)0xE000ED88u)
#define FULL_ACCESS_TO_CP10_AND_CP11 (0xFu << 20)

void __real_uart_init(void);
void __wrap_uart_init(void);
uint64_t mp_hal_time_ns(void);

/* Enables the FPU before the port's first function that may use it. */
void __wrap_uart_init(void)
{
    CPACR |= FULL_ACCESS_TO_CP10_AND_CP11;
    __asm__ volatile("dsb\n isb");
    __real_uart_init();
}

/* Returns the time for files. There is no clock. */
uint64_t mp_hal_time_ns(void)
{
    return 0;
}
