/* Depthwise weight gradients: sums of adjacent groups, which are lanes. Machine instructions for
 * each multiply-accumulate of 32 groups, as many as fit at once in 128-bit vectors: 0.22. */
#include "../../../../generated/instructions/conv_grad_w.h"
#include "../../../../generated/instructions/conv_update.h"
#include "../blocks/depthwise_gradient.h"
#include "sums.h"

#if GM_ARCH_ZVE32F && (GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE)

/* Registers. */
#define V_GROUP_PIXEL 8
#define V_GROUP_GRADIENT 16

uint32_t gm_lanes_add_groups(const gm_riscv_tile *t, uint32_t n)
{
    const size_t a_k = t->a_k, b_k = t->b_k, a_tap = t->a_tap, b_tap = t->b_tap;
    const float *dy = t->a[0], *x = t->b;
    const uint32_t lanes = gm_lanes_8(n), k = t->k, taps = t->taps;
    gm_lanes_begin(t, 0, t->y_column, 1);
    for (uint32_t row = t->rows; row > 0; row--, dy += t->a_row - a_tap, x += t->b_row - b_tap) {
        for (uint32_t tap = taps; tap > 0; tap--, dy += a_tap, x += b_tap) {
            for (uint32_t i = k; i > 0; i--, dy += a_k, x += b_k) {
                gm_lanes_load(V_GROUP_PIXEL, x);
                gm_lanes_load(V_GROUP_GRADIENT, dy);
                gm_lanes_mac(GM_LANES_SUM(0), V_GROUP_GRADIENT, V_GROUP_PIXEL, V_GROUP_PIXEL);
            }
        }
    }
    gm_lanes_finish(t, 0, t->y_column, 1);
    return lanes;
}

#endif
