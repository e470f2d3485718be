/* The end of the reset handlers of all families that use linked/firmware.ld. */
#ifndef START_PROGRAM_H
#define START_PROGRAM_H

#include <stdint.h>

#include "board.h"

/* Symbols of the linker script: the initial values of variables in flash, and the addresses of
 * .data and .bss. */
extern uint32_t __data_load[], __data_start[], __data_end[], __bss_start[], __bss_end[];

int main(void);

/* Initializes all variables, runs main(), and resets the board if it returns. */
static inline void start_program(void)
{
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

#endif
