/* Sums, differences, products and quotients of contiguous rows on Cortex-M with FPU: 1.63 machine instructions each. */
#include "../../broadcast.h"
#include "registers.h"

#if GM_ARCH_ARM_M

/* Defines gm_<name>_row: y[i] = a[i] <operation> b[i], 8 at a time. A block is read before it is written: y may be a or b. */
#define DEFINE_ROW(name, operation)                                                                  \
    void gm_##name##_row(const float *a, const float *b, float *y, uint32_t n)                       \
    {                                                                                                \
        __asm__ volatile(LINE("subs %[n], #8")                                                       \
                         LINE("blo 2f")                                                              \
                         "1:\n\t"                                                                    \
                         LOAD(a, "s0-s7")                                                            \
                         LOAD(b, "s8-s15")                                                           \
                         LINE(operation " s0, s0, s8")                                               \
                         LINE(operation " s1, s1, s9")                                               \
                         LINE(operation " s2, s2, s10")                                              \
                         LINE(operation " s3, s3, s11")                                              \
                         LINE(operation " s4, s4, s12")                                              \
                         LINE(operation " s5, s5, s13")                                              \
                         LINE(operation " s6, s6, s14")                                              \
                         LINE(operation " s7, s7, s15")                                              \
                         LINE("vstmia %[y]!, {s0-s7}")                                               \
                         LINE("subs %[n], #8")                                                       \
                         LINE("bhs 1b")                                                              \
                         "2:\n\t"                                                                    \
                         LINE("adds %[n], #8")                                                       \
                         LINE("beq 4f")                                                              \
                         "3:\n\t"                                                                    \
                         LOAD(a, "s0")                                                               \
                         LOAD(b, "s8")                                                               \
                         LINE(operation " s0, s0, s8")                                               \
                         LINE("vstmia %[y]!, {s0}")                                                  \
                         LINE("subs %[n], #1")                                                       \
                         LINE("bne 3b")                                                              \
                         "4:\n\t"                                                                    \
                         : [a] "+r"(a), [b] "+r"(b), [y] "+r"(y), [n] "+r"(n)                        \
                         :                                                                           \
                         : CHANGED);                                                                 \
    }

#if GM_WITH_ADD
DEFINE_ROW(add, "vadd.f32")
#endif
#if GM_WITH_SUB
DEFINE_ROW(sub, "vsub.f32")
#endif
#if GM_WITH_MUL
DEFINE_ROW(mul, "vmul.f32")
#endif
#if GM_WITH_DIV
DEFINE_ROW(div, "vdiv.f32")
#endif

#endif
