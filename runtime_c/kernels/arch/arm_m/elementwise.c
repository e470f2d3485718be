/*
 * Kernels of contiguous rows on Cortex-M with FPU, 8 elements per iteration. Machine instructions
 * for each element: sums, differences, products and quotients 1.63, RELU 4.5, RELU_GRAD 4.63,
 * checks 1.38, + 0 1.5, starting values of sums 0.63. An iteration reads before it writes: a result
 * may be an operand.
 */
#include "../../../generated/instructions/add.h"
#include "../../../generated/instructions/conv_transpose.h"
#include "../../../generated/instructions/div.h"
#include "../../../generated/instructions/mul.h"
#include "../../../generated/instructions/relu_grad.h"
#include "../../../generated/instructions/sub.h"
#include "../../broadcast.h"
#include "../../rows.h"
#include "blocks/registers.h"
#include "blocks/taps.h"

#if GM_ARCH_ARM_M

/* OF(a, b) for a in s0 to s7, b in s8 to s15 */
#define EACH_OF_8(OF) \
    OF(s0, s8) OF(s1, s9) OF(s2, s10) OF(s3, s11) OF(s4, s12) OF(s5, s13) OF(s6, s14) OF(s7, s15)

/* Defines a function of y[i], which OF(a, b) leaves in a's register. ZERO: puts 0 into s16, or
 * empty; then s16 stays untouched. */
#define DEFINE_ROW_OPERATION(name, ZERO, OF, WRITTEN)                                                        \
    void name(const float *a, const float *b, float *y, uint32_t n)                                 \
    {                                                                                               \
        __asm__ volatile(ZERO                                                                       \
                         EIGHT_AT_A_TIME(LOAD(a, "s0-s7") LOAD(b, "s8-s15") EACH_OF_8(OF) STORE_RESULT("s0-s7"), \
                                         LOAD(a, "s0") LOAD(b, "s8") OF(s0, s8) STORE_RESULT("s0")) \
                         : [a] "+r"(a), [b] "+r"(b), [y] "+r"(y), [n] "+r"(n)                       \
                         : [zero] "r"(0)                                                            \
                         : WRITTEN);                                                                \
    }
#define STORE_RESULT(registers) LINE("vstmia %[y]!, {" registers "}")

void gm_start_row(float *y, const float *bias, uint32_t n)
{
    static const float none[8] = { GM_EMPTY_SUM, GM_EMPTY_SUM, GM_EMPTY_SUM, GM_EMPTY_SUM,
                                   GM_EMPTY_SUM, GM_EMPTY_SUM, GM_EMPTY_SUM, GM_EMPTY_SUM };
    const float *from = bias ? bias : none;
    uint32_t step = bias ? 4 : 0;
    __asm__ volatile(EIGHT_AT_A_TIME(LOAD_STEP(from, "s0-s7", steps) STORE_RESULT("s0-s7"),
                                     LOAD_1_STEP(from, s0, step) STORE_RESULT("s0"))
                     : [from] "+r"(from), [y] "+r"(y), [n] "+r"(n)
                     : [step] "r"(step), [steps] "r"(8 * step)
                     : CHANGED_LOWER);
}

#define ADD(a, b) LINE("vadd.f32 " #a ", " #a ", " #b)
#define SUB(a, b) LINE("vsub.f32 " #a ", " #a ", " #b)
#define MUL(a, b) LINE("vmul.f32 " #a ", " #a ", " #b)
#define DIV(a, b) LINE("vdiv.f32 " #a ", " #a ", " #b)

#if GM_WITH_ADD
DEFINE_ROW_OPERATION(gm_add_row, "", ADD, CHANGED_LOWER)
#endif
#if GM_WITH_SUB
DEFINE_ROW_OPERATION(gm_sub_row, "", SUB, CHANGED_LOWER)
#endif
#if GM_WITH_MUL
DEFINE_ROW_OPERATION(gm_mul_row, "", MUL, CHANGED_LOWER)
#endif
#if GM_WITH_DIV
DEFINE_ROW_OPERATION(gm_div_row, "", DIV, CHANGED_LOWER)
#endif

/* Sets the flags for x compared with 0 */
#define COMPARE(x) LINE("vcmp.f32 " #x ", #0") LINE("vmrs APSR_nzcv, fpscr")

#if GM_WITH_RELU_GRAD && !GM_ARCH_HELIUM
/* "not greater" includes NaN in y */
#define PASS(dy, y) COMPARE(y) LINE("it le") LINE("vmovle " #dy ", s16")
DEFINE_ROW_OPERATION(gm_relu_grad_row, LINE("vmov s16, %[zero]"), PASS, CHANGED)
#endif

#if !GM_ARCH_HELIUM

/* The same for one operand, by OF(x), with 0 in s8. */
#define DEFINE_ROW_OF_ONE(name, OF)                                                                 \
    void name(const float *x, float *y, uint32_t n)                                                 \
    {                                                                                               \
        __asm__ volatile(LINE("vmov s8, %[zero]")                                                   \
                         EIGHT_AT_A_TIME(LOAD(x, "s0-s7")                                           \
                                         OF(s0) OF(s1) OF(s2) OF(s3) OF(s4) OF(s5) OF(s6) OF(s7)    \
                                         STORE_RESULT("s0-s7"),                                     \
                                         LOAD(x, "s0") OF(s0) STORE_RESULT("s0"))                   \
                         : [x] "+r"(x), [y] "+r"(y), [n] "+r"(n)                                    \
                         : [zero] "r"(0)                                                            \
                         : CHANGED_LOWER);                                                          \
    }

/* "minus" excludes NaN and -0 */
#define CUT(x) COMPARE(x) LINE("it mi") LINE("vmovmi " #x ", s8")
DEFINE_ROW_OF_ONE(gm_relu_row, CUT)

#if GM_WITH_CONV_TRANSPOSE
#define ADD_ZERO(x) LINE("vadd.f32 " #x ", " #x ", s8")
DEFINE_ROW_OF_ONE(gm_add_zero_row, ADD_ZERO)
#endif

#endif

#endif
