/* Declarations that the boards of this family share, besides start-up code. */
#ifndef RISCV_H
#define RISCV_H

#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))

/* Makes received bytes end board_sleep(). Called once, in board_init(). */
void wake_on_uart(void);

#endif
