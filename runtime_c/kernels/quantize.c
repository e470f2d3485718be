/*
 * QUANTIZE: y = round(x / scale) + zero, clamped to low .. high; NaN gives low.
 * DEQUANTIZE: y = (x - zero) scale, with each channel's zero and scale; zero is 0 if absent.
 */
#include "../generated/instructions/dequantize.h"
#include "../generated/instructions/quantize.h"
#include "quantized.h"

#if GM_WITH_QUANTIZE

int gm_kernel_quantize(const struct gm_session *session, const void *instruction)
{
    const gm_insn_quantize *insn = instruction;
    const float *x = gm_f32(session, insn->x);
    int8_t *y = gm_i8_out(session, insn->y);
    const gm_output_range range = gm_range_of(insn->zero, insn->low, insn->high);
    float scale = insn->scale;
    for (uint32_t i = 0, n = insn->n; i < n; i++) {
        y[i] = gm_to_int8(x[i] / scale, &range);
    }
    return GM_OK;
}

#endif

#if GM_WITH_DEQUANTIZE

static void dequantize_row(const int8_t *x, float *y, uint32_t n, uint32_t step, int32_t zero, float scale)
{
    for (uint32_t i = 0; i < n; i++) {
        y[i] = (float)(x[i * step] - zero) * scale;
    }
}

int gm_kernel_dequantize(const struct gm_session *session, const void *instruction)
{
    const gm_insn_dequantize *insn = instruction;
    const int8_t *x = gm_i8(session, insn->x);
    const int8_t *zero = insn->zero == GM_NONE ? NULL : gm_i8(session, insn->zero);
    const float *scale = gm_f32(session, insn->scale);
    float *y = gm_f32_out(session, insn->y);
    for (uint32_t o = 0; o < insn->outer; o++) {
        for (uint32_t c = 0; c < insn->channels; c++) {
            dequantize_row(x + (o * insn->x_outer + c * insn->x_channel), y, insn->inner, insn->x_inner,
                           zero ? zero[c] : 0, scale[c]);
            y += insn->inner;
        }
    }
    return GM_OK;
}

#endif
