/* The declarations that the boards of this family share besides start-up code. */
#ifndef RISCV_H
#define RISCV_H

#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))

/* board_sleep() then ends with a byte from the UART. Called once, in board_init(). */
void wake_on_uart(void);

#endif
