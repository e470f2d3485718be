/* The reset handlers of all families whose memory linked/firmware.ld lays out share this ending. */
#ifndef START_PROGRAM_H
#define START_PROGRAM_H

#include <stdint.h>

#include "board.h"

/* The linker script's: initial values of variables in flash, and where they and the variables that
 * begin at 0 belong. */
extern uint32_t __data_load[], __data_start[], __data_end[], __bss_start[], __bss_end[];

int main(void);

/* Gives every variable its initial value, runs main(), and resets the board where that returns. */
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
