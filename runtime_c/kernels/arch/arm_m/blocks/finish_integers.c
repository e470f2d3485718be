/*
 * The last step of gradients without FPU: a sum times a factor, which combines unit, scale and
 * inverse, in units of 2^-(32 + shift) and rounded down. Without a shift, the lower word of the
 * product is its fraction, else the lower bits of the upper word are. A product falls short of the
 * exact one by less than the absolute value of the sum. If it is closer to a half than that plus
 * the roundings of float arithmetic, or larger than all before, it is computed more exactly.
 */
#include "finish_s16.h"

#include "scaled.h"

#if GM_ARCH_CONV_GRAD_X_S16 && !GM_ARCH_DSP

/* How close to a half a product may be, in units of 2^-32, if factors have no shift. */
#define DOUBT (1u << 26)

/* The least shift that leaves fractions enough bits. */
#define LEAST_UPPER_SHIFT 8u

/* Returns 2^exponent = unit inverse. */
static int32_t exponent_of_finish(const gm_finish_s16 *f)
{
    return (int32_t)(gm_bits_of(f->unit) >> 23) + (int32_t)(gm_bits_of(f->inverse) >> 23) - 2 * 127;
}

/*
 * A product below `most` has a sum below most 2^(2 + shift), which bounds how far it falls
 * short, and float arithmetic rounds by less than most 2^9. All results have an absolute
 * value of at most 2^15.
 */
static uint32_t most_within_doubt(uint32_t shift)
{
    uint32_t most = shift < 24 ? (DOUBT - 2) / ((4u << shift) + (1u << 9)) : 0;
    return most < 1u << 15 ? most : 1u << 15;
}

/* The range of gm_multiplier_of() shifts over all scales. Shifts beyond 31, which make all
 * results 0, do not count. */
typedef struct scale_shifts {
    int32_t least, most;
    int suit; /* all are normal numbers, and small enough */
} scale_shifts;

static scale_shifts shifts_of(const gm_finish_s16 *f, uint32_t channels)
{
    scale_shifts s = {31, 1, 1};
    for (uint32_t c = 0; c < (f->scale ? channels : 1); c++) {
        uint32_t bits = gm_bits_of(f->scale ? f->scale[c] : 1.0f);
        int32_t shift = 125 - f->exponent - (int32_t)(bits >> 23);
        s.suit &= (bits >> 23) - 1u < 254u && shift > 0;
        if (shift < 32) {
            s.least = shift < s.least ? shift : s.least, s.most = shift > s.most ? shift : s.most;
        }
    }
    return s;
}

void gm_prepare_finish(gm_finish_s16 *f, uint32_t channels)
{
    f->exponent = exponent_of_finish(f);
    const scale_shifts shifts = shifts_of(f, channels);
    uint32_t least = (uint32_t)shifts.least;
    f->by_integers = shifts.suit && f->dx != NULL && f->mask.q != NULL && f->mask.bits == NULL && f->addend == NULL;
    f->between = f->mask.high - f->mask.low > 1 ? (uint32_t)(f->mask.high - f->mask.low - 1) : 0;
    f->shift = least < LEAST_UPPER_SHIFT ? 0 : least;
    f->exact_below = f->shift > 0 ? 1u << 15 : most_within_doubt((uint32_t)shifts.most);
    f->doubt = f->shift > 0 ? ((((uint32_t)f->limit + 1) << 9) >> (32 - f->shift)) + 3 : 0;
}

/* Returns how many integers have an absolute value below `end`: from 1 - end on. */
static inline uint32_t integers_below(uint32_t end)
{
    return end > 0 ? 2 * end - 1 : 0;
}

/* Returns the result of one sum, in float arithmetic. */
__attribute__((noinline)) static int16_t finish_by_floats(gm_finish_s16 *f, uint32_t sum, uint32_t at, uint32_t channel)
{
    gm_gradient_s16 made = {f->inverse, (float)f->limit, f->largest};
    int16_t result = gm_to_s16(&made, gm_value_of_sum(f, sum, at, channel));
    if (made.largest != f->largest) {
        float most = gm_float_of(made.largest) * f->inverse, beyond = (float)f->limit + 1.0f;
        f->largest = made.largest;
        f->seen = (uint32_t)(int32_t)(most < beyond ? most : beyond);
        uint32_t below = f->seen < f->exact_below ? f->seen : f->exact_below;
        f->last = below - 1, f->span = integers_below(below);
    }
    return result;
}

/* The same by integers, if the full product determines the result, and the result is smaller
 * than the largest seen. */
