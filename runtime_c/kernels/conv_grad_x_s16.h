/* What the implementations of CONV_GRAD_X_S16 share. */
#ifndef GM_CONV_GRAD_X_S16_H
#define GM_CONV_GRAD_X_S16_H

#include "../generated/instructions/conv_grad_x_s16.h"
#include "gradient_s16.h"
#include "window.h"

typedef struct gm_grad_x_s16 {
    const gm_insn_conv_grad_x_s16 *insn;
    gm_window window;
    const int16_t *dy, *addend; /* addend: NULL if absent */
    const int8_t *w;
    const float *scale;         /* NULL: 1 */
    float unit, addend_unit;
    int32_t w_zero;
    gm_clamp_mask mask;
} gm_grad_x_s16;

/* Returns the value at offset `at` of dx from its integer sum over dy and w. */
static inline float gm_finish_s16_sum(const gm_grad_x_s16 *x, uint32_t sum, uint32_t at, uint32_t channel)
{
    if (!gm_passes(&x->mask, at)) {
        return 0.0f;
    }
    float value = (float)(int32_t)sum * x->unit;
    if (x->addend != NULL) {
        value = value + (float)x->addend[at] * x->addend_unit;
    }
    return x->scale != NULL ? value * x->scale[channel] : value;
}

#endif
