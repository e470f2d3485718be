/* Arm MPS2 with AN386 (Cortex-M4F), as emulated by `qemu-system-arm -M mps2-an386`. */
#include "board.h"

const char *board_name(void)
{
    return "mps2-an386";
}
