/*
 * INT_TO_FLOAT: y = x, rounded to nearest.
 * FLOAT_TO_INT: y = x without its fraction, saturated to int32; 0 for NaN.
 */
#include "../generated/instructions/float_to_int.h"
#include "../generated/instructions/int_to_float.h"
#include "../src/gm_internal.h"

#if GM_WITH_INT_TO_FLOAT
int gm_kernel_int_to_float(const struct gm_session *session, const void *instruction)
{
    const gm_insn_int_to_float *insn = instruction;
    const int32_t *x = gm_i32(session, insn->x);
    float *y = gm_f32_out(session, insn->y);
    for (uint32_t i = 0; i < insn->n; i++) {
        y[i] = (float)x[i];
    }
    return GM_OK;
}
#endif

#if GM_WITH_FLOAT_TO_INT

/* Converting a value that int32 cannot hold would be undefined behaviour. */
static int32_t integer_of(float x)
{
    if (x >= 0x1p31f) {
        return INT32_MAX;
    }
    return x >= -0x1p31f ? (int32_t)x : x < 0.0f ? INT32_MIN : 0;
}

int gm_kernel_float_to_int(const struct gm_session *session, const void *instruction)
{
    const gm_insn_float_to_int *insn = instruction;
    const float *x = gm_f32(session, insn->x);
    int32_t *y = gm_i32_out(session, insn->y);
    for (uint32_t i = 0; i < insn->n; i++) {
        float value = x[i];
        y[i] = integer_of(value);
    }
    return GM_OK;
}

#endif
