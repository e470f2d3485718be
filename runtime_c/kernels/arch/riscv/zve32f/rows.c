/* Rows of contiguous elements, which are lanes. Machine instructions for 32 of them, as many as fit
 * at once in 128-bit vectors: RELU 10, its gradient 13, operations on two rows 11. */
#include "../../../../generated/instructions/add.h"
#include "../../../../generated/instructions/div.h"
#include "../../../../generated/instructions/mul.h"
#include "../../../../generated/instructions/sub.h"
#include "../../../rows.h"
#include "../../../broadcast.h"
#include "lanes.h"

#if GM_ARCH_ZVE32F

/* Registers. */
#define V_OPERAND_FIRST 8
#define V_OPERAND_SECOND 16

void gm_start_row(float *y, const float *bias, uint32_t n)
{
    for (uint32_t lanes; n > 0; n -= lanes, y += lanes) {
        lanes = gm_lanes_8(n);
        if (bias) {
            gm_lanes_load(V_OPERAND_FIRST, bias);
            bias += lanes;
        } else {
            gm_lanes_fill(V_OPERAND_FIRST, GM_EMPTY_SUM);
        }
        gm_lanes_store(V_OPERAND_FIRST, y);
    }
}

void gm_relu_row(const float *x, float *y, uint32_t n)
{
    for (uint32_t lanes; n > 0; n -= lanes, x += lanes, y += lanes) {
        lanes = gm_lanes_8(n);
        gm_lanes_load(V_OPERAND_FIRST, x);
        gm_lanes_choose_below(V_OPERAND_FIRST, 0.0f);
        gm_lanes_clear_chosen(V_OPERAND_FIRST, V_OPERAND_FIRST);
        gm_lanes_store(V_OPERAND_FIRST, y);
    }
}

void gm_relu_grad_row(const float *dy, const float *y, float *dx, uint32_t n)
{
    for (uint32_t lanes; n > 0; n -= lanes, dy += lanes, y += lanes, dx += lanes) {
        lanes = gm_lanes_8(n);
        gm_lanes_load(V_OPERAND_FIRST, y);
        gm_lanes_load(V_OPERAND_SECOND, dy);
        gm_lanes_choose_not_above(V_OPERAND_FIRST, 0.0f);
        gm_lanes_clear_chosen(V_OPERAND_SECOND, V_OPERAND_SECOND);
        gm_lanes_store(V_OPERAND_SECOND, dx);
    }
}

#define DEFINE_OPERATION_ON_LANES(name)                                               \
    void gm_##name##_row(const float *a, const float *b, float *y, uint32_t n)        \
    {                                                                                 \
        for (uint32_t lanes; n > 0; n -= lanes, a += lanes, b += lanes, y += lanes) { \
            lanes = gm_lanes_8(n);                                                    \
            gm_lanes_load(V_OPERAND_FIRST, a);                                        \
            gm_lanes_load(V_OPERAND_SECOND, b);                                       \
            gm_lanes_##name(V_OPERAND_FIRST, V_OPERAND_FIRST, V_OPERAND_SECOND);      \
            gm_lanes_store(V_OPERAND_FIRST, y);                                       \
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

#endif
