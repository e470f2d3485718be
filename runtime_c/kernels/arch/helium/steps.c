/*
 * Optimizer steps with Helium. Machine instructions per parameter: SGD 1.56, Adam and AdamW 8.5.
 * Helium has neither square root nor division: the FPU computes these lane by lane.
 */
#include "../../optimizers/steps.h"
#include "../arm_m/blocks/registers.h"
#include "helium.h"

#if GM_ARCH_HELIUM

#if GM_WITH_SGD

#define LOAD_G(q) LINE("vldrw.u32 " #q ", [%[g]], #16")
#define LOAD_P(q, offset) LINE("vldrw.u32 " #q ", [%[p], #" #offset "]")
#define STORE_P(q) LINE("vstrw.32 " #q ", [%[p]], #16")
#define SCALE_VECTOR(g) LINE("vmul.f32 " #g ", " #g ", %[scale]")

/* The step of n parameters. Jumps to `end` before any with subnormals, with n parameters left;
 * otherwise p ends up past the last one by as many as n is below 0. */
#define SGD_LOOP(end)                                                                                         \
    LINE("lsr r12, %[n], #4")                                                                                 \
    LINE("wls lr, r12, 2f")                                                                                   \
    "1:\n\t"                                                                                                  \
    LOAD_G(q0) LOAD_G(q1) LOAD_G(q2) LOAD_G(q3)                                                               \
    LOAD_P(q4, 0) LOAD_P(q5, 16) LOAD_P(q6, 32) LOAD_P(q7, 48)                                                \
    SCALE_VECTOR(q0) SCALE_VECTOR(q1) SCALE_VECTOR(q2) SCALE_VECTOR(q3)                                       \
    VFMA(q4, q0, %[minus_lr]) VFMA(q5, q1, %[minus_lr]) VFMA(q6, q2, %[minus_lr]) VFMA(q7, q3, %[minus_lr])   \
    IF_FLUSHED(r12, end)                                                                                      \
    STORE_P(q4) STORE_P(q5) STORE_P(q6) STORE_P(q7)                                                           \
    LINE("sub %[n], #16")                                                                                     \
    LINE("le lr, 1b")                                                                                         \
    "2:\n\t"                                                                                                  \
    LINE("cbz %[n], 4f")                                                                                      \
    "3:\n\t"                                                                                                  \
    LINE("vctp.32 %[n]")                                                                                      \
    LINE("vpstt")                                                                                             \
    LINE("vldrwt.u32 q0, [%[g]], #16") LINE("vldrwt.u32 q4, [%[p]]")                                          \
    SCALE_VECTOR(q0)                                                                                          \
    VFMA(q4, q0, %[minus_lr])                                                                                 \
    IF_FLUSHED(r12, end)                                                                                      \
    LINE("vpst")                                                                                              \
    LINE("vstrwt.32 q4, [%[p]], #16")                                                                         \
    LINE("subs %[n], #4")                                                                                     \
    LINE("bhi 3b")                                                                                            \
    "4:\n\t"

/* Stops before a block with subnormals. Returns how many parameters are left. */
static uint32_t sgd_until_flushed(const float *g, float *p, uint32_t n, float minus_lr, float scale)
{
    uint32_t minus_lr_bits = gm_bits_of(minus_lr), scale_bits = gm_bits_of(scale);
    __asm__ volatile(HELIUM
                     CLEAR_FLUSHED(r12)
                     SGD_LOOP(5f)
                     LINE("mov %[n], #0")
                     "5:\n\t"
                     : [g] "+r"(g), [p] "+r"(p), [n] "+l"(n)
                     : [minus_lr] "r"(minus_lr_bits), [scale] "r"(scale_bits)
                     : "r12", "lr", CHANGED);
    return n;
}

static void plain_sgd(const float *g, float *p, uint32_t n, float minus_lr, float scale)
{
    for (uint32_t i = 0; i < n; i++) {
        p[i] = GM_MAC(p[i], minus_lr, scale * g[i]);
    }
}

/* Up to 16 parameters in plain C wherever subnormals occur */
__attribute__((noinline)) static void sgd_by_vectors(const float *g, float *p, uint32_t n, float minus_lr, float scale)
{
    for (uint32_t left; (left = sgd_until_flushed(g, p, n, minus_lr, scale)) > 0;) {
        uint32_t done = n - left, few = left < 16 ? left : 16;
        plain_sgd(g + done, p + done, few, minus_lr, scale);
        g += done + few, p += done + few, n = left - few;
    }
}

