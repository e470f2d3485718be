/* Steps of optimizers on a processor without floats. */
#include "../../optimizers/steps.h"
#include "soft_sum.h"

#if GM_ARCH_SOFT_FLOAT && GM_WITH_SGD

/* SOFT_SIZE() of minus_lr from which on no product of it is subnormal: 2^-38. */
#define LEAST_LR_SIZE 6

/* The two factors of a gradient. */
typedef struct sgd_factors {
    uint32_t scale, minus_lr; /* mantissas */
    uint32_t sign;
    int32_t exponent;
} sgd_factors;

/* Returns p + minus_lr (scale g), for g of ordinary size. */
static float sgd_stepped(const sgd_factors *f, float p, uint32_t g)
{
    int32_t exponent = (int32_t)(SOFT_SIZE(g) >> 24) + f->exponent;
    uint32_t scaled = soft_multiply(f->scale, soft_lower_mantissa(g), &exponent);
    uint32_t product = soft_multiply(f->minus_lr, scaled, &exponent);
    return soft_value(soft_add(soft_sum_of(p), soft_signed(product, g ^ f->sign), exponent));
}

/* Returns the limit of SOFT_SIZE() of the gradients that sgd_stepped() takes: all of ordinary size, or none where a
 * factor is not of ordinary size or minus_lr so small that a product could be subnormal. */
static uint32_t sgd_limit(uint32_t scale, uint32_t minus_lr)
{
    int ordinary = (SOFT_SIZE(scale) | SOFT_SIZE(minus_lr)) < SOFT_SIZE_LIMIT;
    return ordinary && SOFT_SIZE(minus_lr) >> 24 >= LEAST_LR_SIZE ? SOFT_SIZE_LIMIT : 0;
}

void gm_sgd_step(const float *g, float *p, uint32_t n, float minus_lr, float scale)
{
    uint32_t scale_bits = gm_bits_of(scale), lr_bits = gm_bits_of(minus_lr), limit = sgd_limit(scale_bits, lr_bits);
    const sgd_factors factors = {
        .scale = soft_upper_mantissa(scale_bits),
        .minus_lr = soft_upper_mantissa(lr_bits),
        .sign = scale_bits ^ lr_bits,
        .exponent = (int32_t)((SOFT_SIZE(scale_bits) >> 24) + (SOFT_SIZE(lr_bits) >> 24)) - SOFT_FACTOR_EXPONENT,
    };
    int lr_is_finite = lr_bits << 1 < 0xff000000u;
    for (; n > 0; n--, g++, p++) {
        uint32_t bits = gm_bits_of(*g);
        if (SOFT_SIZE(bits) < limit) {
            *p = sgd_stepped(&factors, *p, bits);
        } else if (!(soft_product_is_zero(scale_bits, bits) && lr_is_finite && gm_bits_of(*p) << 1 != 0)) {
            *p += minus_lr * (scale * *g);
        }
    }
}

#endif
