/* ROUND: y = the integer nearest to x, ties to even, or the next integer down or up. */
#include "../generated/instructions/round.h"
#include "elementwise.h"

#if GM_WITH_ROUND

static float next_integer(float x, int direction)
{
    float nearest = gm_round(x);
    if (direction == GM_DIRECTION_DOWN) {
        return nearest > x ? nearest - 1.0f : nearest;
    }
    return direction == GM_DIRECTION_UP && nearest < x ? nearest + 1.0f : nearest;
}

GM_MAP_KERNEL(round, next_integer(x, (int)insn.direction))

#endif
