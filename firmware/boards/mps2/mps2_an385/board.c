/* Arm MPS2 with AN385 (Cortex-M3), as emulated by `qemu-system-arm -M mps2-an385`. */
#include "board.h"

const char *board_name(void)
{
    return "mps2-an385";
}