/* Fewer than 4 parameters, as in scattered weights, cost more with flags than without. */
void gm_sgd_step(const float *g, float *p, uint32_t n, float minus_lr, float scale)
{
    if (n < 4) {
        plain_sgd(g, p, n, minus_lr, scale);
    } else {
        sgd_by_vectors(g, p, n, minus_lr, scale);
    }
}

#endif

#if GM_WITH_ADAM || GM_WITH_ADAMW

/* g, p, m, v in q0 to q3; factors in r4 (scale), r5, r6, r8 (those of the moments), q7 (eps), r9
 * (correction), r10 (keep), r11 (step); clobbers q4 to q6. */
#define ADAM_VECTOR                                                                                           \
    LINE("vmul.f32 q0, q0, r4")                                                                               \
    LINE("vsub.f32 q4, q0, q2")                                                                               \
    LINE("vmul.f32 q3, q3, r6")                                                                               \
    VFMA(q2, q4, r5)                                                                                          \
    LINE("vmul.f32 q5, q0, r8")                                                                               \
    LINE("vmul.f32 q1, q1, r10")                                                                              \
    VFMA(q3, q5, q0)                                                                                          \
    LINE("vmov q6, q7")                                                                                       \
    LINE("vsqrt.f32 s16, s12") LINE("vsqrt.f32 s17, s13") LINE("vsqrt.f32 s18, s14") LINE("vsqrt.f32 s19, s15") \
    VFMA(q6, q4, r9)                                                                                          \
    LINE("vdiv.f32 s16, s8, s24") LINE("vdiv.f32 s17, s9, s25")                                               \
    LINE("vdiv.f32 s18, s10, s26") LINE("vdiv.f32 s19, s11, s27")                                             \
    VFMA(q1, q4, r11)

/* Stops before 4 parameters with subnormals. Returns how many are left. */
static uint32_t adam_until_flushed(const gm_adam_factors *factors, const float *g, float *p, float *m, float *v,
                                   uint32_t n)
{
    register const void *r0 __asm__("r0") = factors;
    const struct {
        const float *g;
        float *p, *m, *v;
    } arrays = { g, p, m, v };
    register const void *r1 __asm__("r1") = &arrays;
    __asm__ volatile(HELIUM
                     CLEAR_FLUSHED(r12)
                     LINE("ldm r0, {r4, r5, r6, r8, r9, r10, r11, r12}")
                     LINE("vdup.32 q7, r9")
                     LINE("mov r9, r10") LINE("mov r10, r11") LINE("mov r11, r12")
                     LINE("ldm r1, {r0, r1, r2, r3}")
                     "1:\n\t"
                     LINE("vctp.32 %[n]")
                     LINE("vpstttt")
                     LINE("vldrwt.u32 q0, [r0], #16") LINE("vldrwt.u32 q1, [r1]")
                     LINE("vldrwt.u32 q2, [r2]") LINE("vldrwt.u32 q3, [r3]")
                     ADAM_VECTOR
                     IF_FLUSHED(r12, 2f)
                     LINE("vpsttt")
                     LINE("vstrwt.32 q1, [r1], #16") LINE("vstrwt.32 q2, [r2], #16") LINE("vstrwt.32 q3, [r3], #16")
                     LINE("subs %[n], #4")
                     LINE("bhi 1b")
                     LINE("mov %[n], #0")
                     "2:\n\t"
                     : "+r"(r0), "+r"(r1), [n] "+r"(n)
                     :
                     : "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", CHANGED);
    return n;
}

void gm_adam_step(const gm_adam_factors *factors, const float *g, float *p, float *m, float *v, uint32_t n)
{
    for (uint32_t i = 0, left; i < n;) {
        left = adam_until_flushed(factors, g + i, p + i, m + i, v + i, n - i);
        i = n - left;
        for (uint32_t end = left > 4 ? i + 4 : n; i < end; i++) {
            gm_adam_parameter(factors, g[i], p + i, m + i, v + i);
        }
    }
}

#endif

#endif
