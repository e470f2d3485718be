#include "soft_products.h"

#include "../arch.h"

#if GM_ARCH_SOFT_FLOAT

SOFT_INLINE float float_at(const char *at)
{
    return *(const float *)(const void *)at;
}

#if !SOFT_RUN_IN_ASSEMBLY

/* Adds products until this iteration has none left. Returns 0 if the next one is for
 * gm_soft_add_any_product(). */
static int run_turn(soft_run *run)
{
    soft_run r = *run;
    for (; r.count > 0; r.count--, r.a += r.a_step, r.b += r.b_step) {
        uint32_t a = gm_bits_of(float_at(r.a)), b = gm_bits_of(float_at(r.b));
        if ((SOFT_SIZE(a) | SOFT_SIZE(b)) < SOFT_SIZE_LIMIT) {
            r.sum = soft_add_product(r.sum, a, b);
        } else if (soft_product_is_zero(a, b)) {
            r.sum = soft_add_zero(r.sum, a ^ b);
        } else {
            break;
        }
    }
    run->sum = r.sum, run->a = r.a, run->b = r.b, run->count = r.count;
    return r.count == 0;
}

static void gm_soft_run(soft_run *run)
{
    while (run_turn(run) && run->turns > 0) {
        run->turns--;
        run->count = run->products;
        run->a += run->a_skip, run->b += run->b_skip;
    }
}

#endif

soft_sum gm_soft_add_products(soft_sum sum, const float *a, const float *b, const soft_loop *loops)
{
    const soft_loop *outer = loops, *inner = loops + 1;
    if (outer->count == 0 || inner->count == 0) {
        return sum;
    }
    soft_run run = {
        .sum = sum,
        .a = (const char *)a,
        .b = (const char *)b,
        .count = inner->count,
        .a_step = 4 * inner->a,
        .b_step = 4 * inner->b,
        .turns = outer->count - 1,
        .products = inner->count,
        .a_skip = 4 * (outer->a - inner->count * inner->a),
        .b_skip = 4 * (outer->b - inner->count * inner->b),
    };
    for (;;) {
        gm_soft_run(&run);
        if (run.count == 0) {
            return run.sum;
        }
        run.sum = gm_soft_add_any_product(run.sum, float_at(run.a), float_at(run.b));
        run.a += run.a_step, run.b += run.b_step, run.count--;
    }
}

float gm_soft_sum_products(float start, const float *a, const float *b, const soft_loop *loops)
{
    soft_sum sum = soft_sum_of(start);
    if (loops[2].count == 1) {
        /* An innermost loop with a single iteration is dropped. */
        return soft_value(gm_soft_add_products(sum, a, b, loops));
    }
    for (uint32_t i = loops[0].count; i > 0; i--, a += loops[0].a, b += loops[0].b) {
        sum = gm_soft_add_products(sum, a, b, loops + 1);
    }
    return soft_value(sum);
}

#endif
