/* Arm MPS2 with AN505 (Cortex-M33), as emulated by `qemu-system-arm -M mps2-an505`. */
#include "board.h"

const char *board_name(void)
{
    return "mps2-an505";
}
