/*
 * QUANTIZE: y = the integer nearest to x / scale, plus zero, in low to high.
 * DEQUANTIZE: y = (x - zero) scale.
 */
#include "../src/gm_internal.h"
#include "../src/numerics.h"

#if GM_WITH_QUANTIZE

static int32_t nearest_int8(int32_t x)
{
    return x < INT8_MIN ? INT8_MIN : x > INT8_MAX ? INT8_MAX : x;
}

/* Returns q in low to high. NaN becomes low. */
static int32_t clamped(float q, int32_t low, int32_t high)
{
    return q < (float)high ? q > (float)low ? (int32_t)q : low : q >= (float)high ? high : low;
}

int gm_kernel_quantize(const struct gm_session *session, const void *instruction)
{
    const gm_insn_quantize insn = *(const gm_insn_quantize *)instruction;
    const float *x = gm_f32(session, insn.x);
    int8_t *y = gm_i8_out(session, insn.y);
    int32_t low = nearest_int8(insn.low), high = nearest_int8(insn.high);
    for (uint32_t i = 0; i < insn.n; i++) {
        y[i] = (int8_t)clamped(gm_round(x[i] / insn.scale) + (float)insn.zero, low, high);
    }
    return GM_OK;
}

#endif

#if GM_WITH_DEQUANTIZE

int gm_kernel_dequantize(const struct gm_session *session, const void *instruction)
{
    const gm_insn_dequantize insn = *(const gm_insn_dequantize *)instruction;
    const int8_t *x = gm_i8(session, insn.x);
    float *y = gm_f32_out(session, insn.y);
    for (uint32_t i = 0; i < insn.n; i++) {
        y[i] = (float)(int32_t)((uint32_t)x[i] - (uint32_t)insn.zero) * insn.scale;
    }
    return GM_OK;
}

#endif
