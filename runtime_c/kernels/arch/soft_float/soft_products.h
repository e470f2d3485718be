/* Sums of products over as many as three loops: what matrix products and convolutions consist of. */
#ifndef SOFT_PRODUCTS_H
#define SOFT_PRODUCTS_H

#include "soft_sum.h"

#if GM_ARCH_SOFT_FLOAT

/* A loop of `count` turns, and the elements of both operands from one turn to the next. */
typedef struct soft_loop {
    uint32_t count;
    uint32_t a, b;
} soft_loop;

/* Returns start + the sum of a b, term by term, over three loops of which the last one is the innermost. */
float gm_soft_sum_products(float start, const float *a, const float *b, const soft_loop *loops);

/* The same of the last two loops, and of a sum that is apart. */
soft_sum gm_soft_add_products(soft_sum sum, const float *a, const float *b, const soft_loop *loops);

/* 1 where gm_soft_run() is that of soft_run_arm.c. clang has too few registers for it. */
#if defined(__thumb2__) && !defined(__clang__)
#define SOFT_RUN_IN_ASSEMBLY 1
#else
#define SOFT_RUN_IN_ASSEMBLY 0
#endif

/* What is left of two loops. Steps are in bytes. */
typedef struct soft_run {
    soft_sum sum;
    const char *a, *b;
    uint32_t count; /* products that are left of this turn of the outer loop */
    uint32_t a_step, b_step;
    uint32_t turns; /* that come after this one */
    uint32_t products, a_skip, b_skip; /* of a turn; from the end of a turn to the next */
} soft_run;

#if SOFT_RUN_IN_ASSEMBLY
/* Adds products until none is left, or until the next one has a factor that is neither of ordinary size nor zero. Every
 * turn has a product. */
void gm_soft_run(soft_run *run);
#endif

#endif
#endif
