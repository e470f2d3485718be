/* run_generated.c on an emulated board. The emulator has put the order at the start of the rooms of guard_on_board.c;
 * it ends when the board asks for a reset, as a fault does too. */
#include <stdlib.h>

#include "board.h"
#include "guard_on_board.h"
#include "run_generated.h"

void say(const char *text)
{
    while (*text != '\0') {
        board_uart_put((uint8_t)*text++);
    }
}

void abort(void)
{
    say("aborted\n");
    board_reset();
    for (;;) {
    }
}

int main(void)
{
    const order o = *(const order *)(uintptr_t)ROOMS;
    board_init();
    guard_on_board();
    run_generated(&o);
    board_reset();
    return 0;
}
