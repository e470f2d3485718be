/* Arm MPS2 with AN500 (Cortex-M7), as emulated by `qemu-system-arm -M mps2-an500`. */
#include "board.h"

const char *board_name(void)
{
    return "mps2-an500";
}
