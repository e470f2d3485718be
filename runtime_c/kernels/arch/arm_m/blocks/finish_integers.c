/*
 * The last step of gradients without FPU. Most of them are made of integers alone (scaled.h); the largest so far, and
 * what is close to a half, by float arithmetic.
 */
#include "finish_s16.h"

#include "scaled.h"

#if GM_ARCH_CONV_GRAD_X_S16 && !GM_ARCH_DSP

/* Returns the number of one sum, in float arithmetic. */
__attribute__((noinline)) static int16_t finish_by_floats(gm_finish_s16 *f, uint32_t sum, uint32_t at, uint32_t channel)
{
    gm_gradient_s16 made = {f->inverse, (float)f->limit, f->largest};
    int16_t result = gm_to_s16(&made, gm_value_of_sum(f, sum, at, channel));
    if (made.largest != f->largest) {
        float most = gm_float_of(made.largest) * f->inverse, beyond = (float)f->limit + 1.0f;
        f->largest = made.largest;
        f->seen = (uint32_t)(int32_t)(most < beyond ? most : beyond);
    }
    return result;
}

/* Returns how many integers have an absolute value below `end`: from 1 - end on. */
static inline uint32_t integers_below(uint32_t end)
{
    return end > 0 ? 2 * end - 1 : 0;
}

/* One channel at all positions, in float arithmetic. */
static void finish_channel_by_floats(gm_finish_s16 *f, const gm_finish_place *p, const uint32_t *sums, uint32_t at,
                                     uint32_t channel)
{
    for (uint32_t i = 0; i < p->positions; i++, sums += 4, at += p->position_step) {
        int16_t result = gm_passes(&f->mask, at) ? finish_by_floats(f, *sums, at, channel) : 0;
        if (f->dx != NULL) {
            f->dx[at] = result;
        }
    }
}

/* What all channels have in common, where there is no addend, and the mask is of bounds alone. */
typedef struct integer_finish {
    int16_t *dx;
    const int8_t *q;
    int32_t first_between;      /* of numbers that pass the mask */
    uint32_t between;           /* how many these are */
    uint32_t doubt, seen, span; /* span: how many integers are smaller than what was seen */
    int32_t exponent;           /* 2^exponent = unit inverse */
} integer_finish;

static inline integer_finish integer_finish_of(const gm_finish_s16 *f)
{
    int32_t exponent = (int32_t)(gm_bits_of(f->unit) >> 23) + (int32_t)(gm_bits_of(f->inverse) >> 23) - 2 * 127;
    int32_t between = f->mask.high - f->mask.low - 1;
    return (integer_finish){f->dx, f->mask.q, f->mask.low + 1, between > 0 ? (uint32_t)between : 0,
                            gm_doubt_below((uint32_t)f->limit + 1), f->seen, integers_below(f->seen), exponent};
}

/* One channel at all positions. at: of the first one. */
static inline void finish_channel(gm_finish_s16 *f, integer_finish *x, const gm_multiplier *m, const gm_finish_place *p,
                                  const uint32_t *sums, uint32_t at, uint32_t channel)
{
    for (uint32_t i = p->positions; i > 0; i--, sums += 4, at += p->position_step) {
        int32_t result = 0;
        if ((uint32_t)(x->q[at] - x->first_between) < x->between) {
            const gm_scaled scaled = gm_scale((int32_t)*sums, m);
            result = scaled.nearest;
            if (!gm_is_certain(&scaled, x->doubt) || (uint32_t)result + x->seen - 1 >= x->span) {
                result = finish_by_floats(f, *sums, at, channel);
                x->seen = f->seen, x->span = integers_below(x->seen);
            }
        }
        x->dx[at] = (int16_t)result;
    }
}

void gm_finish_positions(gm_finish_s16 *finish, const gm_finish_place *p, const uint32_t *sums)
{
    gm_finish_s16 *f = finish;
    int by_integers = f->dx != NULL && f->mask.q != NULL && f->mask.bits == NULL && f->addend == NULL;
    integer_finish x = integer_finish_of(f);
    for (uint32_t c = 0, at = p->at; c < p->channels; c++, at += p->step, sums++) {
        uint32_t channel = p->channel + c;
        const gm_multiplier m = gm_multiplier_of(f->scale ? f->scale[channel] : 1.0f, x.exponent);
        if (by_integers && m.shift > 0) {
            finish_channel(f, &x, &m, p, sums, at, channel);
        } else {
            finish_channel_by_floats(f, p, sums, at, channel);
            x.seen = f->seen, x.span = integers_below(x.seen);
        }
    }
}

#endif