__attribute__((noinline)) static int16_t finish_closely(gm_finish_s16 *f, uint32_t sum, uint32_t at, uint32_t channel)
{
    const gm_multiplier m = gm_multiplier_of(f->scale ? f->scale[channel] : 1.0f, f->exponent);
    if (m.shift > 0) {
        const gm_scaled scaled = gm_scale((int32_t)sum, &m);
        if (gm_is_certain(&scaled, gm_doubt_below((uint32_t)f->limit + 1)) &&
            (uint32_t)scaled.nearest + f->seen - 1 < integers_below(f->seen)) {
            return (int16_t)scaled.nearest;
        }
    }
    return finish_by_floats(f, sum, at, channel);
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

typedef struct four_factors {
    int32_t of[4];
} four_factors;

/* Returns a factor in units of 2^-(32 + shift). turned: 126 - shift - exponent. */
static inline int32_t factor_of_scale(float scale, int32_t turned)
{
    uint32_t bits = gm_bits_of(scale), by = (uint32_t)turned - (bits >> 23);
    return by < 32 ? (int32_t)((bits << 8 | 0x80000000u) >> by) : 0;
}

static inline int32_t turned_of(const gm_finish_s16 *f)
{
    return 126 - (int32_t)f->shift - f->exponent;
}

/* Returns the factors of four channels. */
static inline four_factors factors_from(const gm_finish_s16 *f, uint32_t channel)
{
    static const float ones[4] = {1.0f, 1.0f, 1.0f, 1.0f};
    const float *scale = f->scale ? f->scale + channel : ones;
    int32_t turned = turned_of(f);
    return (four_factors){{factor_of_scale(scale[0], turned), factor_of_scale(scale[1], turned),
                           factor_of_scale(scale[2], turned), factor_of_scale(scale[3], turned)}};
}

/* Bounds for comparisons, in registers. */
typedef struct integer_bounds {
    int32_t first_between;
    uint32_t between, last, span, shift, doubt;
} integer_bounds;

static inline integer_bounds integer_bounds_of(const gm_finish_s16 *f)
{
    return (integer_bounds){f->mask.low + 1, f->between, f->last, f->span, f->shift, f->doubt};
}

/* Returns the result of a sum that passes the mask. has_shift: whether factors have a
 * shift, a constant. */
static inline __attribute__((always_inline)) int32_t finish_sum(gm_finish_s16 *f, integer_bounds *x, uint32_t sum,
                                                                int32_t factor, uint32_t at, uint32_t channel,
                                                                const int has_shift)
{
    uint32_t low, fraction, doubt;
    int32_t result = gm_wide_product((int32_t)sum, factor, &low);
    if (has_shift) {
        result += 1 << (x->shift - 1);
        fraction = ((uint32_t)result + x->doubt) << (32 - x->shift), doubt = x->doubt << (33 - x->shift);
        result >>= x->shift;
    } else {
        result += (int32_t)(low >> 31);
        fraction = low - (0x80000000u - DOUBT), doubt = 2 * DOUBT;
    }
    if (fraction <= doubt || (uint32_t)result + x->last >= x->span) {
        result = finish_closely(f, sum, at, channel);
        x->last = f->last, x->span = f->span;
    }
    return result;
}

/* One channel at all positions. at: that of the first one. */
static void finish_channel(gm_finish_s16 *f, const gm_finish_place *p, const uint32_t *sums, uint32_t at, uint32_t channel)
{
    int32_t factor = factor_of_scale(f->scale ? f->scale[channel] : 1.0f, turned_of(f));
    integer_bounds x = integer_bounds_of(f);
    for (uint32_t i = p->positions; i > 0; i--, sums += 4, at += p->position_step) {
        int32_t result = 0;
        if ((uint32_t)(f->mask.q[at] - x.first_between) < x.between) {
            result = f->shift > 0 ? finish_sum(f, &x, *sums, factor, at, channel, 1)
                                  : finish_sum(f, &x, *sums, factor, at, channel, 0);
        }
        f->dx[at] = (int16_t)result;
    }
}

/* Four adjacent channels at all positions. */
#define FINISH_NEIGHBOUR(c)                                                                                        \
    result = 0;                                                                                                    \
    if ((uint32_t)(q[c] - x.first_between) < x.between) {                                                          \
        result = finish_sum(f, &x, sums[c], factors.of[c], (uint32_t)(q - f->mask.q) + (c), p->channel + (c),      \
                            has_shift);                                                                            \
    }                                                                                                              \
    dx[c] = (int16_t)result;

static inline __attribute__((always_inline)) void finish_neighbours(gm_finish_s16 *f, const gm_finish_place *p,
                                                                    const uint32_t *sums, const int has_shift)
{
    const four_factors factors = factors_from(f, p->channel);
    const int8_t *q = f->mask.q + p->at;
    int16_t *dx = f->dx + p->at;
    integer_bounds x = integer_bounds_of(f);
    int32_t result;
    for (uint32_t i = p->positions; i > 0; i--, sums += 4, q += p->position_step, dx += p->position_step) {
        FINISH_NEIGHBOUR(0)
        FINISH_NEIGHBOUR(1)
        FINISH_NEIGHBOUR(2)
        FINISH_NEIGHBOUR(3)
    }
}

__attribute__((noinline)) static void finish_shifted(gm_finish_s16 *f, const gm_finish_place *p, const uint32_t *sums)
{
    finish_neighbours(f, p, sums, 1);
}

void gm_finish_positions(gm_finish_s16 *f, const gm_finish_place *p, const uint32_t *sums)
{
    if (f->by_integers && p->channels == 4 && p->step == 1) {
        if (f->shift > 0) {
            finish_shifted(f, p, sums);
        } else {
            finish_neighbours(f, p, sums, 0);
        }
        return;
    }
    for (uint32_t c = 0, at = p->at; c < p->channels; c++, at += p->step, sums++) {
        if (f->by_integers) {
            finish_channel(f, p, sums, at, p->channel + c);
        } else {
            finish_channel_by_floats(f, p, sums, at, p->channel + c);
        }
    }
}

#endif
