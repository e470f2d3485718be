/* Sums of products over up to three loops: the basis of matrix products and convolutions. */
#ifndef SOFT_PRODUCTS_H
#define SOFT_PRODUCTS_H

#include "soft_sum.h"

#if GM_ARCH_SOFT_FLOAT

/* A loop of `count` iterations, and the steps of both operands, in elements, from one
 * iteration to the next. */
typedef struct soft_loop {
    uint32_t count;
    uint32_t a, b;
} soft_loop;

/* Returns start + the sum of a b, term by term, over three loops; the last one is the innermost. */
float gm_soft_sum_products(float start, const float *a, const float *b, const soft_loop *loops);

/* The same for the last two loops, and for a sum split into mantissa and exponent. */
soft_sum gm_soft_add_products(soft_sum sum, const float *a, const float *b, const soft_loop *loops);

/* 1 if soft_run_arm.c provides gm_soft_run(). clang has too few registers for it. */
#if defined(__thumb2__) && !defined(__clang__)
#define SOFT_RUN_IN_ASSEMBLY 1
#else
#define SOFT_RUN_IN_ASSEMBLY 0
#endif

/* The rest of two loops. Steps are in bytes. */
typedef struct soft_run {
    soft_sum sum;
    const char *a, *b;
    uint32_t count; /* remaining products of this iteration of the outer loop */
    uint32_t a_step, b_step;
    uint32_t turns; /* remaining iterations after this one */
    uint32_t products, a_skip, b_skip; /* of an iteration; from the end of an iteration to the next */
} soft_run;

#if SOFT_RUN_IN_ASSEMBLY
/* Adds products until none is left, or until the next one has a factor that is neither of ordinary
 * size nor zero. Every iteration has a product. */
void gm_soft_run(soft_run *run);
#endif

#endif
#endif
