/* This computer below a core. */
#ifndef HOST_H
#define HOST_H

#include <stdint.h>

/* Ends with stack_memory + HOST_STACK. */
#define HOST_STACK 0x40000
extern "C" uint8_t stack_memory[HOST_STACK];

/* The symbol of a linker script. */
#define LINKER_SYMBOL(name, value) __asm__(".globl " #name "\n.set " #name ", " value)

/* Where the part has its flash, and what is written of it there. Each core says it. */
typedef struct host_flash {
    uintptr_t base;
    uint32_t size;
} host_flash;

extern const host_flash flash_chip;

void host_restart() __attribute__((noreturn));
void host_fail(const char *why) __attribute__((noreturn));

/* As NOR flash does it: all to ones; only ones to zeros. Misuse ends the process. */
void host_erase(uintptr_t at, uint32_t size, uint32_t unit);
void host_program(uintptr_t at, const void *data, uint32_t size, uint32_t unit);
/* The same where a unit may be programmed once. */
void host_program_once(uintptr_t at, const void *data, uint32_t unit);

#endif
