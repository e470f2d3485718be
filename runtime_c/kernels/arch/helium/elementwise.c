/*
 * Rows of elements with Helium. Machine instructions per element: RELU 1.31, RELU_GRAD
 * 1.31, checks 0.56, + 0 1.06. Comparisons work on the bits, as integers: float comparisons
 * treat subnormals as 0.
 *
 * Sums and products of rows are left to elementwise.c: with two loads and a store for each
 * operation, and flags to check, four lanes gain nothing.
 */
#include "../../rows.h"
#include "../arm_m/blocks/taps.h"
#include "../arm_m/blocks/registers.h"
#include "helium.h"

#if GM_ARCH_HELIUM

/* Runs BODY for 4 elements at a time, four times per iteration while 16 are left; lanes past the
 * last of n elements do nothing. */
#define EACH_4(BODY)                 \
    LINE("lsr r4, %[n], #4")         \
    LINE("wls lr, r4, 2f")           \
    "1:\n\t"                         \
    BODY BODY BODY BODY              \
    LINE("le lr, 1b")                \
    "2:\n\t"                         \
    LINE("and r4, %[n], #15")        \
    LINE("wlstp.32 lr, r4, 4f")      \
    "3:\n\t"                         \
    BODY                             \
    LINE("letp lr, 3b")              \
    "4:\n\t"

/* The bits of a negative number, minus those of the largest negative one, are less than
 * those of infinity. */
void gm_relu_row(const float *x, float *y, uint32_t n)
{
    __asm__ volatile(HELIUM
                     LINE("vdup.32 q2, %[infinity]")
                     EACH_4(LINE("vldrw.u32 q0, [%[x]], #16")
                            LINE("vsub.i32 q1, q0, %[above]")
                            LINE("vpt.u32 hi, q2, q1")
                            LINE("vmovt.i32 q0, #0")
                            LINE("vstrw.32 q0, [%[y]], #16"))
                     : [x] "+r"(x), [y] "+r"(y)
                     : [n] "r"(n), [infinity] "r"(0x7f800000u), [above] "r"(0x80000001u)
                     : "r4", "lr", CHANGED);
}

/* The load returns 0 in lanes in which y is not a positive number. */
void gm_relu_grad_row(const float *dy, const float *y, float *dx, uint32_t n)
{
    __asm__ volatile(HELIUM
                     LINE("vdup.32 q2, %[infinity]")
                     EACH_4(LINE("vldrw.u32 q1, [%[y]], #16")
                            LINE("vsub.i32 q1, q1, %[one]")
                            LINE("vpt.u32 hi, q2, q1")
                            LINE("vldrwt.u32 q0, [%[dy]], #16")
                            LINE("vstrw.32 q0, [%[dx]], #16"))
                     : [dy] "+r"(dy), [y] "+r"(y), [dx] "+r"(dx)
                     : [n] "r"(n), [infinity] "r"(0x7f800000u), [one] "r"(1)
                     : "r4", "lr", CHANGED);
}

/* -0 + 0 is 0; any other number stays the same. */
void gm_add_zero_row(const float *x, float *y, uint32_t n)
{
    __asm__ volatile(HELIUM
                     EACH_4(LINE("vldrw.u32 q0, [%[x]], #16")
                            LINE("vpt.i32 eq, q0, %[minus_zero]")
                            LINE("vmovt.i32 q0, #0")
                            LINE("vstrw.32 q0, [%[y]], #16"))
                     : [x] "+r"(x), [y] "+r"(y)
                     : [n] "r"(n), [minus_zero] "r"(0x80000000u)
                     : "r4", "lr", CHANGED);
}

#endif
