/* Turns sums of CONV_GRAD_X_S16 into 16-bit gradients, bit for bit as gm_to_s16(). */
#ifndef GM_ARM_M_FINISH_S16_H
#define GM_ARM_M_FINISH_S16_H

#include "../../../../generated/instructions/conv_grad_x_s16.h"
#include "../conv_grad_s16.h"

#if GM_ARCH_CONV_GRAD_X_S16

typedef struct gm_finish_s16 {
    const int16_t *addend; /* NULL: none */
    const float *scale;    /* NULL: 1 */
    int16_t *dx;           /* NULL: only finds the largest value */
    float unit, addend_unit, inverse;
    gm_clamp_mask mask;
    int32_t limit;
    uint32_t least, most;  /* bounds of the values that pass the mask, four times in a word; invalid if none can pass */
    uint32_t limits, minus_limits; /* twice */
    uint32_t by_fours;     /* four adjacent channels can be done at once */
    uint32_t largest;      /* the bits of the largest absolute value seen */
#if !GM_ARCH_DSP
    uint32_t seen;         /* a result below it is smaller than the largest, and within the limit */
    uint32_t by_integers;  /* there is no addend, the mask has bounds only, and scales suit */
    uint32_t shift, doubt; /* of factors and their products */
    uint32_t exact_below;  /* up to this, products are as exact as finish_integers.c needs */
    int32_t exponent;      /* 2^exponent = unit inverse */
    uint32_t between;      /* how many values pass the mask, from the lower bound on */
    uint32_t last, span;   /* the `span` results from -last on are below both `seen` and `exact_below` */
#endif
} gm_finish_s16;

/* Returns the value that a sum represents. at: its offset in dx. */
static inline float gm_value_of_sum(const gm_finish_s16 *f, uint32_t sum, uint32_t at, uint32_t channel)
{
    float value = (float)(int32_t)sum * f->unit;
    value = f->addend != NULL ? value + (float)f->addend[at] * f->addend_unit : value;
    return f->scale != NULL ? value * f->scale[channel] : value;
}

gm_finish_s16 gm_finish_of(const struct gm_session *session, const gm_insn_conv_grad_x_s16 *insn,
                           const gm_gradient_s16 *made, int16_t *dx);

/* The gradients of n adjacent channels, from index `channel` on, at one position after another. */
typedef struct gm_finish_place {
    uint32_t at;                         /* the first one's offset in dx, addend and mask */
    uint32_t channel, channels, step;    /* step: to the next channel */
    uint32_t positions, position_step;   /* sums holds four per position */
} gm_finish_place;

#if GM_ARCH_DSP

/* The gradients of one position. */
void gm_finish_channels(gm_finish_s16 *finish, const uint32_t *sums, uint32_t n, uint32_t at, uint32_t step,
                        uint32_t channel);

static inline void gm_finish_positions(gm_finish_s16 *finish, const gm_finish_place *p, const uint32_t *sums)
{
    for (uint32_t i = 0, at = p->at; i < p->positions; i++, sums += 4, at += p->position_step) {
        gm_finish_channels(finish, sums, p->channels, at, p->step, p->channel);
    }
}

#else
/* Sets the fields that integer arithmetic needs. channels: the number of scales. */
void gm_prepare_finish(gm_finish_s16 *finish, uint32_t channels);
void gm_finish_positions(gm_finish_s16 *finish, const gm_finish_place *place, const uint32_t *sums);
#endif

/* Depthwise CONV_GRAD_X_S16. There is a panel. tiles: storage for gradient_tiles.h, if it is used.
 * Returns 0, and does nothing, if the panel is too small, or channels are not adjacent. */
struct gm_gradient_tiles;
int gm_arm_depthwise_grad_x_s16(const struct gm_session *session, const gm_insn_conv_grad_x_s16 *insn,
                                gm_finish_s16 *finish, struct gm_gradient_tiles *tiles);

#endif
#endif
