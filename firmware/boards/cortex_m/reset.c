#include "board.h"
#include "cortex_m.h"

void board_reset(void)
{
    SCB_AIRCR = AIRCR_SYSRESETREQ;
    for (;;) {
    }
}
