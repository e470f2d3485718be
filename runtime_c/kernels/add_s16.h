/* The operands of ADD_S16. */
#ifndef GM_ADD_S16_H
#define GM_ADD_S16_H

#include "../generated/instructions/add_s16.h"
#include "arch/arch.h"
#include "gradient_s16.h"

typedef struct gm_sum_s16 {
    const int16_t *a, *b; /* b: NULL if absent */
    const float *scale;   /* NULL: 1 */
    float a_unit, b_unit;
    gm_clamp_mask mask;
} gm_sum_s16;

/* Returns (element `a` of a + element `b` of b) times element `s` of scale, or 0
 * if i fails the mask. */
static inline float gm_sum_s16_at(const gm_sum_s16 *x, uint32_t a, uint32_t b, uint32_t s, uint32_t i)
{
    if (!gm_passes(&x->mask, i)) {
        return 0.0f;
    }
    float value = (float)x->a[a] * x->a_unit;
    if (x->b != NULL) {
        value = value + (float)x->b[b] * x->b_unit;
    }
    return x->scale != NULL ? value * x->scale[s] : value;
}

#if GM_WITH_ADD_S16 && GM_ARCH_PAIRS && !GM_ARCH_DSP
#define GM_ARCH_ADD_S16 1

/* Scans all sums, and writes them to y unless it is NULL; y may be non-NULL only after a first
 * scan. Returns 0, and does nothing, if it leaves the work to plain C. */
int gm_arm_add_s16(const gm_insn_add_s16 *insn, const gm_sum_s16 *x, gm_gradient_s16 *made, int16_t *y);

#else
#define GM_ARCH_ADD_S16 0
#endif

#endif
