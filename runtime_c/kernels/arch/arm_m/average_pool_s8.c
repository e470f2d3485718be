/* Windows of average_pool_s8.h. */
#include "../../../generated/instructions/average_pool_s8.h"
#include "average_pool_s8.h"

#if GM_ARCH_AVERAGE_POOL_S8

/* With more taps, or averages of more units, too many results are in doubt. */
#define MOST_TAPS 4096u
#define MOST_UNITS 1024u

/* The taps of one axis inside x: they start at input `first`. */
typedef struct taps_in_input {
    uint32_t first, count;
} taps_in_input;

static taps_in_input taps_in_input_of(uint32_t o, uint32_t kernel, uint32_t stride, uint32_t dilation, uint32_t pad,
                                  uint32_t size)
{
    taps_in_input taps = {0, 0};
    for (uint32_t k = 0; k < kernel; k++) {
        uint32_t i = gm_input_index(o, k, stride, dilation, pad);
        if (i < size) {
            taps.first = taps.count > 0 ? taps.first : i;
            taps.count++;
        }
    }
    return taps;
}

/* Whether products and quotients with it stay within the range of floats. */
static int is_usual(float scale)
{
    return (gm_bits_of(scale) >> 23) - 27u < 200u;
}

/* Sets how sums become outputs. Besides the n taps, four more operations
 * round, two of them here. */
static void set_multiplier(gm_average_window *w, const gm_insn_average_pool_s8 *insn, float count)
{
    uint32_t taps = insn->kernel_h * insn->kernel_w, inside = w->rows * w->columns;
    const gm_multiplier m = gm_multiplier_of(insn->x_scale / count / insn->y_scale, 0);
    if (m.shift == 0 || insn->kernel_h > MOST_TAPS || insn->kernel_w > MOST_TAPS || taps > MOST_TAPS ||
        !is_usual(insn->x_scale) || !is_usual(insn->y_scale)) {
        return;
    }
    uint32_t most = (uint32_t)gm_scale((int32_t)(inside * 255), &m).nearest + 1;
    if (most <= MOST_UNITS) {
        w->m = m, w->doubt = (taps + 8) * most * 256 + 2;
    }
}

gm_average_window gm_average_window_of(const gm_insn_average_pool_s8 *insn, uint32_t row, uint32_t column, float count)
{
    const gm_output_range range = GM_RANGE(insn);
    taps_in_input rows = taps_in_input_of(row, insn->kernel_h, insn->stride_h, insn->dilation_h, insn->pad_h, insn->in_h);
    taps_in_input columns = taps_in_input_of(column, insn->kernel_w, insn->stride_w, insn->dilation_w, insn->pad_w, insn->in_w);
    gm_average_window w = {
        .first = rows.first * insn->x_h + columns.first * insn->x_w,
        .rows = rows.count, .row_step = insn->dilation_h * insn->x_h,
        .columns = columns.count, .column_step = insn->dilation_w * insn->x_w,
        .zeros = (int32_t)(rows.count * columns.count) * gm_nearest_int8(insn->x_zero),
        .bounds = gm_int8_bounds_of(&range),
    };
    set_multiplier(&w, insn, count);
    return w;
}

#endif
