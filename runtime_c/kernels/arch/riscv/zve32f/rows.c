/* Rows of contiguous elements, which are lanes. Machine instructions for 32 of them, as many as there are at once with
 * vectors of 128 bits: RELU 10, its gradient 13, operations on two rows 11. */
#include "../../../rows.h"
#include "../../../broadcast.h"
#include "lanes.h"

#if GM_ARCH_ZVE32F

/* Registers. */
#define FIRST 8
#define SECOND 16

void gm_start_row(float *y, const float *bias, uint32_t n)
{
    for (uint32_t lanes; n > 0; n -= lanes, y += lanes) {
        lanes = gm_lanes_8(n);
        if (bias) {
            gm_lanes_load(FIRST, bias);
            bias += lanes;
        } else {
            gm_lanes_fill(FIRST, GM_EMPTY_SUM);
        }
        gm_lanes_store(FIRST, y);
    }
}

void gm_relu_row(const float *x, float *y, uint32_t n)
{
    for (uint32_t lanes; n > 0; n -= lanes, x += lanes, y += lanes) {
        lanes = gm_lanes_8(n);
        gm_lanes_load(FIRST, x);
        gm_lanes_choose_below(FIRST, 0.0f);
        gm_lanes_clear_chosen(FIRST, FIRST);
        gm_lanes_store(FIRST, y);
    }
}

void gm_relu_grad_row(const float *dy, const float *y, float *dx, uint32_t n)
{
    for (uint32_t lanes; n > 0; n -= lanes, dy += lanes, y += lanes, dx += lanes) {
        lanes = gm_lanes_8(n);
        gm_lanes_load(FIRST, y);
        gm_lanes_load(SECOND, dy);
        gm_lanes_choose_not_above(FIRST, 0.0f);
        gm_lanes_clear_chosen(SECOND, SECOND);
        gm_lanes_store(SECOND, dx);
    }
}

#define DEFINE_OPERATION_ON_LANES(name)                                               \
    void gm_##name##_row(const float *a, const float *b, float *y, uint32_t n)        \
    {                                                                                 \
        for (uint32_t lanes; n > 0; n -= lanes, a += lanes, b += lanes, y += lanes) { \
            lanes = gm_lanes_8(n);                                                    \
            gm_lanes_load(FIRST, a);                                                  \
            gm_lanes_load(SECOND, b);                                                 \
            gm_lanes_##name(FIRST, FIRST, SECOND);                                    \
            gm_lanes_store(FIRST, y);                                                 \
        }                                                                             \
    }

#if GM_WITH_ADD
DEFINE_OPERATION_ON_LANES(add)
#endif
#if GM_WITH_SUB
DEFINE_OPERATION_ON_LANES(sub)
#endif
#if GM_WITH_MUL
DEFINE_OPERATION_ON_LANES(mul)
#endif
#if GM_WITH_DIV
DEFINE_OPERATION_ON_LANES(div)
#endif

#undef FIRST
#undef SECOND

#endif
