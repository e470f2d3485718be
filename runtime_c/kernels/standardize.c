/*
 * STANDARDIZE: y = (x - mean) inv_std over r0..r3, inv_std = 1 / sqrt(var + epsilon); mean is 0
 *   unless centre.
 * STANDARDIZE_GRAD: dx = inv_std (dy - mean(dy) - y mean(dy y)), means over r0..r3; without
 *   mean(dy) unless centre.
 */
#include "../generated/instructions/standardize.h"
#include "../generated/instructions/standardize_grad.h"
#include "../src/numerics.h"
#include "arch/simd/simd.h"
#include "reduction.h"

/* A group shares one mean and one variance: the elements over r0..r3. */

#if GM_WITH_STANDARDIZE

/* The moments of one group: shift is one of its elements, mean is the mean of x - shift. */
typedef struct moments {
    float shift, mean, var;
} moments;

/* Sums of differences to one element are accurate if x is large and varies little, and
 * exact if x is constant. */
static moments moments_of(const float *x, const gm_insn_standardize *insn)
{
    float count = (float)(insn->r0 * insn->r1 * insn->r2 * insn->r3);
    float shift = 0.0f, mean = 0.0f, squares = 0.0f;
    if (insn->centre) {
        shift = x[0];
        GM_FOR_REDUCED(insn, mean += x[at] - shift;)
        mean /= count;
    }
    GM_FOR_REDUCED(insn, float d = x[at] - shift - mean; squares = GM_MAC(squares, d, d);)
    return (moments){shift, mean, squares / count};
}

static void store_statistic(float *statistic, uint32_t group, float value)
{
    if (statistic) {
        statistic[group] = value;
    }
}

int gm_kernel_standardize(const struct gm_session *session, const void *instruction)
{
    const gm_insn_standardize *insn = instruction;
    const float *x = gm_f32(session, insn->x);
    float *y = gm_f32_out(session, insn->y);
    uint32_t group = 0;
#if GM_ARCH_ROW_NORMS
    const gm_standardized to = {x, y, gm_f32_out_optional(session, insn->inv_std),
                                gm_f32_out_optional(session, insn->mean), gm_f32_out_optional(session, insn->var)};
    if (gm_simd_standardize(insn, &to)) {
        return GM_OK;
    }
#endif
    GM_FOR_KEPT(insn, {
        const moments m = moments_of(x + first, insn);
        float inv_std = 1.0f / gm_sqrt(m.var + insn->epsilon);
        GM_FOR_REDUCED(insn, y[first + at] = (x[first + at] - m.shift - m.mean) * inv_std;)
        store_statistic(gm_f32_out_optional(session, insn->inv_std), group, inv_std);
        store_statistic(gm_f32_out_optional(session, insn->mean), group, m.shift + m.mean);
        store_statistic(gm_f32_out_optional(session, insn->var), group, m.var);
        group++;
    })
    return GM_OK;
}

#endif

#if GM_WITH_STANDARDIZE_GRAD

/* The formula of NORMALIZE_GRAD, with y for (x - mean) inv_std, and another layout. */
static void group_gradient(const float *dy, const float *y, float *dx, float inv_std,
                           const gm_insn_standardize_grad *insn)
{
    float count = (float)(insn->r0 * insn->r1 * insn->r2 * insn->r3);
    float mean = 0.0f, y_factor = 0.0f;
    GM_FOR_REDUCED(insn, mean += dy[at]; y_factor = GM_MAC(y_factor, dy[at], y[at]);)
    mean = insn->centre ? mean / count : 0.0f;
    y_factor /= count;
    GM_FOR_REDUCED(insn, dx[at] = inv_std * GM_MAC(dy[at] - mean, -y_factor, y[at]);)
}

int gm_kernel_standardize_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_standardize_grad *insn = instruction;
    const float *dy = gm_f32(session, insn->dy);
    const float *y = gm_f32(session, insn->y);
    const float *inv_std = gm_f32(session, insn->inv_std);
    float *dx = gm_f32_out(session, insn->dx);
#if GM_ARCH_ROW_NORMS
    const gm_standardized_grad to = {dy, y, inv_std, dx};
    if (gm_simd_standardize_grad(insn, &to)) {
        return GM_OK;
    }
#endif
    GM_FOR_KEPT(insn, group_gradient(dy + first, y + first, dx + first, *inv_std++, insn);)
    return GM_OK;
}

#endif
