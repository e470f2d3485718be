#include "elementwise.h"

#if GM_WITH_SOFTSIGN
GM_MAP_KERNEL(softsign, x / (1.0f + gm_abs(x)))
#endif

#if GM_WITH_SOFTSIGN_GRAD
static float squared(float x)
{
    return x * x;
}

GM_MAP_GRAD_KERNEL(softsign_grad, x, dy / squared(1.0f + gm_abs(x)))
#endif
