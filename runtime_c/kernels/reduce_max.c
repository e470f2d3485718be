/*
 * REDUCE_MAX: y[k0..k3] = largest x over r0..r3; NaN if any is NaN.
 * REDUCE_MIN: y[k0..k3] = smallest x over r0..r3; NaN if any is NaN.
 * REDUCE_EXTREMUM_GRAD: dx = x = y ? dy / (how many x over r0..r3 equal y) : 0, for the largest
 *   or the smallest y.
 */
#include "../generated/instructions/reduce_extremum_grad.h"
#include "../generated/instructions/reduce_max.h"
#include "../generated/instructions/reduce_min.h"
#include "reduction.h"

/* Defines gm_kernel_<name>: y = the element that is BETTER than all others, or
 * NaN if any is NaN. */
#define GM_EXTREMUM_KERNEL(name, BETTER)                                                 \
    static float name##_of(const float *x, const gm_insn_##name *insn)                   \
    {                                                                                    \
        float best = x[0];                                                               \
        GM_FOR_REDUCED(insn, if (x[at] BETTER best || x[at] != x[at]) { best = x[at]; }) \
        return best;                                                                     \
    }                                                                                    \
                                                                                         \
    int gm_kernel_##name(const struct gm_session *session, const void *instruction)      \
    {                                                                                    \
        const gm_insn_##name *insn = instruction;                                        \
        const float *x = gm_f32(session, insn->x);                                       \
        float *y = gm_f32_out(session, insn->y);                                         \
        GM_FOR_KEPT(insn, *y++ = name##_of(x + first, insn);)                            \
        return GM_OK;                                                                    \
    }

#if GM_WITH_REDUCE_MAX
GM_EXTREMUM_KERNEL(reduce_max, >)
#endif

#if GM_WITH_REDUCE_MIN
GM_EXTREMUM_KERNEL(reduce_min, <)
#endif

#if GM_WITH_REDUCE_EXTREMUM_GRAD

/* The elements equal to y share dy equally. */
static void share(const float *x, float *dx, float y, float dy, const gm_insn_reduce_extremum_grad *insn)
{
    uint32_t count = 0;
    GM_FOR_REDUCED(insn, count += x[at] == y;)
    float part = dy / (float)count;
    GM_FOR_REDUCED(insn, dx[at] = x[at] == y ? part : 0.0f;)
}

int gm_kernel_reduce_extremum_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_reduce_extremum_grad *insn = instruction;
    const float *dy = gm_f32(session, insn->dy);
    const float *y = gm_f32(session, insn->y);
    const float *x = gm_f32(session, insn->x);
    float *dx = gm_f32_out(session, insn->dx);
    GM_FOR_KEPT(insn, share(x + first, dx + first, *y++, *dy++, insn);)
    return GM_OK;
}

#endif
